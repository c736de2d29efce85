"""D-Bus values as bytes and back.

Source: the D-Bus specification 0.42, section "Marshaling". Only the little-endian form is
read: both ends of a connection run on one machine, and every library writes in the machine's own order.
"""

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

_u32 = struct.Struct("<I").unpack_from
_i32 = struct.Struct("<i").unpack_from
_SIZES: Final = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d", "h": "I"}
_KEYS: Final = frozenset("sogb") | frozenset(_SIZES)
_ALIGNMENTS: Final = {"y": 1, "g": 1, "v": 1, "n": 2, "q": 2, "x": 8, "t": 8, "d": 8, "(": 8, "{": 8}

# The specification's limits: deeper values are refused by every bus, and would only exhaust the stack.
_DEEPEST: Final = 64
_LONGEST_SIGNATURE: Final = 255
_KEPT: Final = 4096

Reader = Callable[[bytes, int], tuple[Any, int]]


class MalformedMessage(Exception):
    """Raised when bytes from the other side are not a D-Bus message this client reads."""


@lru_cache(_KEPT)
def split_signature(signature: str) -> tuple[str, ...]:
    """The complete types a signature is made of: `"sa{sv}(ii)"` → `("s", "a{sv}", "(ii)")`.

    Raises MalformedMessage for what is not a signature.
    """
    if len(signature) > _LONGEST_SIGNATURE:
        raise MalformedMessage(f"a signature of {len(signature)} characters is too long")
    parts: list[str] = []
    start = 0
    while start < len(signature):
        end = _end_of_type(signature, start, 0)
        parts.append(signature[start:end])
        start = end
    return tuple(parts)


def _end_of_type(signature: str, at: int, depth: int) -> int:
    """Where the type that begins at a place ends; checks that it is one."""
    code = signature[at : at + 1]
    if depth <= _DEEPEST:
        if code == "a":
            in_mapping = signature[at + 1 : at + 2] == "{"
            return _end_of_mapping(signature, at, depth) if in_mapping else _end_of_type(signature, at + 1, depth + 1)
        if code == "(":
            return _end_of_struct(signature, at, depth)
        if code and (code in _SIZES or code in "sogbv"):
            return at + 1
    raise MalformedMessage(f"{signature!r} is not a D-Bus signature")


def _end_of_struct(signature: str, at: int, depth: int) -> int:
    end = _end_of_type(signature, at + 1, depth + 1)
    while signature[end : end + 1] != ")":
        end = _end_of_type(signature, end, depth + 1)
    return end + 1


def _end_of_mapping(signature: str, at: int, depth: int) -> int:
    key = at + 2
    end = _end_of_type(signature, key + 1, depth + 2)
    if signature[key] not in _KEYS or signature[end : end + 1] != "}":
        raise MalformedMessage(f"{signature!r} is not a D-Bus signature")
    return end + 1


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
    except UNREADABLE as error:
        raise MalformedMessage(f"a body of signature {signature!r} cannot be read: {error}") from None
    return tuple(values)


# What reading beyond the end of a message, or bytes that are no text, leads to; and values nested too deep.
UNREADABLE: Final = (struct.error, IndexError, UnicodeDecodeError, RecursionError)


@lru_cache(_KEPT)
def _readers(signature: str) -> tuple[Reader, ...]:
    return tuple(_reader(part) for part in split_signature(signature))


@lru_cache(_KEPT)
def _reader(kind: str) -> Reader:
    code = kind[0]
    if code in "so":
        return _read_string
    if code == "g":
        return _read_signature
    if code == "b":
        return _read_boolean
    if code == "v":
        return read_variant
    if code == "a":
        return _array_reader(kind[1:])
    if code in "({":
        return _struct_reader(split_signature(kind[1:-1]))
    return _number_reader(code)


def _read_string(data: bytes, at: int) -> tuple[str, int]:
    at = (at + 3) & ~3
    end = at + 4 + _u32(data, at)[0]
    if data[end]:
        raise MalformedMessage("a string does not end where it says")
    return str(data[at + 4 : end], "utf-8", "replace"), end + 1


def _read_signature(data: bytes, at: int) -> tuple[str, int]:
    end = at + 1 + data[at]
    if data[end]:
        raise MalformedMessage("a signature does not end where it says")
    return str(data[at + 1 : end], "ascii"), end + 1


def _read_boolean(data: bytes, at: int) -> tuple[bool, int]:
    at = (at + 3) & ~3
    return _u32(data, at)[0] != 0, at + 4


def read_variant(data: bytes, at: int) -> tuple[Any, int]:
    kind, at = _read_signature(data, at)
    kinds = split_signature(kind)
    if len(kinds) != 1:
        raise MalformedMessage(f"a variant holds one value, not {kind!r}")
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
        if at != end:
            raise MalformedMessage("an array does not end where it says")
        return (dict(items) if as_mapping else items), at

    return read


def _number_array_reader(code: str, alignment: int) -> Reader:
    size = struct.calcsize("<" + _SIZES[code])

    def read(data: bytes, at: int) -> tuple[Any, int]:
        at = (at + 3) & ~3
        length = _u32(data, at)[0]
        at = (at + 4 + alignment - 1) & -alignment
        if length % size or at + length > len(data):
            raise MalformedMessage("an array does not end where it says")
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
