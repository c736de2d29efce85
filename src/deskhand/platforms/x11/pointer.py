"""The mouse pointer, through the XTEST extension."""

import contextlib
import time
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import xcffib.xtest

from deskhand.model.geometry import Point
from deskhand.platforms.base import Button
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.errors import translate_errors
from deskhand.platforms.x11.pointer_changes import X11PointerChanges

_BUTTON_PRESS, _BUTTON_RELEASE, _MOTION = 4, 5, 6
_NUMBERS: Final = {Button.LEFT: 1, Button.MIDDLE: 2, Button.RIGHT: 3, Button.BACK: 8, Button.FORWARD: 9}
_UP, _DOWN, _LEFT, _RIGHT = 4, 5, 6, 7
_FIRST_BUTTON_BIT: Final = 1 << 8
_ALL_BUTTON_BITS: Final = 0x1F00
_HELD_BACK_SECONDS: Final = 0.5
_LOOK_AGAIN_SECONDS: Final = 0.001


@translate_errors
class X11Pointer:
    """The pointer of an X screen; places are screen pixels."""

    def __init__(self, server: XServer, environment: Mapping[str, str]) -> None:
        self._server = server
        self._environment = environment
        self._xtest: Any = server.extension(xcffib.xtest)
        self._down: list[int] = []

    def position(self) -> Point:
        """Where the pointer is."""
        reply = self._server.core.QueryPointer(self._server.root).reply()
        return Point(reply.root_x, reply.root_y)

    def move(self, to: Point) -> None:
        """Move the pointer there at once."""
        self._xtest.FakeInput(_MOTION, 0, 0, self._server.root, to.x, to.y, 0)
        self._server.flush()

    def press(self, button: Button) -> None:
        """Press a button and keep it down."""
        number = _NUMBERS[button]
        self._down.append(number)
        self._xtest.FakeInput(_BUTTON_PRESS, number, 0, 0, 0, 0, 0)
        self._server.flush()

    def release(self, button: Button) -> None:
        """Let a button go."""
        number = _NUMBERS[button]
        if number in self._down:
            self._down.remove(number)
        self._xtest.FakeInput(_BUTTON_RELEASE, number, 0, 0, 0, 0, 0)
        self._wait_until_up()

    def click(self, button: Button, times: int = 1) -> None:
        """Press and release a button so many times."""
        for _ in range(times):
            self.press(button)
            self.release(button)

    def scroll(self, dx: int, dy: int) -> None:
        """Turn the wheel by so many notches: right and down are positive."""
        for count, forward, backward in ((dy, _DOWN, _UP), (dx, _RIGHT, _LEFT)):
            number = forward if count > 0 else backward
            for _ in range(abs(count)):
                self._xtest.FakeInput(_BUTTON_PRESS, number, 0, 0, 0, 0, 0)
                self._xtest.FakeInput(_BUTTON_RELEASE, number, 0, 0, 0, 0, 0)
        self._wait_until_up()

    def release_all(self) -> None:
        """Let go of every button this process holds."""
        held, self._down = self._down, []
        for number in reversed(held):
            self._xtest.FakeInput(_BUTTON_RELEASE, number, 0, 0, 0, 0, 0)
        if held:  # what others hold keeps nobody waiting
            self._wait_until_up()

    def held(self) -> Collection[Button]:
        """The buttons this process holds."""
        return [button for button, number in _NUMBERS.items() if number in self._down]

    @contextlib.contextmanager
    def changes(self) -> Iterator[X11PointerChanges]:
        """Watch whether the pointer moves or looks different while the block runs."""
        with contextlib.closing(X11PointerChanges(XServer(self._environment))) as watch:
            yield watch

    def _wait_until_up(self) -> None:
        """Return when the server has let a release through.

        Xfwm4 holds each press back until it has looked at it. A window gets it without the modifiers that have been let
        go meanwhile.
        """
        ours = sum(_FIRST_BUTTON_BIT << number - 1 for number in set(self._down))
        deadline = time.monotonic() + _HELD_BACK_SECONDS
        while self._buttons_down() & ~ours and time.monotonic() < deadline:
            time.sleep(_LOOK_AGAIN_SECONDS)

    def _buttons_down(self) -> int:
        """The buttons that are down for programs (the server tells of the first five)."""
        return int(self._server.core.QueryPointer(self._server.root).reply().mask & _ALL_BUTTON_BITS)
