"""A person at the mouse and the keyboard of the embedded desktop: what programs send is told apart from this.

No device can be plugged into that X server (there is no /dev/uinput, and Xvfb opens no devices). But it has a mouse and
a keyboard of its own, which are not those of XTEST, and XTEST 2.2 can move and press those of any device: what comes of
that are the server's own events of that device, with its `sourceid`, as when somebody uses it. Nothing in deskhand sends
such events.
"""

import io
import struct
from collections.abc import Mapping
from typing import Any, Final

import xcffib.xinput

from deskhand.model.geometry import Point
from tests.support.other_keyboard import OtherKeyboard

ESCAPE, TAB, RETURN = 9, 23, 36
_FAKE_INPUT = 2
_VALUATOR, _BUTTON_PRESS, _MOTION = 0, 3, 5
_BUTTONS: Final = 0x1F00


class Person(OtherKeyboard):
    """Somebody who uses the hardware."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__(environment)
        self._mouse = self._find_mouse()

    def tap(self, keycode: int) -> None:
        """Press a key and let it go."""
        device = self.hardware()
        self.hold(keycode, device=device)
        self.let_go(keycode, device=device)

    def move(self, to: Point) -> None:
        """Move the mouse."""
        first = self._first_input_event
        motion = struct.pack("<BBHI4x20x", first + _MOTION, 0, 0, 0)[:31] + bytes([self._mouse | 0x80])
        valuators = struct.pack("<BBHHBB6i", first + _VALUATOR, self._mouse, 0, 0, 2, 0, *to, 0, 0, 0, 0)
        head = struct.pack("=xBxx", _FAKE_INPUT)
        self._xtest.send_request(_FAKE_INPUT, io.BytesIO(head + motion + valuators), is_checked=True).check()
        self.server.sync()

    def click(self, at: Point) -> None:
        """Move the mouse there, and click its left button."""
        self.move(at)
        self.press_mouse()

    def press_mouse(self) -> None:
        """Click where the pointer is."""
        for kind in (_BUTTON_PRESS, _BUTTON_PRESS + 1):
            self._xtest.FakeInput(self._first_input_event + kind, 1, 0, 0, 0, 0, self._mouse)
        self.server.sync()

    @property
    def buttons_down(self) -> int:
        """The bits of the mouse buttons that are down, whoever holds them."""
        return int(self.server.core.QueryPointer(self.server.root).reply().mask) & _BUTTONS

    def _find_mouse(self) -> int:
        xinput: Any = self.server.extension(xcffib.xinput)
        xinput.XIQueryVersion(2, 2).reply()
        for device in xinput.XIQueryDevice(0).reply().infos:
            name = bytes(device.name.raw).decode()
            if device.type == xcffib.xinput.DeviceType.SlavePointer and "XTEST" not in name:
                return int(device.deviceid)
        raise LookupError("no mouse but the one that programs share")
