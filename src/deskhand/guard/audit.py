"""The record of every act: who did what, and how it ended; never what was typed or copied.

A line of JSON for each, in one file for all processes of this user. Each line carries the hash of the line before, so
that a changed, missing or cut line shows (`guard/trail.py` looks).
"""

import json
import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from deskhand.guard.audit_files import NO_LINE, AuditFiles, Head, entry_of, hash_of
from deskhand.model.errors import PermissionMissing

NAME: Final = "audit.jsonl"
LARGEST: Final = 10_000_000
"""Bytes from which on a file is rotated."""
_PIECE: Final = 1 << 14
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Record:
    """One act. `detail` holds the arguments that may be told, `reason` why it was refused or failed."""

    agent_id: str
    session_id: str
    tool: str
    detail: Mapping[str, Any]
    outcome: str
    reason: str = ""


class Audit:
    """The file `audit.jsonl`."""

    def __init__(self, directory: Callable[[], Path], largest: int = LARGEST) -> None:
        """`directory` is called when there is something to write, and may make it. Raises PermissionMissing then."""
        self._directory = directory
        self._largest = largest
        self._broken = False

    def write(self, record: Record) -> None:
        """Add a line. A disk that does not take it, or a lock on it, is told once, on stderr, and stops nobody."""
        try:
            self._append({"ts": round(time.time(), 3), **asdict(record)})
        except (OSError, PermissionMissing) as error:
            if not self._broken:
                logger.error("the audit cannot be written: %s", error)
            self._broken = True
        else:
            self._broken = False

    def _append(self, entry: dict[str, Any]) -> None:
        files = AuditFiles(self._directory() / NAME)
        with files.locked() as head_file:
            assert head_file is not None
            last, size = _end_of(files.current)
            head = Head.parse(os.pread(head_file, 1024, 0))
            first = head.first if head else NO_LINE
            if size >= self._largest:
                files.rotate()
                first = files.first_hash()
            previous, n = _what_goes_before(last, head)
            line = _line_of({"n": n + 1, **entry, "previous": previous})
            # A line that a full disk or a crash has cut stays by itself.
            cut = b"\n" if last and size < self._largest and not last.endswith(b"\n") else b""
            _add(files.current, cut + line)
            os.pwrite(head_file, Head(first, hash_of(line), n + 1).content(), 0)


def _what_goes_before(last: bytes, head: Head | None) -> tuple[str, int]:
    """The hash and the number of the line that the next one follows.

    That is the last line of the file, but for one that somebody has changed or cut away: then it is the line the head
    knows of, so that the gap shows for ever.
    """
    entry = entry_of(last)
    if head is None:
        return (hash_of(last) if last else NO_LINE), (entry["n"] if entry else 0)
    if last and entry is None:
        return hash_of(last), head.n  # cut short by a full disk or a crash
    if entry is not None and entry["previous"] == head.last and entry["n"] == head.n + 1:
        return hash_of(last), entry["n"]  # a crash came before the head was written
    return head.last, head.n


def _line_of(entry: Mapping[str, Any]) -> bytes:
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    # What is no Unicode stands there as an escape.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _add(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "ab", buffering=0) as file:
        file.write(content)


def _end_of(path: Path) -> tuple[bytes, int]:
    """The last line with its end, if it has one, and the size of the file; nothing of one that is not there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return b"", 0
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        start, found = size, _ = file.seek(0, os.SEEK_END), b""
        while start and b"\n" not in found[:-1]:
            start = max(0, start - _PIECE - len(found))
            file.seek(start)
            found = file.read()
    return found[found.rfind(b"\n", 0, len(found) - 1) + 1 :], size
