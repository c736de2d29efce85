"""The record of every act: who did what, and how it ended; never what was typed or copied.

A line of JSON for each, in one file for all processes of this user. Each line carries the hash of the line before, so
that a changed, missing or cut line shows.
"""

import hashlib
import json
import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from deskhand.guard.file_lock import lock
from deskhand.model.errors import PermissionMissing

_LOCK_SECONDS: Final = 1.0
_PIECE: Final = 1 << 14
_NO_LINE: Final = "0" * 64
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

    def __init__(self, directory: Callable[[], Path]) -> None:
        """`directory` is called when there is something to write, and may make it. Raises PermissionMissing then."""
        self._directory = directory
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
        path = self._directory() / "audit.jsonl"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            if not lock(descriptor, time.monotonic() + _LOCK_SECONDS):
                raise TimeoutError("another process keeps it locked")
            last = _last_line(file)
            entry["previous"] = hashlib.sha256(last.rstrip(b"\n")).hexdigest() if last else _NO_LINE
            text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
            # A line that a full disk or a crash has cut stays by itself. What is no Unicode stands there as an escape.
            start = b"\n" if last and not last.endswith(b"\n") else b""
            file.write(start + text.encode("utf-8", "backslashreplace") + b"\n")


def _last_line(file: Any) -> bytes:
    """The last line with its end, if it has one; nothing of an empty file."""
    start, found = file.seek(0, os.SEEK_END), b""
    while start and b"\n" not in found[:-1]:
        start = max(0, start - _PIECE - len(found))
        file.seek(start)
        found = file.read()
    return found[found.rfind(b"\n", 0, len(found) - 1) + 1 :]
