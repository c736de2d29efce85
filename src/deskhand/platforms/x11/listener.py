"""What a person presses, told apart from what programs send (XInput 2).

Programs press keys by XTEST, whose devices are marked with a property; all other keyboards are a person's. Only those
are listened to: what deskhand types itself is not even told to us, so that it costs nothing.
"""

import contextlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import xcffib.xinput

from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.devices import devices, is_of_programs, xinput_of
from deskhand.platforms.x11.errors import translate_errors
from deskhand.platforms.x11.keyboard import keysyms
from deskhand.platforms.x11.keyboard.layout import DeviceLayout

_ALL_DEVICES: Final = xcffib.xinput.Device.All
_KEYBOARDS: Final = (xcffib.xinput.DeviceType.SlaveKeyboard, xcffib.xinput.DeviceType.FloatingSlave)
_KEYS: Final = xcffib.xinput.DeviceClassType.Key
_GENERIC_EVENT, _HIERARCHY, _RAW_KEY_PRESS = 35, 11, 13
_RAW_HEAD: Final = struct.Struct("<BxxxxxxxHHxxxxIH")
"""Of a raw event: its type, the kind of it, the device, the keycode, the device it came from."""


class _Keyboard(NamedTuple):
    """A keyboard of a person."""

    device: int
    name: str


@translate_errors
class X11Listener:
    """Hears what a person presses on the keyboards of an X server."""

    def __init__(self, server: XServer) -> None:
        self._server = server

    def keyboards(self) -> Sequence[str]:
        """What the keyboards are called that a person can press Esc on. Raises Unsupported without XInput 2."""
        return [one.name for one in _keyboards(self._server, _xinput(self._server))]

    @contextlib.contextmanager
    def escapes(self) -> Iterator["X11Escapes"]:
        """Hear from now on when a person presses Esc. Raises Unsupported without XInput 2."""
        with contextlib.closing(self._server.another()) as server:
            yield X11Escapes(server)


@translate_errors
class X11Escapes:
    """Tells that a person has pressed Esc. The connection must serve nothing else."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        self._xinput = _xinput(server)
        self._layouts: Mapping[int, DeviceLayout] = {}
        self._select(_ALL_DEVICES, xcffib.xinput.XIEventMask.Hierarchy)
        self._listen()

    def fileno(self) -> int:
        return int(self._server.connection.get_file_descriptor())

    def take(self) -> bool:
        """Whether somebody has pressed Esc since the last time."""
        was_pressed = False
        # What is asked meanwhile may bring more events with its answer: they come out here too.
        for head in self._server.event_heads():
            answer, kind, device, keycode, source = _RAW_HEAD.unpack_from(head)
            if answer != _GENERIC_EVENT:
                continue
            if kind == _HIERARCHY:
                self._listen()
            elif kind == _RAW_KEY_PRESS and device == source in self._layouts:
                was_pressed = self._is_escape(source, keycode) or was_pressed
        return was_pressed

    def _listen(self) -> None:
        """Hear every keyboard that there is now."""
        found = [one.device for one in _keyboards(self._server, self._xinput)]
        self._layouts = {device: self._layouts.get(device) or DeviceLayout(self._server, device) for device in found}
        for device in found:
            # One may be pulled out at this moment.
            with contextlib.suppress(xcffib.xinput.DeviceError):
                self._select(device, xcffib.xinput.XIEventMask.RawKeyPress)

    def _select(self, device: int, mask: int) -> None:
        masks = [xcffib.xinput.EventMask.synthetic(device, 1, [mask])]
        self._xinput.XISelectEvents(self._server.root, 1, masks, is_checked=True).check()

    def _is_escape(self, device: int, keycode: int) -> bool:
        """Whether this key of a keyboard is Esc in the layout that it has now: on many, Caps Lock is."""
        layout = self._layouts[device]
        try:
            return layout.now().plain_symbol(keycode, layout.group()) == keysyms.ESCAPE
        except xcffib.Error:
            return False  # the keyboard has been pulled out


def _xinput(server: XServer) -> Any:
    return xinput_of(
        server,
        "a person's keys from those of programs: Esc does not stop an agent",
        recovery="end the agent's client to stop it, or use another X server (Xorg, Xvfb, TigerVNC)",
    )


def _keyboards(server: XServer, xinput: Any) -> list[_Keyboard]:
    """The keyboards whose keys no program presses."""
    return [
        _Keyboard(int(one.deviceid), bytes(one.name.raw).decode("utf-8", "replace"))
        for one in devices(xinput)
        if one.type in _KEYBOARDS and one.enabled and _has_keys(one)
        if not is_of_programs(server, xinput, one.deviceid)
    ]


def _has_keys(info: Any) -> bool:
    return any(one.type == _KEYS for one in info.classes)
