"""The processes of this machine, as those who share a seat see each other: whether one lives, and when it dies."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deskhand.model.turn import HasFileno


@dataclass(frozen=True, slots=True)
class Process:
    """One process, named by its number and start time: a number used again does not pass for the dead one."""

    pid: int
    started: int

    @classmethod
    def this(cls) -> "Process":
        return cls(os.getpid(), _start_time(os.getpid()) or 0)

    def is_alive(self) -> bool:
        return _start_time(self.pid) == self.started


@dataclass(frozen=True, slots=True)
class _Death:
    """What becomes readable when a process ends."""

    descriptor: int

    def fileno(self) -> int:
        return self.descriptor


@contextlib.contextmanager
def deaths_of(processes: Sequence[Process]) -> Iterator[list[HasFileno] | None]:
    """What becomes readable when one of these processes ends, this one aside; None where one has ended already."""
    with contextlib.ExitStack() as stack:
        deaths: list[HasFileno] = []
        one_has_died = False
        for pid in {process.pid for process in processes} - {os.getpid()}:
            try:
                descriptor = os.pidfd_open(pid)
            except ProcessLookupError:
                one_has_died = True
                continue
            stack.callback(os.close, descriptor)
            deaths.append(_Death(descriptor))
        yield None if one_has_died else deaths


def _start_time(pid: int) -> int | None:
    """When a process started, in ticks since the machine did; None where there is no such process."""
    try:
        content = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    fields = content.rpartition(b")")[2].split()
    return None if fields[0] in (b"Z", b"X") else int(fields[19])
