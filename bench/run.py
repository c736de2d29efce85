"""Measures everything in one run against what a user would pick instead, and writes docs/benchmarks.md.

Figures are medians of one run on one machine; what counts is the ratio, because both sides had the same machine.
"""

import argparse
import datetime
import os
import platform
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.support.applications import Applications

from bench import acts, films, looks, starting, stopping, tokens
from bench.measure import BENCH_PYTHON, Bench, Row, best
from deskhand.model.geometry import Size
from deskhand.platforms.embedded.session import EmbeddedSession

REPORT = Path("docs/benchmarks.md")
PARTS = {"looks": looks, "acts": acts, "stopping": stopping, "films": films, "starting": starting, "tokens": tokens}
PEERS = ("mss==10.2.0", "pillow==11.3.0", "xa11y==0.15.4", "computer-control-mcp==0.3.14")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these parts: {', '.join(PARTS)}")
    options = parser.parse_args()
    # argparse's own `choices` refuses the empty list.
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    _peers()
    kept = tempfile.mkdtemp(prefix="dh-bench-")
    os.environ.update(XDG_STATE_HOME=f"{kept}/state", XDG_CACHE_HOME=f"{kept}/cache")
    desktop = EmbeddedSession(Size(1920, 1080))
    try:
        bench = Bench(desktop, Applications(desktop, desktop.connect()))
        found = [row for name in options.parts or PARTS for row in _measured(bench, name)]
    finally:
        desktop.close()
    if not options.parts:
        REPORT.write_text(_report(found))
        print(f"written to {REPORT}")
    return 1 if any(row.failed for row in found) else 0


def _measured(bench: Bench, name: str) -> Iterator[Row]:
    """The rows of a part as they come. Where it breaks off it says so in a row, and the other parts go on."""
    try:
        for row in PARTS[name].rows(bench):
            print(_line(row), flush=True)
            yield row
    except Exception as error:  # noqa: BLE001 - whatever it is, the report must come
        traceback.print_exc()
        bench.applications.end()
        yield Row(f"the rest of {name}", "–", "", 0, {}, False, f"broke off: {error}", failed=True)


def _peers() -> None:
    """An environment with what others offer, once for each set of versions."""
    done = BENCH_PYTHON.parents[1] / "peers.txt"
    if not done.exists() or done.read_text() != "\n".join(PEERS):
        print("Installing what is compared with", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(BENCH_PYTHON.parents[1])], check=True)
        subprocess.run([str(BENCH_PYTHON), "-m", "pip", "install", "-q", *PEERS], check=True)
        done.write_text("\n".join(PEERS))


def _line(row: Row) -> str:
    others = ", ".join(f"{name} {_figure(value, row.unit)}" for name, value in row.others.items())
    return f"{'✓' if row.holds else '✗'} {row.work}: {_figure(row.ours, row.unit)} ({row.reach}); {others or '–'}"


def _figure(value: float | str | None, unit: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def _ratio(row: Row) -> str:
    other = best(row.others)
    return "–" if other is None or not row.ours else f"{other / row.ours:.1f}×"


def _report(rows: Sequence[Row]) -> str:
    machine = f"{platform.system()} {platform.release()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    lines = [
        "# Benchmarks",
        "",
        "Written by `./dev bench`: medians of one run, ours through a real client over stdio on an embedded desktop of",
        "1920×1080 pixels. *Ratio* is the best of the others divided by ours, measured in the same run.",
        "",
        f"Last run {datetime.date.today()}, {machine}, software rendering, shared machine.",
        "",
        "The reaches were set on a faster machine: there mss + Pillow took 22 ms for their screenshot, and PyGObject",
        "170 ms for the office document. Compare these with the others' figures below.",
        "",
        "| work | ours | reach | | others | ratio | |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        others = "; ".join(f"{name} {_figure(value, row.unit)}" for name, value in row.others.items()) or "–"
        mark = "✓" if row.holds else "**missed**"
        ours = _figure(row.ours, row.unit)
        lines.append(f"| {row.work} | {ours} | {row.reach} | {mark} | {others} | {_ratio(row)} | {row.note} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main())
