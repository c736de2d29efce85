"""What every measurement needs: a desktop with applications, a client, rows of a report."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.applications import Applications
from tests.support.client import Client

from deskhand.platforms.embedded.session import EmbeddedSession

PEERS = Path(__file__).with_name("peers")
BENCH_PYTHON = Path(".venv-bench/bin/python")
SYSTEM_PYTHON = "/usr/bin/python3"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the report. `ours` and each of `others` are medians in `unit`; None where it could not be had."""

    work: str
    reach: str
    unit: str
    ours: float
    others: Mapping[str, float | str | None]
    holds: bool
    note: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Bench:
    """The desktop that a run measures on."""

    desktop: EmbeddedSession
    applications: Applications

    @contextmanager
    def client(self, *arguments: str) -> Iterator[Client]:
        """A client of our server that holds the seat."""
        with Client("--clicks-per-second", "0", *arguments, environment=self.desktop.environment) as client:
            client.initialize()
            client.acquire(ttl=3600)
            yield client

    def peer(self, python: str | Path, script: str, *arguments: str, seconds: float = 120) -> dict[str, Any] | None:
        """What a peer's script prints, None where it cannot be run here."""
        if not Path(python).exists():
            return None
        done = subprocess.run(
            [str(python), str(PEERS / script), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        if done.returncode:
            print(f"  {script}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}", file=sys.stderr)
            return None
        found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return found

    def run(self, *command: str) -> float:
        """Run a program on the desktop to its end; seconds."""
        start = time.perf_counter()
        subprocess.run(command, env=self.environment, check=True, capture_output=True)
        return time.perf_counter() - start

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.desktop.environment}


def median_of(work: Callable[[], object], runs: int) -> float:
    """The median seconds of so many runs, after one that does not count."""
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def milliseconds(found: Mapping[str, Any] | None) -> float | None:
    """The median of a peer's seconds, in milliseconds."""
    return statistics.median(found["seconds"]) * 1000 if found else None


def has(program: str) -> bool:
    return shutil.which(program) is not None


def best(others: Mapping[str, float | str | None]) -> float | None:
    """The best of the others' figures."""
    return min((value for value in others.values() if isinstance(value, float)), default=None)
