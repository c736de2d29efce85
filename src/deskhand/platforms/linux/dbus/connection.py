"""One D-Bus connection: calls go out in batches, answers are matched as they come, and none is waited for for ever."""

import math
import select
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from deskhand.platforms.linux.dbus import message, wire
from deskhand.platforms.linux.dbus.address import connect
from deskhand.platforms.linux.dbus.errors import BusError, ConnectionLost, Unanswered

# More calls than this are never on their way at once: a peer that reads slowly would fill both socket buffers, and
# at-spi peers drop their answers when theirs is full.
_WINDOW: Final = 400
_RECEIVE: Final = 1 << 18
_LONGEST_MESSAGE: Final = 1 << 27
# A peer that takes nothing more is not given more; what it was being sent has to be finished first.
_MOST_UNSENT: Final = 1 << 20


class Call(NamedTuple):
    """One method call. `arguments` are the body's values, or its finished bytes."""

    destination: str
    path: str
    interface: str
    member: str
    signature: str = ""
    arguments: Sequence[Any] | bytes = ()


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
        """What it says. Raises MalformedMessage."""
        return wire.read_body(self.signature, self.body)


_NOT_YET: Final = Unanswered("no answer in time")


@dataclass(slots=True)
class _Batch:
    """The answers of one `batch` call while they arrive."""

    first: int
    calls: Sequence[Call]
    answers: list[Any] = field(init=False)
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.answers = [_NOT_YET] * len(self.calls)
        self.left = len(self.calls)


class Connection:
    """A connection to a bus, or straight to a peer (`peer=True`: no bus daemon answers there).

    Not for two threads at once. Raises ConnectionLost from every method once the other side has gone.
    """

    def __init__(self, address: str, *, peer: bool = False, timeout: float = 2.0) -> None:
        self.address = address
        self._serial = 0
        self._incoming = bytearray()
        self._outgoing = bytearray()
        self._needed = 16
        self._signatures: dict[bytes, str] = {}
        self._late: dict[int, str] = {}
        self._silent: set[str] = set()
        self._batch: _Batch | None = None
        self.silence = 0.0
        """For how many seconds nothing had been answered when the last `batch` was given up; 0 where it was whole."""
        self.signals: deque[Signal] = deque(maxlen=10_000)
        self._socket = connect(address, timeout)
        self._socket.setblocking(False)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self.name = ""
        if not peer:
            self.name = self._say_hello(timeout)

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

    def batch(self, calls: Sequence[Call], *, timeout: float = 2.0, silence: float = math.inf) -> list[Any]:
        """Ask many things at once; the answers in the order of the calls.

        A BusError or Unanswered stands where a call failed. What has come is returned after `timeout` seconds, or when
        no answer has come for `silence` seconds.
        """
        batch = _Batch(self._serial + 1, calls)
        self._batch = batch
        heard = time.monotonic()
        deadline = heard + timeout
        sent, before = 0, 0
        try:
            while batch.left:
                answered = len(calls) - batch.left
                if answered != before:
                    before, heard = answered, time.monotonic()
                if sent < len(calls) and sent - answered <= _WINDOW // 2 and len(self._outgoing) < _MOST_UNSENT:
                    until = min(len(calls), answered + _WINDOW)
                    self._send(b"".join(map(self._encode, calls[sent:until])))
                    sent = until
                if not self._exchange(min(deadline, heard + silence) - time.monotonic()):
                    break
        finally:
            self._batch = None
            self.silence = time.monotonic() - heard if batch.left else 0.0
            if batch.left:
                self._note_late(batch, sent)
        return batch.answers

    def send(self, call: Call) -> None:
        """Say something whose answer nobody waits for."""
        fields = message.call_fields(call.destination, call.interface, call.member, call.signature)
        self._serial += 1
        self._send(message.call_message(self._serial, call.path, fields, _body(call), expects_reply=False))

    def wait(self, timeout: float) -> bool:
        """Read what comes within `timeout` seconds; False when nothing did."""
        return self._exchange(timeout)

    def is_silent(self, destination: str) -> bool:
        """Whether this destination has answered nothing since a call to it was given up on."""
        while self._silent and self._exchange(0):
            pass
        return destination in self._silent

    def _say_hello(self, timeout: float) -> str:
        try:
            return str(self.call(_HELLO, timeout=timeout))
        except BaseException:
            self.close()
            raise

    def _note_late(self, batch: _Batch, sent: int) -> None:
        for index, call in enumerate(batch.calls[:sent]):
            if batch.answers[index] is _NOT_YET:
                self._late[batch.first + index] = call.destination
                self._silent.add(call.destination)

    # ------------------------------------------------------------ bytes

    def _encode(self, call: Call) -> bytes:
        fields = message.call_fields(call.destination, call.interface, call.member, call.signature)
        self._serial += 1
        return message.call_message(self._serial, call.path, fields, _body(call))

    def _send(self, data: bytes) -> None:
        """Send what the other side takes now; the rest goes out as it takes more, in `_exchange`."""
        self._outgoing += data
        self._send_more()

    def _send_more(self) -> None:
        while self._outgoing:
            try:
                sent = self._socket.send(self._outgoing)
            except BlockingIOError:
                break
            except OSError as error:
                raise ConnectionLost(f"the D-Bus connection was lost: {error}") from None
            del self._outgoing[:sent]
        self._poll.modify(self._socket, select.POLLIN | (select.POLLOUT if self._outgoing else 0))

    def _exchange(self, timeout: float) -> bool:
        """Take what the other side says and send what it takes; False when it did neither in time."""
        ready = self._poll.poll(timeout * 1000) if timeout >= 0 else []
        if not ready:
            return False
        # Both: two sides that only write, because both have much to say, would wait for each other.
        if ready[0][1] & select.POLLOUT:
            self._send_more()
        if ready[0][1] & ~select.POLLOUT:
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
        if len(self._incoming) >= self._needed:
            try:
                self._take_messages()
            except wire.MalformedMessage as error:
                raise ConnectionLost(f"the other side does not speak D-Bus: {error}") from None

    def _take_messages(self) -> None:
        data = bytes(self._incoming)
        at, size = 0, len(data)
        self._needed = 16
        while size - at >= 16:
            order, kind, _flags, _version, body_length, _serial, field_length = message.FIXED_HEADER.unpack_from(
                data, at
            )
            if order != message.LITTLE_ENDIAN or body_length + field_length > _LONGEST_MESSAGE:
                raise wire.MalformedMessage("not a little-endian message of a length that is allowed")
            fields_end = at + 16 + field_length
            body_start = (fields_end + 7 - at & ~7) + at
            body_end = body_start + body_length
            if size < body_end:
                self._needed = body_end - at
                break
            if kind in (message.METHOD_RETURN, message.ERROR):
                self._take_answer(kind, data[at + 16 : fields_end], data[body_start:body_end])
            elif kind == message.SIGNAL:
                self._take_signal(data[at + 16 : fields_end], data[body_start:body_end])
            at = body_end
        del self._incoming[:at]

    def _take_answer(self, kind: int, fields: bytes, body: bytes) -> None:
        serial, signature, error_name = self._answer_fields(kind, fields)
        batch = self._batch
        if batch is None or not 0 <= serial - batch.first < len(batch.answers):
            if serial in self._late:
                self._silent.discard(self._late.pop(serial))
            return
        index = serial - batch.first
        if batch.answers[index] is not _NOT_YET:
            return
        batch.left -= 1
        if self._silent:
            self._silent.discard(batch.calls[index].destination)
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
        if kind == message.METHOD_RETURN and fields[:4] == b"\5\1u\0":
            rest = fields[8:]
            signature = self._signatures.get(rest)
            if signature is None:
                signature = _text(message.read_fields(fields), message.SIGNATURE)
                if len(self._signatures) < _WINDOW:
                    self._signatures[rest] = signature
            return int.from_bytes(fields[4:8], "little"), signature, None
        found = message.read_fields(fields)
        error_name = _text(found, message.ERROR_NAME) or "unnamed error" if kind == message.ERROR else None
        serial = found.get(message.REPLY_SERIAL, 0)
        if not isinstance(serial, int):
            raise wire.MalformedMessage("the head of an answer does not say what it answers")
        return serial, _text(found, message.SIGNATURE), error_name

    def _take_signal(self, fields: bytes, body: bytes) -> None:
        found = message.read_fields(fields)
        self.signals.append(
            Signal(
                sender=_text(found, message.SENDER),
                path=_text(found, message.PATH),
                interface=_text(found, message.INTERFACE),
                member=_text(found, message.MEMBER),
                signature=_text(found, message.SIGNATURE),
                body=body,
            )
        )


def _text(fields: dict[int, Any], code: int) -> str:
    value = fields.get(code, "")
    if not isinstance(value, str):
        raise wire.MalformedMessage("a field in the head of a message is not of its type")
    return value


def _body(call: Call) -> bytes:
    if isinstance(call.arguments, bytes):
        return call.arguments
    return wire.write_body(call.signature, call.arguments) if call.signature else b""


_BUS: Final = "org.freedesktop.DBus"
_HELLO: Final = Call(_BUS, "/org/freedesktop/DBus", _BUS, "Hello")
