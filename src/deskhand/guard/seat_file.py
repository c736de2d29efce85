"""The seat of a display, as all processes of this user see it: who holds it, and who waits for it.

One small JSON file, changed only under an exclusive lock, so that there are never two holders. Times are the kernel's
monotonic clock, which all processes of a machine share. A process is named by its number and start time, so that a
number used again does not pass for the dead one.
"""

import contextlib
import fcntl
import json
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Process:
    """One process of this machine."""

    pid: int
    started: int

    @classmethod
    def this(cls) -> "Process":
        return cls(os.getpid(), _start_time(os.getpid()) or 0)

    def is_alive(self) -> bool:
        return _start_time(self.pid) == self.started


@dataclass(slots=True)
class Holder:
    """Who has the seat. `client` is the connection it was given to."""

    session_id: str
    agent_id: str
    purpose: str
    ttl: float
    expires: float
    client: str
    process: Process
    last_action: float = 0.0


@dataclass(slots=True)
class Waiter:
    """Who waits for the seat, and the socket on which to wake them."""

    ticket: str
    agent_id: str
    purpose: str
    since: float
    until: float
    process: Process
    socket: str


@dataclass(slots=True)
class SeatState:
    """What the file says."""

    holder: Holder | None = None
    queue: list[Waiter] = field(default_factory=list)

    def tidy(self) -> None:
        """Drop who has died or run out of time."""
        now = time.monotonic()
        self.queue = [one for one in self.queue if one.until > now and one.process.is_alive()]
        holder = self.holder
        if holder is not None and (holder.expires <= now or not holder.process.is_alive()):
            self.holder = None


class SeatFile:
    """The file of one seat."""

    def __init__(self, directory: Path, seat: str) -> None:
        name = "".join(character if character.isalnum() else "-" for character in seat)
        self.directory = directory
        self._path = directory / f"seat{name}.json"
        self._lock_path = directory / f"seat{name}.lock"

    @contextlib.contextmanager
    def changed(self) -> Iterator[SeatState]:
        """The state, under the lock; what the block makes of it is written when it ends."""
        descriptor = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            before = self._read()
            state = _parse(before)
            yield state
            after = json.dumps(asdict(state)).encode()
            if after != before:
                self._write(after)
        finally:
            os.close(descriptor)

    def _read(self) -> bytes:
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return b""
        with os.fdopen(descriptor, "rb") as file:
            return file.read()

    def _write(self, content: bytes) -> None:
        # A reader sees the old file or the new one, also when this process is killed in between.
        descriptor, temporary = tempfile.mkstemp(dir=self.directory, prefix=".seat")
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, self._path)


def _parse(content: bytes) -> SeatState:
    """A file that cannot be read counts as an empty seat: nobody can hold it."""
    try:
        raw = json.loads(content)
        holder = raw["holder"]
        return SeatState(
            holder=_holder(holder) if holder else None,
            queue=[Waiter(**{**one, "process": Process(**one["process"])}) for one in raw["queue"]],
        )
    except (ValueError, KeyError, TypeError):
        return SeatState()


def _holder(raw: dict[str, Any]) -> Holder:
    return Holder(**{**raw, "process": Process(**raw["process"])})


def _start_time(pid: int) -> int | None:
    """When a process started, in ticks since the machine did; None where there is no such process."""
    try:
        content = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    fields = content.rpartition(b")")[2].split()
    return None if fields[0] in (b"Z", b"X") else int(fields[19])
