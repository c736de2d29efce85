"""A person at the mouse and the keyboard of the embedded desktop: what programs send is told apart from this.

No device can be plugged into that X server. But it has a mouse and a keyboard of its own, which are not those of XTEST,
and XTEST 2.2 can move and press those of any device: what comes of that are the server's own events of that device.
Nothing in deskhand sends such events.
"""

import io
import struct
from collections.abc import Mapping
from typing import Any, Self

import xcffib.xinput
import xcffib.xtest

from deskhand.model.geometry import Point
from deskhand.platforms.x11.connection import XServer
from tests.support.other_keyboard import OtherKeyboard

ESCAPE, TAB, RETURN = 9, 23, 36
_FAKE_INPUT = 2
_VALUATOR, _KEY_PRESS, _BUTTON_PRESS, _MOTION = 0, 1, 3, 5


class Person:
    """Somebody who uses the hardware."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._server = XServer(environment)
        self._keyboard = OtherKeyboard(environment)
        self._xtest: Any = self._server.extension(xcffib.xtest)
        name = xcffib.xinput.key.name.encode()
        self._first = int(self._server.core.QueryExtension(len(name), name).reply().first_event)
        self._mouse = self._find_mouse()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._keyboard.server.close()
        self._server.close()

    def move(self, to: Point) -> None:
        """Move the mouse."""
        motion = struct.pack("<BBHI4x20x", self._first + _MOTION, 0, 0, 0)[:31] + bytes([self._mouse | 0x80])
        valuators = struct.pack("<BBHHBB6i", self._first + _VALUATOR, self._mouse, 0, 0, 2, 0, *to, 0, 0, 0, 0)
        head = struct.pack("=xBxx", _FAKE_INPUT)
        self._xtest.send_request(_FAKE_INPUT, io.BytesIO(head + motion + valuators), is_checked=True).check()
        self._server.sync()

    def click(self, at: Point) -> None:
        """Move the mouse there, and click its left button."""
        self.move(at)
        self.press_mouse()

    def press_mouse(self) -> None:
        """Click where the pointer is."""
        for kind in (_BUTTON_PRESS, _BUTTON_PRESS + 1):
            self._xtest.FakeInput(self._first + kind, 1, 0, 0, 0, 0, self._mouse)
        self._server.sync()

    def tap(self, keycode: int) -> None:
        """Press a key and let it go."""
        device = self._keyboard.hardware()
        self._keyboard.hold(keycode, device=device)
        self._keyboard.let_go(keycode, device=device)

    def _find_mouse(self) -> int:
        xinput: Any = self._server.extension(xcffib.xinput)
        xinput.XIQueryVersion(2, 2).reply()
        for device in xinput.XIQueryDevice(0).reply().infos:
            name = bytes(device.name.raw).decode()
            if device.type == xcffib.xinput.DeviceType.SlavePointer and "XTEST" not in name:
                return int(device.deviceid)
        raise LookupError("no mouse but the one that programs share")
