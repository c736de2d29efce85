"""The record of every act: who did what, and how it ended; never what was typed or copied.

A line of JSON for each, in one file for all processes of this user. Each line carries the hash of the line before, so
that a changed, missing or cut line shows.
"""

import fcntl
import hashlib
import json
import logging
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

_LAST_LINES: Final = 1 << 16
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
    """The file `audit.jsonl` of a directory."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "audit.jsonl"
        self._broken = False

    def write(self, record: Record) -> None:
        """Add a line. A disk that does not take it is told once, on stderr, and stops nobody."""
        try:
            self._append({"ts": round(time.time(), 3), **asdict(record)})
        except OSError as error:
            if not self._broken:
                logger.error("the audit cannot be written to %s: %s", self.path, error.strerror)
            self._broken = True

    def _append(self, entry: dict[str, Any]) -> None:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            entry["previous"] = _hash_of_last_line(file)
            file.write(json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def _hash_of_last_line(file: Any) -> str:
    size = file.seek(0, os.SEEK_END)
    if not size:
        return _NO_LINE
    file.seek(max(0, size - _LAST_LINES))
    return hashlib.sha256(file.read().rstrip(b"\n").rpartition(b"\n")[2]).hexdigest()
