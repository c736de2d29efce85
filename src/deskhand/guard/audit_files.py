"""The files of an audit: the one being written, those it was rotated to, and the head, which vouches for both ends.

Each line carries the hash of the line before it. The first and the last line have nobody to vouch for them: the head
does, a small file that is written anew with each line and that every reader and writer locks.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from deskhand.guard.file_lock import lock

KEPT: Final = 5
"""How many rotated files are kept beside the one being written."""
NO_LINE: Final = "0" * 64
"""Stands for the hash of the line before the very first."""
_HEAD_WIDTH: Final = 200
_LOCK_SECONDS: Final = 1.0


def hash_of(line: bytes) -> str:
    """What the next line says of this one."""
    return hashlib.sha256(line.rstrip(b"\n")).hexdigest()


def entry_of(line: bytes) -> dict[str, Any] | None:
    """What a line says, None where it is no line of an audit."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("previous"), str):
        return None
    return entry if type(entry.get("n")) is int else None


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of both ends: `first` the hash that the oldest line kept carries, `last` that of the newest."""

    first: str
    last: str
    n: int
    """The number of the newest line."""

    @classmethod
    def parse(cls, content: bytes) -> "Head | None":
        """The head of a file, None for one that is empty or none."""
        try:
            raw = json.loads(content)
            head = cls(**raw)
        except (ValueError, TypeError):
            return None
        texts = isinstance(head.first, str) and isinstance(head.last, str)
        return head if texts and type(head.n) is int else None

    def content(self) -> bytes:
        """As it is written: always as long, so that it can be written over."""
        return json.dumps(asdict(self)).ljust(_HEAD_WIDTH).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class AuditFiles:
    """Where an audit lies. `current` is the file being written."""

    current: Path

    @property
    def head(self) -> Path:
        return self.current.with_suffix(".head")

    def rotated(self, number: int) -> Path:
        """A file that is no longer written; 1 is the newest."""
        return self.current.with_suffix(f".{number}{self.current.suffix}")

    def present(self) -> list[Path]:
        """Every file there is, the oldest first."""
        files = [*(self.rotated(number) for number in range(KEPT, 0, -1)), self.current]
        return [file for file in files if file.exists()]

    @contextlib.contextmanager
    def locked(self, *, reading: bool = False) -> Iterator[int | None]:
        """The head's descriptor, under its lock; None where one only reads and there is none."""
        flags = os.O_RDONLY if reading else os.O_RDWR | os.O_CREAT
        try:
            descriptor = os.open(self.head, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except FileNotFoundError:
            if not reading:
                raise
            yield None
            return
        try:
            if reading:
                fcntl.flock(descriptor, fcntl.LOCK_SH)
            elif not lock(descriptor, time.monotonic() + _LOCK_SECONDS):
                raise TimeoutError("another process keeps it locked")
            yield descriptor
        finally:
            os.close(descriptor)

    def rotate(self) -> None:
        """Put the current file beside the older ones; the oldest is dropped."""
        for number in range(KEPT, 0, -1):
            older, newer = self.rotated(number), self.rotated(number - 1) if number > 1 else self.current
            with contextlib.suppress(FileNotFoundError):
                os.replace(newer, older)

    def first_hash(self) -> str:
        """What the oldest line kept says of the line before it."""
        for file in self.present():
            with open(file, "rb") as lines:
                entry = entry_of(lines.readline())
            if entry is not None:
                return str(entry["previous"])
        return NO_LINE
