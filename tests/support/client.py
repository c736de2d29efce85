"""A plain MCP client: what it writes and reads are the lines themselves, over standard input and output or else."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from queue import Empty, Queue
from typing import Any, Final, Self

_SECONDS: Final = 60.0
META_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
MODERN: Final = {
    META_VERSION: "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Reply(str):
    """The text of a tool's reply, with what else came."""

    is_error: bool
    blocks: list[dict[str, Any]]

    @property
    def fields(self) -> dict[str, str]:
        """Its lines `key: value`, at any depth."""
        pairs = (line.partition(": ") for line in self.splitlines())
        return {key.strip(): value for key, mark, value in pairs if mark}

    @property
    def handle(self) -> str:
        """The handle of the one element in it."""
        return self.fields["handle_id"].strip('"')


class Talk:
    """One client's conversation, whatever carries its lines."""

    def __init__(self) -> None:
        self.notifications: list[dict[str, Any]] = []
        self.unread: list[bytes] = []
        self._number = 0
        self._answers: dict[Any, Queue[dict[str, Any]]] = {}
        self._lock = threading.Lock()

    @property
    def stderr(self) -> str:
        """What the server has said there."""
        return ""

    def write(self, data: bytes) -> None:
        """Give the server these bytes."""
        raise NotImplementedError

    def read_all(self, lines: Iterable[bytes]) -> None:
        """Sort what comes, until its end."""
        for line in lines:
            try:
                message = json.loads(line)
            except ValueError:
                self.unread.append(line)
                continue
            if "id" in message and "method" not in message:
                self._answers.setdefault(message["id"], Queue()).put(message)
            else:
                self.notifications.append(message)

    # ------------------------------------------------------------ lines

    def send_line(self, line: bytes) -> None:
        """Write a raw line."""
        with self._lock:
            self.write(line + b"\n")

    def send(self, method: str, parameters: Mapping[str, Any] | None = None) -> int:
        """Ask something; the number under which `answer` waits."""
        with self._lock:
            self._number += 1
            number = self._number
        self._answers.setdefault(number, Queue())
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": dict(parameters or {})}
        self.send_line(json.dumps(message).encode())
        return number

    def notify(self, method: str, parameters: Mapping[str, Any] | None = None) -> None:
        """Say something that has no answer."""
        self.send_line(json.dumps({"jsonrpc": "2.0", "method": method, "params": dict(parameters or {})}).encode())

    def answer(self, number: Any, seconds: float = _SECONDS) -> dict[str, Any]:
        """The answer to what was asked."""
        try:
            return self._answers.setdefault(number, Queue()).get(timeout=seconds)
        except Empty:
            raise TimeoutError(f"no answer to request {number}; stderr: {self.stderr}") from None

    def has_answer(self, number: Any) -> bool:
        """Whether what was asked has been answered, and `answer` not called."""
        return not self._answers[number].empty()

    def ask(self, method: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Ask and wait."""
        return self.answer(self.send(method, parameters))

    # ------------------------------------------------------------ tools

    def initialize(self, version: str = "2025-06-18") -> dict[str, Any]:
        """Open a conversation of the legacy era."""
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        result = self.ask("initialize", hello)
        self.notify("notifications/initialized")
        return result

    def start_call(self, name: str, **arguments: Any) -> int:
        """Call a tool without waiting."""
        return self.send("tools/call", {"name": name, "arguments": arguments})

    def call(self, name: str, **arguments: Any) -> Reply:
        """Call a tool; its reply, an error too."""
        reply = reply_of(self.answer(self.start_call(name, **arguments)))
        assert not reply.startswith("error: internal error"), (reply, self.stderr)
        return reply

    def replies(self, numbers: Iterable[int]) -> list[Reply]:
        """The replies to calls that were started."""
        return [reply_of(self.answer(number)) for number in numbers]

    def do(self, name: str, **arguments: Any) -> Reply:
        """Call a tool that must succeed."""
        reply = self.call(name, **arguments)
        assert not reply.is_error, reply
        return reply

    def acquire(self, agent: str = "tester", ttl: float = 120) -> str:
        """Take the seat; the session's id."""
        return self.do("acquire_session", agent_id=agent, purpose="test", ttl=ttl).fields["session_id"]


class Client(Talk):
    """One server process and the conversation with it."""

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.environment = {**os.environ, **session_of(environment or {})}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "deskhand", "mcp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )
        self.errors: list[bytes] = []
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def stderr(self) -> str:
        """What the server has said there."""
        return b"".join(self.errors).decode()

    def close(self) -> int:
        """End the conversation as clients do, and wait for the server's end; its exit code."""
        if self.process.stdin and not self.process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            for thread in self._threads:
                thread.join(5)
            for pipe in (self.process.stdout, self.process.stderr):
                if pipe is not None:
                    pipe.close()

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.read_all(self.process.stdout)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors.append(line)


def reply_of(message: dict[str, Any]) -> Reply:
    """The reply in an answer to tools/call."""
    assert "result" in message, message
    result = message["result"]
    reply = Reply("\n".join(block["text"] for block in result["content"] if block["type"] == "text"))
    reply.is_error = result.get("isError", False)
    reply.blocks = result["content"]
    return reply


_SESSION_NAMES: Final = (
    "DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "AT_SPI_BUS_ADDRESS",
    "XDG_SESSION_TYPE",
    "PULSE_SERVER",
)


def session_of(environment: Mapping[str, str]) -> dict[str, str]:
    """What of a desktop's environment a server needs to find that desktop; the rest stays this process's own."""
    return {name: environment[name] for name in _SESSION_NAMES if name in environment}
