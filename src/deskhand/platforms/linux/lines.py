"""Lines of JSON over a stream socket: how deskhand talks with the small processes it starts."""

import json
import select
import socket
import time
from collections.abc import Mapping
from typing import Any


class LineSocket:
    """One end of such a conversation. Its methods raise EOFError when the other end has gone."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._incoming = bytearray()
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, message: Mapping[str, Any]) -> None:
        """Say something."""
        try:
            self._socket.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise EOFError(str(error)) from None

    def mention(self, message: Mapping[str, Any]) -> None:
        """Say something that may get lost: it does where the other end has left much unread."""
        try:
            self._socket.send(json.dumps(message).encode() + b"\n", socket.MSG_DONTWAIT)  # a short line goes whole
        except BlockingIOError:
            pass
        except OSError as error:
            raise EOFError(str(error)) from None

    def receive(self, seconds: float) -> dict[str, Any] | None:
        """The next thing said, None where nothing was within so many seconds."""
        deadline = time.monotonic() + seconds
        searched = 0
        while (end := self._incoming.find(b"\n", searched)) < 0:
            searched = len(self._incoming)
            left = deadline - time.monotonic()
            if left < 0 or not self._poll.poll(left * 1000):
                return None
            try:
                data = self._socket.recv(1 << 16)
            except OSError as error:
                raise EOFError(str(error)) from None
            if not data:
                raise EOFError("the other process has ended")
            self._incoming += data
        line = bytes(self._incoming[:end])
        del self._incoming[: end + 1]
        message: dict[str, Any] = json.loads(line)
        return message

    @property
    def has_more(self) -> bool:
        """Whether something already said has not been received yet."""
        return b"\n" in self._incoming

    def close(self) -> None:
        self._socket.close()
