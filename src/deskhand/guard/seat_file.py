"""The seat of a display, as all processes of this user see it: who holds it, and who waits for it.

One small JSON file, changed only under an exclusive lock, so that there are never two holders. Times are the kernel's
monotonic clock, which all processes of a machine share.
"""

import contextlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from deskhand.guard.file_lock import lock
from deskhand.guard.process import Process
from deskhand.model.errors import NotAnswering, PermissionMissing

_LOCK_SECONDS: Final = 20.0


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


@dataclass(slots=True)
class Waiter:
    """Who waits for the seat. `ticket` names the bell by which to wake them."""

    ticket: str
    agent_id: str
    purpose: str
    since: float
    until: float
    client: str
    process: Process


T = TypeVar("T", Process, Holder, Waiter)


@dataclass(slots=True)
class SeatState:
    """What the file says."""

    holder: Holder | None = None
    queue: list[Waiter] = field(default_factory=list)

    def tidy(self) -> list[Waiter]:
        """Drop who has died or run out of time; those who waited and have died."""
        now = time.monotonic()
        dead = [one for one in self.queue if not one.process.is_alive()]
        self.queue = [one for one in self.queue if one.until > now and one not in dead]
        holder = self.holder
        if holder is not None and (holder.expires <= now or not holder.process.is_alive()):
            self.holder = None
        return dead

    def called(self) -> list[Waiter]:
        """Those whose turn it is: the first in line; where the seat is taken, all on the connection that has it."""
        holder = self.holder
        return self.queue[:1] if holder is None else [one for one in self.queue if one.client == holder.client]


class SeatFile:
    """The file of one seat."""

    def __init__(self, directory: Path, seat: str) -> None:
        name = "".join(character if character.isalnum() else "-" for character in seat)
        self.directory = directory
        self._inside = threading.Lock()
        self._path = directory / f"seat{name}.json"
        self._lock_path = directory / f"seat{name}.lock"

    @contextlib.contextmanager
    def changed(self) -> Iterator[SeatState]:
        """The state, under the lock; what the block makes of it is written when it ends.

        Raises PermissionMissing where the file cannot be used, NotAnswering where another process keeps it.
        """
        with self._locked():
            before = self._read()
            state = _parse(before)
            yield state
            after = json.dumps(asdict(state)).encode()
            if after != before:
                self._write(after)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        deadline = time.monotonic() + _LOCK_SECONDS
        # The threads of this process queue up here, where waiting is fair and costs nothing.
        if not self._inside.acquire(timeout=_LOCK_SECONDS):
            raise _locked_out()
        try:
            with self._usable():
                descriptor = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                if not lock(descriptor, deadline):
                    raise _locked_out()
                yield
            finally:
                os.close(descriptor)
        finally:
            self._inside.release()

    @contextlib.contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PermissionMissing(
                f"{self.directory}, where the seat is kept, cannot be used: {error.strerror}",
                recovery=f"see to it that {self.directory} is a directory this user can write to, then try again",
            ) from None

    def _read(self) -> bytes:
        with self._usable():
            try:
                descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            except FileNotFoundError:
                return b""
            with os.fdopen(descriptor, "rb") as file:
                return file.read()

    def _write(self, content: bytes) -> None:
        # A reader sees the old file or the new one, also when this process is killed in between.
        with self._usable():
            descriptor, temporary = tempfile.mkstemp(dir=self.directory, prefix=".seat")
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            os.replace(temporary, self._path)


def _locked_out() -> NotAnswering:
    return NotAnswering(
        "another process keeps the seat of this display locked",
        recovery="look for a deskhand process that is stopped, and let it go on or end it",
    )


def _parse(content: bytes) -> SeatState:
    """A file that cannot be read counts as an empty seat: nobody can hold it."""
    try:
        raw = json.loads(content)
        holder = raw["holder"]
        return SeatState(
            holder=_read_as(Holder, holder) if holder else None,
            queue=[_read_as(Waiter, one) for one in raw["queue"]],
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return SeatState()


def _read_as(kind: type[T], raw: dict[str, Any]) -> T:
    """One of the records above. Raises KeyError or TypeError where a field is missing or of another type."""
    values: dict[str, Any] = {}
    for one in fields(kind):
        value = _read_as(Process, raw[one.name]) if one.type is Process else raw[one.name]
        if not isinstance(value, int | float if one.type is float else cast(type, one.type)):
            raise TypeError(f"{one.name}: {value!r}")
        values[one.name] = value
    return kind(**values)
