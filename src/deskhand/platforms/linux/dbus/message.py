"""The layout of a D-Bus message: its head, and the calls that this client writes.

Source: the D-Bus specification 0.42, section "Message Protocol".
"""

import struct
from functools import lru_cache
from typing import Any, Final

from deskhand.platforms.linux.dbus.wire import UNREADABLE, MalformedMessage, read_variant

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


@lru_cache(2048)
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
    """The header fields of a message, by code. Raises MalformedMessage."""
    found: dict[int, Any] = {}
    at = 0
    try:
        while at < len(fields):
            at = (at + 7) & ~7
            if at >= len(fields):
                break
            code = fields[at]
            found[code], at = read_variant(fields, at + 1)
    except UNREADABLE as error:
        raise MalformedMessage(f"the head of a message cannot be read: {error}") from None
    return found
