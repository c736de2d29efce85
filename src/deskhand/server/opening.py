"""The first questions of a client, answered before the protocol's library has loaded.

Every client opens with the same questions: `server/discover` or `initialize`, then `tools/list`. What the SDK answered
to them at an earlier start of the same code with the same wishes is kept in a file, and given again at once; the SDK
takes half a second to load. It gets the same lines when it is there. Its own answers to them are then compared with
those given, kept for the next start, and not sent a second time.

A question is known again only where everything that the client has said up to it is the same, but for the numbers of
its requests. So the SDK has answered exactly this before, and nothing of the protocol's rules is known here.
"""

import contextlib
import hashlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

_QUESTIONS: Final = ("server/discover", "initialize", "tools/list")
_MOST: Final = 32
# What a question may have besides its subject; what else there is (a trace, say) is new each time.
_META: Final = frozenset(
    f"io.modelcontextprotocol/{name}" for name in ("protocolVersion", "clientInfo", "clientCapabilities")
)
_PROGRESS: Final = "progressToken"
_CODE: Final = ("deskhand", "mcp", "mcp_types", "pydantic")


class Opening:
    """What may be answered from memory at the beginning of a connection."""

    def __init__(self, file: Path | None) -> None:
        """`file` None remembers nothing."""
        self._file = file
        self._answers = _read(file)
        self._said = hashlib.sha256()
        self._asked: dict[str | int, str] = {}
        self._given: set[str | int] = set()
        self._gives = True
        self._is_over = False

    def answer(self, line: bytes) -> bytes | None:
        """The answer to a line that has come, None where it is not known; from then on the SDK answers all."""
        if self._is_over:
            return None
        message = _message_of(line)
        question = self._noted(message) if message is not None else None
        if message is None or question is None or "id" not in message:
            self._is_over = question is None
            return None
        request = message["id"]
        if not self._gives or question not in self._answers:
            self._gives = False
            return None
        self._given.add(request)
        result = json.dumps(self._answers[question], ensure_ascii=False, separators=(",", ":"))
        return f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{result}}}\n'.encode()

    def end(self) -> None:
        """The SDK is there: nothing more is answered from memory."""
        self._gives = False

    def is_given(self, request: str | int, result: Any) -> bool:
        """Keep what the SDK answers (None for an error); True where the client has its answer already."""
        question = self._asked.pop(request, "")
        if question and isinstance(result, dict) and self._answers.get(question) != result:
            if len(self._answers) >= _MOST:
                self._answers.clear()
            self._answers[question] = result
            _write(self._file, self._answers)
        is_given = request in self._given
        self._given.discard(request)
        return is_given

    def _noted(self, message: dict[str, Any]) -> str | None:
        """Add a message to what was said; what names it there, None where it does not belong to an opening."""
        said = _without_numbers(message)
        if said is None:
            return None
        self._said.update(said)
        if "id" not in message:
            return self._said.hexdigest()
        request = message["id"]
        if request in self._asked:
            self._asked[request] = ""  # two questions of one number: whose answer comes is not to be told
            return None
        if message["method"] not in _QUESTIONS:
            return None
        self._asked[request] = self._said.hexdigest()
        return self._asked[request]


def _message_of(line: bytes) -> dict[str, Any] | None:
    """The JSON-RPC request or notification in a line, None where there is none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return None
    request = message.get("id", 0)
    return message if isinstance(request, str | int) and not isinstance(request, bool) else None


def _without_numbers(message: dict[str, Any]) -> bytes | None:
    """What a message says, whatever its number; None where it says what is new each time."""
    parameters = message.get("params", {})
    meta = parameters.get("_meta", {}) if isinstance(parameters, dict) else None
    if not isinstance(meta, dict) or not set(meta) <= _META | {_PROGRESS}:
        return None
    if isinstance(meta.get(_PROGRESS), str | int):
        parameters = parameters | {"_meta": {name: value for name, value in meta.items() if name != _PROGRESS}}
    with contextlib.suppress(RecursionError):
        said = [sorted(message), message["method"], parameters]
        return json.dumps(said, sort_keys=True).encode() + b"\n"
    return None


def memory_of(wishes: str) -> Path | None:
    """The file of what was answered by this very code with these wishes; None where nothing can be kept."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", ""), ".cache")
    if not os.path.isabs(folder):
        return None
    mark = hashlib.sha256(f"{sys.version}\n{wishes}\n{_code_mark()}".encode()).hexdigest()[:24]
    return Path(folder) / "deskhand" / f"opening-{mark}.json"


def _code_mark() -> str:
    """What changes when a file of deskhand does, or another version of what it speaks with is installed."""
    package = os.path.dirname(os.path.dirname(__file__))
    marks = sorted(_marks_below(package))
    for folder in sys.path:
        for name in _CODE[1:]:
            with contextlib.suppress(OSError):
                marks.append(f"{folder}/{name} {os.stat(os.path.join(folder, name, '__init__.py')).st_mtime_ns}")
    return "\n".join(marks)


def _marks_below(folder: str) -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.is_dir():
            yield from _marks_below(entry.path)
        elif entry.name.endswith(".py"):
            found = entry.stat()
            yield f"{entry.path} {found.st_mtime_ns} {found.st_size}"


def _read(file: Path | None) -> dict[str, Any]:
    """What a file remembers: nothing where it is not this user's own, or not as it was written."""
    if file is None:
        return {}
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as opened:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
                return {}
            mark, _, content = opened.read().partition(b"\n")
        if mark != _mark_of(content):
            return {}
        answers = json.loads(content)
    except (OSError, ValueError, RecursionError):
        return {}
    return answers if isinstance(answers, dict) else {}


def _write(file: Path | None, answers: dict[str, Any]) -> None:
    if file is None:
        return
    content = json.dumps(answers).encode()
    with contextlib.suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".opening")
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(_mark_of(content) + b"\n" + content)
        os.replace(temporary, file)


def _mark_of(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
