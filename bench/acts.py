"""How long it takes to act: a click, a thousand characters, sixty that no layout has, in six toolkits."""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support.applications import Application, eventually, wait_for

from bench.measure import Bench, Row, has, median_of

_ASCII = "".join(chr(33 + (number * 7) % 94) for number in range(1000))
MIXED = "Grüße, é ñ ß € → 漢字かな 한국 Ωж 😀🎉 œ æ ø å ł ź ž č ş ğ İ ı — … « »"
_CHROMIUM = (
    "--force-renderer-accessibility",
    "--no-sandbox",
    "--no-first-run",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--password-store=basic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def rows(bench: Bench) -> Iterator[Row]:
    yield _click(bench)
    yield _thousand(bench)
    yield from _sixty(bench)


def _click(bench: Bench) -> Row:
    with bench.client() as client:
        ours = median_of(lambda: client.do("click_at", x=1500, y=900), 50) * 1000
    others = {}
    if has("xdotool"):
        others["xdotool"] = median_of(lambda: bench.run("xdotool", "mousemove", "1500", "900", "click", "1"), 10) * 1000
    return Row(
        "click_at", "≤ 2 ms", "ms", ours, others, ours <= 2, "over stdio, pointer verified; xdotool as a process"
    )


def _thousand(bench: Bench) -> Row:
    editor = bench.applications.start("mousepad")
    editor.focus()
    with bench.client() as client:
        start = time.perf_counter()
        client.do("type_text_tool", text=_ASCII)
        eventually(lambda: editor.text().endswith(_ASCII), what="the text")
        ours = time.perf_counter() - start
        client.do("fill", app_name="mousepad", role="textbox", text="")
    others: dict[str, float | str | None] = {}
    if has("xdotool"):
        others["xdotool type --delay 0"] = _xdotool(bench, editor, _ASCII, "0")
        _clear(bench, editor)
        others["xdotool type"] = _xdotool(bench, editor, _ASCII, "12")
    bench.applications.end()
    return Row("1,000 ASCII characters, all arrived", "≤ 1 s", "s", ours, others, ours <= 1, "GTK 3 editor, read back")


def _xdotool(bench: Bench, app: Application, text: str, delay: str) -> float | str:
    start = time.perf_counter()
    bench.run("xdotool", "type", "--delay", delay, "--", text)
    arrived = wait_for(lambda: app.text().rstrip("\n").endswith(text), seconds=3)
    return time.perf_counter() - start if arrived else "not exact"


def _clear(bench: Bench, app: Application) -> None:
    bench.run("xdotool", "key", "ctrl+a", "Delete")
    eventually(lambda: not app.text().strip(), what="an empty field")


def _sixty(bench: Bench) -> Iterator[Row]:
    page = Path(tempfile.mkdtemp(prefix="dh-page-")) / "page.html"
    page.write_text("<title>page</title><textarea rows=8 cols=60 autofocus></textarea>")
    profile = tempfile.mkdtemp(prefix="dh-profile-")
    fields: list[tuple[str, Callable[[], Application]]] = [
        ("GTK 3", lambda: bench.applications.start("mousepad")),
        ("GTK 4", lambda: bench.applications.start("gtk4-widget-factory")),
        ("Qt", lambda: bench.applications.start("featherpad")),
        (
            "Chromium",
            lambda: bench.applications.start(
                "chromium", *_CHROMIUM, f"--user-data-dir={profile}", f"file://{page}", seconds=60
            ),
        ),
        (
            "Firefox",
            lambda: bench.applications.start(
                "firefox-esr", "-no-remote", "-profile", tempfile.mkdtemp(prefix="dh-ff-"), f"file://{page}", seconds=60
            ),
        ),
    ]
    for name, start in fields:
        app = start()
        app.focus()
        yield _mixed(bench, name, app.name, app.text, lambda app=app: _clear(bench, app))  # type: ignore[misc]
        bench.applications.end()
    yield _terminal(bench)


def _terminal(bench: Bench) -> Row:
    file = Path(tempfile.mkdtemp(prefix="dh-term-")) / "typed"
    app = bench.applications.start("xterm", "-u8", "-e", "sh", "-c", f"cat > {file}", accessible=False)
    app.activate()

    def typed() -> str:
        return file.read_text() if file.exists() else ""

    row = _mixed(bench, "terminal", app.name, typed, lambda: None, end="\n")
    bench.applications.end()
    return row


def _mixed(bench: Bench, name: str, app: str, text: Callable[[], str], clear: Callable[[], None], end: str = "") -> Row:
    def is_there(before: str) -> bool:
        return text().removeprefix(before).replace("\ufeff", "").strip("\n") == MIXED

    with bench.client() as client:
        before = text()
        start = time.perf_counter()
        client.do("type_text_tool", text=MIXED + end)
        exact = bool(wait_for(lambda: is_there(before), seconds=5))
        ours = time.perf_counter() - start
    others: dict[str, float | str | None] = {}
    if has("xdotool"):
        clear()
        before = text()
        start = time.perf_counter()
        bench.run("xdotool", "type", "--", MIXED + end)
        arrived = wait_for(lambda: is_there(before), seconds=3)
        others["xdotool type"] = time.perf_counter() - start if arrived else "not exact"
    work = f"{len(MIXED)} mixed characters, {name}"
    return Row(
        work, "≤ 1 s, exact", "s", ours, others, exact and ours <= 1, f"{app}; {'exact' if exact else 'NOT exact'}"
    )
