"""10,000 mixed calls over the real transport, and what the server holds before and after: `./dev bench soak [CALLS]`."""

import os
import shutil
import sys
import tempfile
import time
from dataclasses import fields
from typing import Final

from tests.support.applications import Applications
from tests.support.client import Client
from tests.support.holdings import Auditor, Holdings
from tests.support.soak import Soak

from deskhand.model.geometry import Size
from deskhand.platforms.embedded.session import EmbeddedSession

_CALLS: Final = 10_000
_WARM_UP: Final = 1_000
_FILMS: Final = 60
"""The C library's heaps reach their size after some dozens of encoders, which the calls come to only late."""
_IDLE_SECONDS: Final = 25.0
"""A thread of the server that has nothing to do ends after 20 s."""
_MIB: Final = 15.0


def main(arguments: list[str]) -> int:
    """Print a table; 1 where anything has grown."""
    calls = int(arguments[0]) if arguments else _CALLS
    kept = tempfile.mkdtemp(prefix="dh-soak-")
    places = {"XDG_STATE_HOME": f"{kept}/state", "XDG_CACHE_HOME": f"{kept}/cache", "XDG_VIDEOS_DIR": kept}
    os.environ.update(places)
    desktop = EmbeddedSession(Size(1920, 1080))
    try:
        applications = Applications(desktop, desktop.connect())
        with Client("--clicks-per-second", "0", environment=desktop.environment) as client:
            client.initialize()
            return _soak(Soak.start(client, applications), calls, dict(desktop.environment))
    finally:
        desktop.close()
        shutil.rmtree(kept, ignore_errors=True)


def _soak(soak: Soak, calls: int, environment: dict[str, str]) -> int:
    auditor = Auditor(soak.client.process.pid, environment)
    soak.run(_WARM_UP)
    soak.record(_FILMS)
    before, start, first = _at_rest(auditor), time.monotonic(), soak.calls
    for _ in range(10):
        soak.run(calls // 10)
        print(f"{soak.calls - first} calls, {auditor.count().memory:.1f} MiB", file=sys.stderr, flush=True)
    seconds = time.monotonic() - start
    after = _at_rest(auditor)
    print(f"{soak.calls - first} calls ({soak.errors} errors in all) in {seconds:.0f} s, after {_WARM_UP} to warm up")
    for one in fields(Holdings):
        print(f"  {one.name:18} {getattr(before, one.name):8.4g} -> {getattr(after, one.name):8.4g}")
    grown = after.more_than(before)
    if after.memory > before.memory + _MIB:
        grown.append("memory")
    print("grown: " + ", ".join(grown) if grown else "nothing has grown")
    return 1 if grown else 0


def _at_rest(auditor: Auditor) -> Holdings:
    time.sleep(_IDLE_SECONDS)
    return auditor.count()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
