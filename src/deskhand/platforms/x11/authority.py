"""Connecting to an X server with the key that lies in an Xauthority file."""

import os
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import xcffib

_COOKIE_NAME: Final = b"MIT-MAGIC-COOKIE-1"


def connect(display: str, environment: Mapping[str, str]) -> Any:
    """Connect with the key that an environment names, or with the one that libxcb finds in the user's files.

    Raises xcffib.ConnectionException.
    """
    cookie = _cookie(environment)
    if cookie is None:
        return xcffib.connect(display)
    # Not by xcffib.connect(auth=…): 1.13 lets go of the key's memory before libxcb has read it.
    ffi, lib = xcffib.ffi, xcffib.lib
    name, data = ffi.new("char[]", _COOKIE_NAME), ffi.new("char[]", cookie)
    authorization = ffi.new("xcb_auth_info_t *")
    authorization.name, authorization.namelen = name, len(_COOKIE_NAME)
    authorization.data, authorization.datalen = data, len(cookie)
    screen = ffi.new("int *")
    pointer = lib.xcb_connect_to_display_with_auth_info(display.encode(), authorization, screen)
    if (error := lib.xcb_connection_has_error(pointer)) != 0:
        lib.xcb_disconnect(pointer)
        raise xcffib.ConnectionException(error)
    connection = xcffib.wrap(pointer)
    connection.pref_screen = screen[0]
    return connection


def _cookie(environment: Mapping[str, str]) -> bytes | None:
    """The key for a display of our own; None leaves it to libxcb to find the user's."""
    path = environment.get("XAUTHORITY")
    if environment is os.environ or not path:
        return None
    number = environment["DISPLAY"].rpartition(":")[2].partition(".")[0].encode()
    try:
        entries = list(_authority_entries(Path(path).read_bytes()))
    except (OSError, struct.error):
        return None
    keys = (data for entry_number, name, data in entries if name == _COOKIE_NAME and entry_number in (b"", number))
    return next(keys, None)


def _authority_entries(content: bytes) -> Iterable[tuple[bytes, bytes, bytes]]:
    """(display number, protocol, key) of each entry of an Xauthority file (Xau, "File Format")."""
    at = 0
    while at + 2 <= len(content):
        at += 2
        parts: list[bytes] = []
        for _ in range(4):
            (length,) = struct.unpack_from(">H", content, at)
            parts.append(content[at + 2 : at + 2 + length])
            at += 2 + length
        yield parts[1], parts[2], parts[3]
