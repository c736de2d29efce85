"""D-Bus values as bytes and back, and the layout of a message.

Source: the D-Bus specification 0.42, sections "Marshaling" and "Message Protocol". Only the little-endian form is
read: both ends of a connection run on one machine, and every library writes in the machine's own order.
"""

import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

METHOD_CALL: Final = 1
METHOD_RETURN: Final = 2
ERROR: Final = 3
SIGNAL: Final = 4

PATH: Final = 1
INTERFACE: Final = 2
MEMBER: Final = 3
ERROR_NAME: Final = 4
REPLY_SERIAL: Final = 5
DESTINATION: Final = 6
SENDER: Final = 7
SIGNATURE: Final = 8

FIXED_HEADER: Final = struct.Struct("<BBBBIII")
LITTLE_ENDIAN: Final = ord("l")

_u32 = struct.Struct("<I").unpack_from
_i32 = struct.Struct("<i").unpack_from
_SIZES: Final = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d", "h": "I"}
_ALIGNMENTS: Final = {"y": 1, "g": 1, "v": 1, "n": 2, "q": 2, "x": 8, "t": 8, "d": 8, "(": 8, "{": 8}

Reader = Callable[[bytes, int], tuple[Any, int]]


class MalformedMessage(Exception):
    """Raised when bytes from the other side are not a D-Bus message this client reads."""


@cache
def split_signature(signature: str) -> tuple[str, ...]:
    """The complete types a signature is made of: `"sa{sv}(ii)"` → `("s", "a{sv}", "(ii)")`."""
    parts: list[str] = []
    start = 0
    while start < len(signature):
        end = _end_of_type(signature, start)
        parts.append(signature[start:end])
        start = end
    return tuple(parts)


def _end_of_type(signature: str, at: int) -> int:
    while signature[at] == "a":
        at += 1
    if signature[at] not in "({":
        return at + 1
    depth = 0
    while True:
        depth += (signature[at] in "({") - (signature[at] in ")}")
        at += 1
        if depth == 0:
            return at


# ---------------------------------------------------------------- reading


def read_body(signature: str, body: bytes) -> tuple[Any, ...]:
    """The values of a message body.

    Raises MalformedMessage where the bytes do not hold what the signature says.
    """
    values: list[Any] = []
    at = 0
    try:
        for reader in _readers(signature):
            value, at = reader(body, at)
            values.append(value)
    except (struct.error, IndexError, UnicodeDecodeError, KeyError) as error:
        raise MalformedMessage(f"a body of signature {signature!r} cannot be read: {error}") from None
    return tuple(values)


@cache
def _readers(signature: str) -> tuple[Reader, ...]:
    return tuple(_reader(part) for part in split_signature(signature))


@cache
def _reader(kind: str) -> Reader:
    code = kind[0]
    if code in "so":
        return _read_string
    if code == "g":
        return _read_signature
    if code == "b":
        return _read_boolean
    if code == "v":
        return _read_variant
    if code == "a":
        return _array_reader(kind[1:])
    if code in "({":
        return _struct_reader(split_signature(kind[1:-1]))
    return _number_reader(code)


def _read_string(data: bytes, at: int) -> tuple[str, int]:
    at = (at + 3) & ~3
    end = at + 4 + _u32(data, at)[0]
    return str(data[at + 4 : end], "utf-8", "replace"), end + 1


def _read_signature(data: bytes, at: int) -> tuple[str, int]:
    end = at + 1 + data[at]
    return str(data[at + 1 : end], "ascii"), end + 1


def _read_boolean(data: bytes, at: int) -> tuple[bool, int]:
    at = (at + 3) & ~3
    return _u32(data, at)[0] != 0, at + 4


def _read_variant(data: bytes, at: int) -> tuple[Any, int]:
    kind, at = _read_signature(data, at)
    return _reader(kind)(data, at)


def _number_reader(code: str) -> Reader:
    layout = struct.Struct("<" + _SIZES[code])
    unpack, size = layout.unpack_from, layout.size

    def read(data: bytes, at: int) -> tuple[Any, int]:
        at = (at + size - 1) & -size
        return unpack(data, at)[0], at + size

    return read


def _array_reader(item: str) -> Reader:
    alignment = _ALIGNMENTS.get(item[0], 4)
    if item[0] in "iud":
        return _number_array_reader(item, alignment)
    read_item = _reader(item)
    as_mapping = item[0] == "{"

    def read(data: bytes, at: int) -> tuple[Any, int]:
        at = (at + 3) & ~3
        length = _u32(data, at)[0]
        at = (at + 4 + alignment - 1) & -alignment
        end = at + length
        items: list[Any] = []
        while at < end:
            value, at = read_item(data, at)
            items.append(value)
        return (dict(items) if as_mapping else items), at

    return read


def _number_array_reader(code: str, alignment: int) -> Reader:
    size = struct.calcsize("<" + _SIZES[code])

    def read(data: bytes, at: int) -> tuple[Any, int]:
        at = (at + 3) & ~3
        length = _u32(data, at)[0]
        at = (at + 4 + alignment - 1) & -alignment
        return list(struct.unpack_from(f"<{length // size}{_SIZES[code]}", data, at)), at + length

    return read


def _struct_reader(parts: Sequence[str]) -> Reader:
    if all(part == "i" for part in parts):
        layout = struct.Struct(f"<{len(parts)}i")

        def read_integers(data: bytes, at: int) -> tuple[Any, int]:
            at = (at + 7) & ~7
            return layout.unpack_from(data, at), at + layout.size

        return read_integers
    readers = tuple(_reader(part) for part in parts)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        at = (at + 7) & ~7
        values: list[Any] = []
        for reader in readers:
            value, at = reader(data, at)
            values.append(value)
        return tuple(values), at

    return read


# ---------------------------------------------------------------- writing


def write_body(signature: str, values: Sequence[Any]) -> bytes:
    """The bytes of a message body. A variant is given as `(signature, value)`."""
    out = bytearray()
    for kind, value in zip(split_signature(signature), values, strict=True):
        _write(out, kind, value)
    return bytes(out)


def _write(out: bytearray, kind: str, value: Any) -> None:
    code = kind[0]
    if code in "so":
        encoded = value.encode("utf-8")
        _pad(out, 4)
        out += struct.pack("<I", len(encoded)) + encoded + b"\0"
    elif code == "g":
        encoded = value.encode("ascii")
        out += bytes([len(encoded)]) + encoded + b"\0"
    elif code == "b":
        _pad(out, 4)
        out += struct.pack("<I", bool(value))
    elif code == "v":
        inner, content = value
        _write(out, "g", inner)
        _write(out, inner, content)
    elif code == "a":
        _write_array(out, kind[1:], value)
    elif code in "({":
        _pad(out, 8)
        for part, item in zip(split_signature(kind[1:-1]), value, strict=True):
            _write(out, part, item)
    else:
        layout = "<" + _SIZES[code]
        _pad(out, struct.calcsize(layout))
        out += struct.pack(layout, value)


def _write_array(out: bytearray, item: str, values: Any) -> None:
    _pad(out, 4)
    length_at = len(out)
    out += b"\0\0\0\0"
    _pad(out, _ALIGNMENTS.get(item[0], 4))
    start = len(out)
    for value in values.items() if isinstance(values, dict) else values:
        _write(out, item, value)
    struct.pack_into("<I", out, length_at, len(out) - start)


def _pad(out: bytearray, alignment: int) -> None:
    out += b"\0" * (-len(out) % alignment)


# ---------------------------------------------------------------- messages


@cache
def call_fields(destination: str, interface: str, member: str, signature: str) -> bytes:
    """The header fields of a method call that stay the same from object to object (all but its path)."""
    out = bytearray()
    if destination:
        out += _string_field(DESTINATION, destination)
    out += _string_field(INTERFACE, interface)
    if signature:
        out += _string_field(MEMBER, member)
        encoded = signature.encode("ascii")
        out += bytes([SIGNATURE, 1]) + b"g\0" + bytes([len(encoded)]) + encoded + b"\0"
    else:
        out += _string_field(MEMBER, member, last=True)
    return bytes(out)


def _string_field(code: int, value: str, *, last: bool = False) -> bytes:
    encoded = value.encode("utf-8")
    field = bytes([code, 1]) + b"s\0" + struct.pack("<I", len(encoded)) + encoded + b"\0"
    return field if last else field + b"\0" * (-len(field) % 8)


def call_message(serial: int, path: str, fields: bytes, body: bytes, *, expects_reply: bool = True) -> bytes:
    """A whole method call; `fields` come from `call_fields`."""
    encoded = path.encode("utf-8")
    path_field = b"\1\1o\0" + struct.pack("<I", len(encoded)) + encoded + b"\0"
    path_field += b"\0" * (-len(path_field) % 8)
    length = len(path_field) + len(fields)
    head = FIXED_HEADER.pack(LITTLE_ENDIAN, METHOD_CALL, 0 if expects_reply else 1, 1, len(body), serial, length)
    return head + path_field + fields + b"\0" * (-length % 8) + body


def read_fields(fields: bytes) -> dict[int, Any]:
    """The header fields of a message, by code."""
    found: dict[int, Any] = {}
    at = 0
    while at < len(fields):
        at = (at + 7) & ~7
        if at >= len(fields):
            break
        code = fields[at]
        found[code], at = _read_variant(fields, at + 1)
    return found
