"""Whole conversations given at once, as `printf … | deskhand mcp` does, and what was answered."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

COMMAND: Final = (sys.executable, "-m", "deskhand", "mcp")
INITIALIZE: Final[dict[str, Any]] = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED: Final[dict[str, Any]] = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(number: Any, name: str, **arguments: Any) -> dict[str, Any]:
    """A tools/call."""
    return request(number, "tools/call", {"name": name, "arguments": arguments})


def request(number: Any, method: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Any request."""
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if parameters is None else message | {"params": dict(parameters)}


def line_of(message: Any) -> bytes:
    """A message, or bytes as they are, on a line."""
    return (message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n"


def opened(*messages: Any) -> list[Any]:
    """A conversation of the legacy era."""
    return [INITIALIZE, INITIALIZED, *messages]


def converse(
    messages: Sequence[Any],
    environment: Mapping[str, str],
    *arguments: str,
    file: Path | None = None,
    cut: int = 0,
    seconds: float = 60,
) -> "Answered":
    """Write all messages to a server and close; with `file`, from a file. `cut` drops so many bytes at the end."""
    text = b"".join(map(line_of, messages))
    text = text[: len(text) - cut]
    command, surroundings = [*COMMAND, *arguments], {**os.environ, **environment}
    if file is None:
        ended = subprocess.run(command, input=text, capture_output=True, check=False, env=surroundings, timeout=seconds)
    else:
        file.write_bytes(text)
        with open(file, "rb") as source:
            ended = subprocess.run(
                command, stdin=source, capture_output=True, check=False, env=surroundings, timeout=seconds
            )
    return Answered(ended)


class Answered:
    """What came of it."""

    def __init__(self, ended: "subprocess.CompletedProcess[bytes]") -> None:
        self.code = ended.returncode
        self.stderr = ended.stderr.decode()
        assert not ended.stdout or ended.stdout.endswith(b"\n")
        self.messages: list[dict[str, Any]] = [json.loads(line) for line in ended.stdout.splitlines()]

    def of(self, number: Any) -> dict[str, Any]:
        """The one answer with this number."""
        found = [message for message in self.messages if "method" not in message and message.get("id") == number]
        found = [message for message in found if type(message["id"]) is type(number)]
        assert len(found) == 1, (number, self.messages, self.stderr)
        return found[0]

    def text(self, number: Any) -> str:
        """The text of the reply to a call."""
        return str(self.of(number)["result"]["content"][0]["text"])

    @property
    def errors(self) -> list[tuple[Any, int]]:
        """(number, code) of each JSON-RPC error."""
        return [(message["id"], message["error"]["code"]) for message in self.messages if "error" in message]
