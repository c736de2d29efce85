"""How long it takes to see: the tree of an editor, of an office document, and a screenshot."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measure import BENCH_PYTHON, SYSTEM_PYTHON, Bench, Row, median_of, milliseconds

_RUNS = 30
_PARAGRAPH = "The quick brown fox jumps over the lazy dog, and a document grows by one more paragraph of plain text."


def rows(bench: Bench) -> Iterator[Row]:
    bench.applications.start("mousepad")
    yield _inspect(bench, "inspect_ui of a GTK 3 editor", "mousepad", "mousepad", 10.0, _RUNS)
    bench.applications.end()
    document = _document()
    profile = tempfile.mkdtemp(prefix="dh-office-")
    office = [
        "libreoffice",
        "--norestore",
        "--nologo",
        "--nofirststartwizard",
        f"-env:UserInstallation=file://{profile}",
    ]
    bench.applications.start(*office, "--writer", str(document), seconds=90)
    yield _inspect(bench, "inspect_ui of an office document", "soffice", "soffice", 45.0, 15)
    bench.applications.end()
    yield _screenshot(bench)


def _inspect(bench: Bench, work: str, app: str, process: str, reach: float, runs: int) -> Row:
    with bench.client() as client:
        ours = median_of(lambda: client.do("inspect_ui", app_name=app), runs) * 1000
        shown = client.do("inspect_ui", app_name=app).fields["total"]
    others = {}
    nodes = []
    for name, python, script in (
        ("PyGObject Atspi", SYSTEM_PYTHON, "atspi_walk.py"),
        ("dogtail", SYSTEM_PYTHON, "dogtail_walk.py"),
        ("xa11y", BENCH_PYTHON, "xa11y_tree.py"),
    ):
        found = bench.peer(python, script, process, "5")
        others[name] = milliseconds(found)
        if found:
            nodes.append(f"{name} {found['nodes']}")
    note = f"{shown} rows over stdio; nodes read by the others: {', '.join(nodes)}"
    return Row(work, f"≤ {reach:g} ms", "ms", ours, others, ours <= reach, note)


def _document() -> Path:
    """A text document long enough for several pages."""
    path = Path(tempfile.mkdtemp(prefix="dh-document-")) / "long.txt"
    path.write_text("\n".join(f"{number}. {_PARAGRAPH}" for number in range(400)))
    return path


def _screenshot(bench: Bench) -> Row:
    bench.applications.start("mousepad")
    with bench.client() as client:
        ours = median_of(lambda: client.do("screenshot"), _RUNS) * 1000
    others = {"mss + Pillow": milliseconds(bench.peer(BENCH_PYTHON, "mss_screenshot.py", str(_RUNS)))}
    bench.applications.end()
    return Row(
        "screenshot, 1280 wide, JPEG", "≤ 10 ms", "ms", ours, others, ours <= 10, "over stdio; theirs in process"
    )
