"""The first questions of a client, answered before the protocol's library has loaded.

Every client opens with the same questions: `server/discover` or `initialize`, then `tools/list`. What the SDK answered
to them at an earlier start of the same code with the same wishes is kept in a file, and given again at once; the SDK
takes half a second to load. It gets the same lines when it is there. Its own answers to them are then compared with
those given, kept for the next start, and not sent a second time.
"""

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

_QUESTIONS: Final = ("server/discover", "initialize", "tools/list")
_MOST: Final = 32
_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
_CLIENT: Final = frozenset(
    {_VERSION, "io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/clientCapabilities", "progressToken"}
)
_CODE: Final = ("deskhand", "mcp", "mcp_types", "pydantic")


class Opening:
    """What may be answered from memory at the beginning of a connection."""

    def __init__(self, file: Path | None) -> None:
        """`file` None remembers nothing."""
        self._file = file
        self._answers: dict[str, Any] = _read(file)
        self._asked: dict[str | int, str] = {}
        self._given: set[str | int] = set()
        self._is_over = False
        self._has_initialized = False

    def answer(self, line: bytes) -> bytes | None:
        """The answer to a line that has come, None where it is not known: that is the end of the opening."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self._is_over = True
            return None
        if "id" not in message:
            return None  # a notification: nothing to answer, and the opening goes on
        question = self.note(message)
        if self._is_over or question is None or question not in self._answers:
            self._is_over = True
            return None
        result = json.dumps(self._answers[question], ensure_ascii=False, separators=(",", ":"))
        self._given.add(message["id"])
        return f'{{"jsonrpc":"2.0","id":{json.dumps(message["id"])},"result":{result}}}\n'.encode()

    def note(self, message: dict[str, Any]) -> str | None:
        """Remember what a request asks, so that its answer can be kept; None where it is not one of the opening."""
        request, question = message.get("id"), self._question(message)
        if question is None or not isinstance(request, str | int) or isinstance(request, bool):
            return None
        self._asked[request] = question
        self._has_initialized = self._has_initialized or message["method"] == "initialize"
        return question

    def is_given(self, request: str | int, result: Any) -> bool:
        """Keep what the SDK answers (None for an error); True where the client has its answer already."""
        question = self._asked.pop(request, None)
        if question is not None and result is not None and self._answers.get(question) != result:
            if len(self._answers) >= _MOST:
                self._answers.clear()
            self._answers[question] = result
            _write(self._file, self._answers)
        is_given = request in self._given
        self._given.discard(request)
        return is_given

    def _question(self, message: dict[str, Any]) -> str | None:
        """What a request asks, without what differs from client to client; None where it is not one of the opening."""
        method, parameters = message.get("method"), message.get("params") or {}
        if method not in _QUESTIONS or not isinstance(parameters, dict):
            return None
        meta = parameters.get("_meta") or {}
        if not isinstance(meta, dict) or not set(meta) <= _CLIENT:
            return None
        era = meta.get(_VERSION)
        if method == "initialize":
            return f"initialize {parameters.get('protocolVersion')}" if era is None else None
        if set(parameters) - {"_meta"} or (era is None and not self._has_initialized):
            return None
        return f"{method} {era}"


def memory_of(wishes: str) -> Path | None:
    """The file of what was answered by this very code with these wishes; None where nothing can be kept."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", ""), ".cache")
    if not os.path.isabs(folder):
        return None
    mark = hashlib.sha256(f"{sys.version}\n{wishes}\n{_code_mark()}".encode()).hexdigest()[:24]
    return Path(folder) / "deskhand" / f"opening-{mark}.json"


def _code_mark() -> str:
    """What changes when a file of deskhand does, or another version of what it speaks with is installed."""
    package = Path(__file__).parents[1]
    newest = max(entry.stat().st_mtime_ns for entry in package.rglob("*.py"))
    marks = [f"{package} {newest}"]
    for folder in sys.path:
        for name in _CODE[1:]:
            with contextlib.suppress(OSError):
                marks.append(f"{folder}/{name} {os.stat(os.path.join(folder, name, '__init__.py')).st_mtime_ns}")
    return "\n".join(marks)


def _read(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as opened:
            if os.fstat(descriptor).st_uid != os.getuid():
                return {}
            answers = json.load(opened)
    except (OSError, ValueError):
        return {}
    return answers if isinstance(answers, dict) else {}


def _write(file: Path | None, answers: dict[str, Any]) -> None:
    if file is None:
        return
    with contextlib.suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".opening")
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            json.dump(answers, opened)
        os.replace(temporary, file)
