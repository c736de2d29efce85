"""Whether the pointer moves or looks different, told by the X server (XInput 2, XFixes) as it happens."""

from typing import Any, Final

import xcffib.xfixes
import xcffib.xinput

from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.errors import translate_errors

_ALL_POINTERS: Final = xcffib.xinput.Device.AllMaster
_LOOK: Final = xcffib.xfixes.CursorNotifyMask.DisplayCursor


@translate_errors
class X11PointerChanges:
    """Reports of a pointer's changes. The connection must serve nothing else, and is closed with it."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        xinput: Any = server.extension(xcffib.xinput)
        xinput.XIQueryVersion(2, 3).reply()
        # Raw motion, because it is told whatever window has the pointer, or has grabbed it.
        masks = [xcffib.xinput.EventMask.synthetic(_ALL_POINTERS, 1, [xcffib.xinput.XIEventMask.RawMotion])]
        xinput.XISelectEvents(server.root, 1, masks, is_checked=True).check()
        xfixes: Any = server.extension(xcffib.xfixes)
        xfixes.QueryVersion(5, 0).reply()
        xfixes.SelectCursorInput(server.root, _LOOK, is_checked=True).check()

    def fileno(self) -> int:
        return int(self._server.connection.get_file_descriptor())

    def take(self) -> bool:
        """Whether anything has changed since the last time."""
        return self._server.drop_unread()

    def close(self) -> None:
        self._server.close()
