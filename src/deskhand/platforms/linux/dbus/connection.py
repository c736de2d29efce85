"""One D-Bus connection: calls go out in batches, answers are matched as they come, and none is waited for for ever."""

import contextlib
import os
import re
import select
import socket
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from deskhand.platforms.linux.dbus import wire

# More calls than this are never on their way at once: a peer that reads slowly would fill both socket buffers, and
# at-spi peers drop their answers when theirs is full.
_WINDOW: Final = 400
_RECEIVE: Final = 1 << 18
_LONGEST_MESSAGE: Final = 1 << 27


class Call(NamedTuple):
    """One method call. `arguments` are the body's values, or its finished bytes."""

    destination: str
    path: str
    interface: str
    member: str
    signature: str = ""
    arguments: Sequence[Any] | bytes = ()


class ConnectionLost(Exception):
    """Raised when the bus or the peer has gone."""


class BusError(Exception):
    """An error answer: `name` is the D-Bus error name, the message is the peer's."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name


class Unanswered(Exception):
    """Stands where an answer would be that did not come in time."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal as it came."""

    sender: str
    path: str
    interface: str
    member: str
    signature: str
    body: bytes

    @property
    def values(self) -> tuple[Any, ...]:
        return wire.read_body(self.signature, self.body)


@dataclass(slots=True)
class _Batch:
    """The answers of one `batch` call while they arrive."""

    first: int
    answers: list[Any]
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = len(self.answers)


_NOT_YET: Final = Unanswered("no answer in time")


class Connection:
    """A connection to a bus, or straight to a peer (`peer=True`: no bus daemon answers there).

    Not for two threads at once. Raises ConnectionLost from every method once the other side has gone.
    """

    def __init__(self, address: str, *, peer: bool = False, timeout: float = 2.0) -> None:
        self.address = address
        self._serial = 0
        self._incoming = bytearray()
        self._signatures: dict[bytes, str] = {}
        self._late: dict[int, str] = {}
        self._batch: _Batch | None = None
        self.signals: deque[Signal] = deque(maxlen=10_000)
        self._socket = _connect(address, timeout)
        self._socket.setblocking(False)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self.name = ""
        if not peer:
            self.name = self.call(_bus("Hello"), timeout=timeout)

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def call(self, call: Call, *, timeout: float = 2.0) -> Any:
        """Ask one thing: the answer's only value, or a tuple of them.

        Raises BusError for an error answer, Unanswered where none came within `timeout` seconds.
        """
        answer = self.batch([call], timeout=timeout)[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def batch(self, calls: Sequence[Call], *, timeout: float = 2.0) -> list[Any]:
        """Ask many things at once; the answers in the order of the calls.

        A BusError or Unanswered stands where a call failed. After `timeout` seconds what has come is returned.
        """
        batch = _Batch(self._serial + 1, [_NOT_YET] * len(calls))
        self._batch = batch
        deadline = time.monotonic() + timeout
        sent = 0
        try:
            while batch.left:
                answered = len(calls) - batch.left
                if sent < len(calls) and sent - answered <= _WINDOW // 2:
                    until = min(len(calls), answered + _WINDOW)
                    self._send(b"".join(map(self._encode, calls[sent:until])), deadline)
                    sent = until
                if not self._receive(deadline - time.monotonic()):
                    break
        finally:
            self._batch = None
            if batch.left:
                self._note_late(calls[:sent], batch)
        return batch.answers

    def send(self, call: Call) -> None:
        """Say something whose answer nobody waits for."""
        fields = wire.call_fields(call.destination, call.interface, call.member, call.signature)
        self._serial += 1
        message = wire.call_message(self._serial, call.path, fields, _body(call), expects_reply=False)
        self._send(message, time.monotonic() + 2.0)

    def wait(self, timeout: float) -> bool:
        """Read what comes within `timeout` seconds; False when nothing did."""
        return self._receive(timeout)

    def owes(self, destination: str) -> bool:
        """Whether this destination still has not answered a call that was given up on."""
        while self._late and self._receive(0):
            pass
        return destination in self._late.values()

    def _note_late(self, calls: Sequence[Call], batch: _Batch) -> None:
        for index, call in enumerate(calls):
            if batch.answers[index] is _NOT_YET:
                self._late[batch.first + index] = call.destination

    # ------------------------------------------------------------ bytes

    def _encode(self, call: Call) -> bytes:
        fields = wire.call_fields(call.destination, call.interface, call.member, call.signature)
        self._serial += 1
        return wire.call_message(self._serial, call.path, fields, _body(call))

    def _send(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[self._socket.send(view) :]
            except BlockingIOError:
                self._wait_writable(deadline)
            except OSError as error:
                raise ConnectionLost(f"the D-Bus connection was lost: {error}") from None

    def _wait_writable(self, deadline: float) -> None:
        self._poll.modify(self._socket, select.POLLIN | select.POLLOUT)
        try:
            # A peer that does not read while it has much to say would block both sides: read between the writes.
            left = deadline - time.monotonic()
            ready = self._poll.poll(max(0.0, left) * 1000)
            if not ready:
                raise ConnectionLost("the D-Bus connection does not take more calls")
            if ready[0][1] & select.POLLIN:
                self._take_bytes()
        finally:
            self._poll.modify(self._socket, select.POLLIN)

    def _receive(self, timeout: float) -> bool:
        if timeout < 0 or not self._poll.poll(timeout * 1000):
            return False
        self._take_bytes()
        return True

    def _take_bytes(self) -> None:
        try:
            data = self._socket.recv(_RECEIVE)
        except BlockingIOError:
            return
        except OSError as error:
            raise ConnectionLost(f"the D-Bus connection was lost: {error}") from None
        if not data:
            raise ConnectionLost("the other side closed the D-Bus connection")
        self._incoming += data
        self._take_messages()

    def _take_messages(self) -> None:
        data = bytes(self._incoming)
        at, size = 0, len(data)
        while size - at >= 16:
            order, kind, _flags, _version, body_length, _serial, field_length = wire.FIXED_HEADER.unpack_from(data, at)
            if order != wire.LITTLE_ENDIAN or body_length + field_length > _LONGEST_MESSAGE:
                raise ConnectionLost("the other side does not speak little-endian D-Bus")
            fields_end = at + 16 + field_length
            body_start = (fields_end + 7 - at & ~7) + at
            if size < body_start + body_length:
                break
            body_end = body_start + body_length
            if kind in (wire.METHOD_RETURN, wire.ERROR):
                self._take_answer(kind, data[at + 16 : fields_end], data[body_start:body_end])
            elif kind == wire.SIGNAL:
                self._take_signal(data[at + 16 : fields_end], data[body_start:body_end])
            at = body_end
        del self._incoming[:at]

    def _take_answer(self, kind: int, fields: bytes, body: bytes) -> None:
        serial, signature, error_name = self._answer_fields(kind, fields)
        batch = self._batch
        if batch is None or not 0 <= serial - batch.first < len(batch.answers):
            self._late.pop(serial, None)
            return
        index = serial - batch.first
        if batch.answers[index] is not _NOT_YET:
            return
        batch.left -= 1
        try:
            values = wire.read_body(signature, body)
        except wire.MalformedMessage as error:
            batch.answers[index] = BusError("org.freedesktop.DBus.Error.InconsistentMessage", str(error))
            return
        if error_name is None:
            batch.answers[index] = values[0] if len(values) == 1 else values
        else:
            batch.answers[index] = BusError(error_name, str(values[0]) if values else "")

    def _answer_fields(self, kind: int, fields: bytes) -> tuple[int, str, str | None]:
        # Answers of one connection differ in nothing but the serial they answer, which every library writes first:
        # the rest is parsed once and remembered.
        if kind == wire.METHOD_RETURN and fields[:4] == b"\5\1u\0":
            rest = fields[8:]
            signature = self._signatures.get(rest)
            if signature is None:
                signature = wire.read_fields(fields).get(wire.SIGNATURE, "")
                self._signatures[rest] = signature
            return int.from_bytes(fields[4:8], "little"), signature, None
        found = wire.read_fields(fields)
        error_name = found.get(wire.ERROR_NAME, "unnamed error") if kind == wire.ERROR else None
        return found.get(wire.REPLY_SERIAL, 0), found.get(wire.SIGNATURE, ""), error_name

    def _take_signal(self, fields: bytes, body: bytes) -> None:
        found = wire.read_fields(fields)
        self.signals.append(
            Signal(
                sender=found.get(wire.SENDER, ""),
                path=found.get(wire.PATH, ""),
                interface=found.get(wire.INTERFACE, ""),
                member=found.get(wire.MEMBER, ""),
                signature=found.get(wire.SIGNATURE, ""),
                body=body,
            )
        )


def _body(call: Call) -> bytes:
    if isinstance(call.arguments, bytes):
        return call.arguments
    return wire.write_body(call.signature, call.arguments) if call.signature else b""


def _bus(member: str, signature: str = "", arguments: Sequence[Any] = ()) -> Call:
    name = "org.freedesktop.DBus"
    return Call(name, "/org/freedesktop/DBus", name, member, signature, arguments)


def _connect(address: str, timeout: float) -> socket.socket:
    """Open the first address of a D-Bus address list that answers, and authenticate as this user."""
    last: Exception | None = None
    for alternative in address.split(";"):
        match = re.search(r"(path|abstract)=([^,;]+)", alternative)
        if match is None:
            continue
        where = re.sub(r"%([0-9A-Fa-f]{2})", lambda hexadecimal: chr(int(hexadecimal[1], 16)), match[2])
        try:
            return _authenticate("\0" + where if match[1] == "abstract" else where, timeout)
        except (OSError, ConnectionLost) as error:
            last = error
    raise ConnectionLost(f"cannot connect to D-Bus at {address!r}: {last or 'no unix address in it'}")


def _authenticate(where: str, timeout: float) -> socket.socket:
    """SASL EXTERNAL: the kernel tells the other side who we are."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with contextlib.ExitStack() as undo:
        undo.callback(connection.close)
        connection.settimeout(timeout)
        connection.connect(where)
        connection.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        answer = connection.recv(4096)
        if not answer.startswith(b"OK"):
            raise ConnectionLost(f"authentication was refused: {answer[:60]!r}")
        connection.sendall(b"BEGIN\r\n")
        undo.pop_all()
    return connection
