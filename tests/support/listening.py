"""Servers that listen at a port or a socket, and clients that come to them."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from queue import Empty, Queue
from typing import Any, Self

from tests.support.client import Talk, session_of

Where = tuple[str, int] | Path


class Listening:
    """A server process that has said where it listens."""

    def __init__(self, *arguments: str, environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "deskhand", "mcp", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **session_of(environment)},
        )
        self.errors: list[str] = []
        self._places: Queue[str] = Queue()
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()
        self.where = self.next_place()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def stderr(self) -> str:
        return "".join(self.errors)

    def next_place(self) -> Where:
        """Where it says that it listens."""
        try:
            said = self._places.get(timeout=40)
        except Empty:
            raise TimeoutError(f"it does not listen; stderr: {self.stderr}") from None
        if said.startswith("/"):
            return Path(said)
        host, _, port = said.rpartition(":")
        return host.strip("[]"), int(port)

    def end(self) -> int:
        """End it as a service manager does; its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(30)
        finally:
            self.process.kill()
            self.process.wait()
            self._reader.join(5)
            for pipe in (self.process.stdout, self.process.stderr):
                assert pipe is not None
                pipe.close()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors.append(line.decode())
            if found := re.fullmatch(r"deskhand: listening on (.+)\n", line.decode()):
                self._places.put(found[1])


def connected(where: Where) -> socket.socket:
    """A socket that is connected to a server."""
    if isinstance(where, Path):
        opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        opened.settimeout(40)
        opened.connect(str(where))
        return opened
    return socket.create_connection(where, timeout=40)


def said_to(where: Where, data: bytes, *, half: bool = True) -> list[bytes]:
    """What a server answers to these bytes until it hangs up; `half` says that no more will come."""
    with connected(where) as opened, opened.makefile("rb") as answers:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            opened.sendall(data)
            if half:
                opened.shutdown(socket.SHUT_WR)
        lines: list[bytes] = []
        with contextlib.suppress(ConnectionResetError):
            lines.extend(answers)
        return lines


class Caller(Talk):
    """A client that has come to a server."""

    def __init__(self, where: Where) -> None:
        super().__init__()
        self.socket = connected(where)
        self.socket.settimeout(None)
        self._answered = self.socket.makefile("rb")
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, data: bytes) -> None:
        self.socket.sendall(data)

    def show(self, token: str) -> dict[str, Any]:
        """Show a token; the answer."""
        return self.ask("deskhand/authenticate", {"token": token})

    @property
    def is_over(self) -> bool:
        """Whether the server has hung up."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self._answered.close()
        self.socket.close()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self.read_all(self._answered)
