"""Windows where no window manager looks after them: as in a kiosk, or after it has died."""

import contextlib
import struct
from collections.abc import Sequence
from typing import Any, Final

import xcffib
import xcffib.xproto

from deskhand.model.errors import NotPossible
from deskhand.platforms.x11.connection import XServer

_FOCUS_FOLLOWS_POINTER: Final = 1  # "PointerRoot" of the X protocol


class UnmanagedWindows:
    """The windows that a window manager would manage: those that can be seen and name a class."""

    def __init__(self, server: XServer) -> None:
        self._server = server

    def all(self) -> Sequence[int]:
        """Window numbers, bottom to top."""
        core = self._server.core
        children = list(core.QueryTree(self._server.root).reply().children)
        questions = [
            (child, core.GetWindowAttributes(child), self._server.ask_property(child, "WM_CLASS")) for child in children
        ]
        return [child for child, shown, named in questions if _is_shown(shown) and named.raw()[2]]

    def active(self) -> int | None:
        """The window that has the keyboard."""
        focus = int(self._server.core.GetInputFocus().reply().focus)
        if focus in (_FOCUS_FOLLOWS_POINTER, self._server.root):
            focus = int(self._server.core.QueryPointer(self._server.root).reply().child)
        top = self._server.top_level(focus) if focus else 0
        return top if top in self.all() else None

    def activate(self, window: int) -> None:
        """Bring a window to the front and give it the keyboard, where it is shown."""
        values = xcffib.xproto.ConfigWindow.StackMode, [xcffib.xproto.StackMode.Above]
        self._server.core.ConfigureWindow(window, *values)
        with contextlib.suppress(xcffib.xproto.MatchError):
            self._server.core.SetInputFocus(xcffib.xproto.InputFocus.Parent, window, 0, is_checked=True).check()

    def close(self, window: int) -> None:
        """Ask a window to close. Raises NotPossible where it cannot be asked."""
        protocols, wish = self._server.atom("WM_PROTOCOLS"), self._server.atom("WM_DELETE_WINDOW")
        if wish not in self._server.numbers(window, "WM_PROTOCOLS"):
            raise NotPossible("that window cannot be asked to close", recovery="end its application by its own means")
        event = struct.pack("<BBHII5I", 33, 32, 0, window, protocols, wish, 0, 0, 0, 0)
        self._server.core.SendEvent(False, window, 0, event)
        self._server.flush()


def _is_shown(cookie: Any) -> bool:
    try:
        attributes = cookie.reply()
    except xcffib.Error:
        return False
    return bool(attributes.map_state == xcffib.xproto.MapState.Viewable and not attributes.override_redirect)
