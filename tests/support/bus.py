"""A bus of a test's own, and a small service that answers as it is told: at once, late, never, or nonsense."""

import contextlib
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import quote

from deskhand.platforms.linux.dbus import message, wire
from deskhand.platforms.linux.dbus.address import connect

NAME: Final = "org.example.Service"
FACE: Final = "org.example.Face"
PATH: Final = "/org/example/object"


@contextlib.contextmanager
def private_bus(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A dbus-daemon of one's own: its address and its process."""
    address = f"unix:dir={quote(str(folder))}"
    command = ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}", "--print-address"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().decode().strip(), process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class Service:
    """The other end of a connection, in a thread of its own.

    `Echo` answers with its argument; `Never` does not answer; `Later` answers when `release` is called; `Refuse`
    answers with an error; `Broken` with bytes that its signature does not fit; `Garbage` with what is no D-Bus;
    `Stop` makes it read nothing more until `release`; `Quit` closes the connection.
    """

    def __init__(self, channel: socket.socket) -> None:
        channel.settimeout(None)
        self._channel = channel
        self._serial = 0
        self._released = threading.Event()
        self._waiting: list[Callable[[], None]] = []
        self.heard: list[str] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @classmethod
    def on_bus(cls, address: str) -> Self:
        """A service that has the well-known name on a bus."""
        service = cls(connect(address, 10))
        service._call("Hello")
        service._call("RequestName", "su", (NAME, 0))
        service._thread.start()
        return service

    @classmethod
    def on_socket(cls, listener: socket.socket) -> Self:
        """A peer: answers the first who connects, without a bus between."""
        service = cls(_accepted(listener))
        service._thread.start()
        return service

    def release(self) -> None:
        """Answer what waits, and read on."""
        self._released.set()
        for answer in self._waiting:
            answer()
        self._waiting.clear()

    def signal(self, member: str, signature: str, values: Sequence[Any], sender: str = "") -> None:
        """Say something to everybody."""
        fields = [(message.PATH, ("o", PATH)), (message.INTERFACE, ("s", FACE)), (message.MEMBER, ("s", member))]
        self._write(message.SIGNAL, fields, signature, wire.write_body(signature, values))

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        self._released.set()
        if self._thread.is_alive():
            self._thread.join(10)
        self._channel.close()

    # ------------------------------------------------------------ inside

    def _call(self, member: str, signature: str = "", values: Sequence[Any] = ()) -> None:
        bus = "org.freedesktop.DBus"
        fields = message.call_fields(bus, bus, member, signature)
        self._serial += 1
        body = wire.write_body(signature, values)
        self._channel.sendall(message.call_message(self._serial, "/org/freedesktop/DBus", fields, body))

    def _serve(self) -> None:
        with contextlib.suppress(OSError, EOFError):
            while True:
                kind, serial, fields, body = self._read()
                if kind == message.METHOD_CALL:
                    self._answer(serial, fields, body)

    def _read(self) -> tuple[int, int, dict[int, Any], bytes]:
        head = self._exactly(16)
        _, kind, _, _, body_length, serial, fields_length = message.FIXED_HEADER.unpack(head)
        fields = self._exactly(fields_length)
        self._exactly(-fields_length % 8)
        return kind, serial, message.read_fields(fields), self._exactly(body_length)

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self._channel.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def _answer(self, serial: int, fields: dict[int, Any], body: bytes) -> None:
        member = fields[message.MEMBER]
        self.heard.append(member)
        signature = fields.get(message.SIGNATURE, "")
        to: list[tuple[int, Any]] = [(message.REPLY_SERIAL, ("u", serial))]
        if message.SENDER in fields:
            to.append((message.DESTINATION, ("s", fields[message.SENDER])))

        def echo() -> None:
            self._write(message.METHOD_RETURN, to, signature, body)

        if member == "Echo":
            echo()
        elif member == "Later":
            self._waiting.append(echo)
        elif member == "Refuse":
            fields_of_error = [*to, (message.ERROR_NAME, ("s", "org.example.Refused"))]
            self._write(message.ERROR, fields_of_error, "s", wire.write_body("s", ["no, thank you"]))
        elif member == "Broken":
            self._write(message.METHOD_RETURN, to, "as", b"\xff\xff\xff\x7f")
        elif member == "Garbage":
            self._channel.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 8)
        elif member == "Stop":
            echo()
            self._released.wait(60)
        elif member == "Quit":
            self._channel.shutdown(socket.SHUT_RDWR)

    def _write(self, kind: int, fields: Sequence[tuple[int, Any]], signature: str, body: bytes) -> None:
        self._serial += 1
        every = [*fields, (message.SIGNATURE, ("g", signature))] if signature else list(fields)
        head = wire.write_body("yyyyuua(yv)", (message.LITTLE_ENDIAN, kind, 1, 1, len(body), self._serial, every))
        self._channel.sendall(head + b"\0" * (-len(head) % 8) + body)


def _accepted(listener: socket.socket) -> socket.socket:
    """The first who connects, once he has said who he is."""
    listener.settimeout(10)
    channel, _ = listener.accept()
    heard = b""
    while b"BEGIN\r\n" not in heard:
        heard += channel.recv(1)
        if heard.endswith(b"\r\n") and heard.startswith(b"\0AUTH") and heard.count(b"\r\n") == 1:
            channel.sendall(b"OK 0123456789abcdef0123456789abcdef\r\n")
    return channel
