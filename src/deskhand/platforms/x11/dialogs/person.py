"""What a person does in a window of ours, told apart from what programs send (XInput 2)."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import xcffib
import xcffib.xinput

from deskhand.model.geometry import Point
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.devices import devices, is_of_programs, xinput_of

_ALL_MASTERS: Final = xcffib.xinput.Device.AllMaster
_MASK: Final = xcffib.xinput.XIEventMask
_EXPOSE, _CLIENT_MESSAGE, _DESTROYED, _GENERIC = 12, 33, 17, 35
_KEY_PRESS, _BUTTON_PRESS, _MOTION = 2, 4, 6
_LEFT: Final = 1
_HEAD: Final = struct.Struct("<BxHIHHII12x")
"""Of a device event, up to the place where libxcb puts a number of its own: type, sequence, length, kind, device, time
(not read further), detail."""
_TAIL: Final = struct.Struct("<8xiiHHH")
"""After that number: the place in the window (1/65536 pixels), two lengths, the device it came from."""
_TAIL_AT: Final = 36


@dataclass(frozen=True, slots=True)
class Redraw:
    """The window is to be drawn again."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The window manager was asked to close the window, or has."""


@dataclass(frozen=True, slots=True)
class Key:
    """A person has pressed a key."""

    keycode: int


@dataclass(frozen=True, slots=True)
class Press:
    """A person has pressed the left button here, in pixels of the window, having moved the pointer there."""

    at: Point


Happening = Redraw | Closed | Key | Press


class PersonEvents:
    """What happens in one window, without what programs press there: that counts for nothing.

    Nor does a press where a program has put the pointer: a person who presses at that moment meant something else.
    """

    def __init__(self, server: XServer, window: int) -> None:
        """Raises Unsupported where the server cannot tell a person from a program."""
        self._server = server
        xinput = _xinput(server)
        server.intern(["WM_DELETE_WINDOW"])
        self._programs = devices_of_programs(server)
        masks = [_MASK.KeyPress | _MASK.ButtonPress | _MASK.Motion]
        wanted = [xcffib.xinput.EventMask.synthetic(_ALL_MASTERS, 1, masks)]
        xinput.XISelectEvents(window, 1, wanted, is_checked=True).check()
        self._was_moved_by_person = False

    def take(self) -> Iterator[Happening]:
        """What has happened since the last time."""
        connection = self._server.connection
        connection.invalid()
        while (event := xcffib.lib.xcb_poll_for_event(connection._conn)) != xcffib.ffi.NULL:
            owned = xcffib.ffi.gc(event, xcffib.c_free)
            happening = self._read(owned)
            if happening is not None:
                yield happening
        connection.invalid()

    def _read(self, event: Any) -> Happening | None:
        head = bytes(xcffib.ffi.buffer(event, 32))
        kind = head[0] & 0x7F
        if kind == _EXPOSE:
            return Redraw()
        if kind == _DESTROYED or (kind == _CLIENT_MESSAGE and self._is_wish_to_close(head)):
            return Closed()
        if kind != _GENERIC:
            return None
        _, _, _, device_kind, _, _, detail = _HEAD.unpack(head)
        if device_kind not in (_KEY_PRESS, _BUTTON_PRESS, _MOTION):
            return None
        x, y, _, _, source = _TAIL.unpack_from(bytes(xcffib.ffi.buffer(event, _TAIL_AT + _TAIL.size)), _TAIL_AT)
        is_person = source not in self._programs
        if device_kind == _MOTION:
            self._was_moved_by_person = is_person
        elif is_person and device_kind == _KEY_PRESS:
            return Key(detail)
        elif is_person and detail == _LEFT and self._was_moved_by_person:
            return Press(Point(x >> 16, y >> 16))
        return None

    def _is_wish_to_close(self, message: bytes) -> bool:
        return bool(struct.unpack_from("<I", message, 12)[0] == self._server.atom("WM_DELETE_WINDOW"))


def devices_of_programs(server: XServer) -> frozenset[int]:
    """The devices that programs press and move. Raises Unsupported where the server cannot tell a person from them."""
    xinput = _xinput(server)
    return frozenset(int(one.deviceid) for one in devices(xinput) if is_of_programs(server, xinput, one.deviceid))


def _xinput(server: XServer) -> Any:
    return xinput_of(
        server,
        "a person's clicks from those of programs",
        recovery="grant it ahead of time (deskhand --grant APP), or use a client that can ask its user",
    )
