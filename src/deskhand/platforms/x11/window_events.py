"""Hearing that windows come, go, move, or get the keyboard."""

from typing import Final, Self

import xcffib.xproto

from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.errors import translate_errors

_MASK: Final = xcffib.xproto.EventMask.PropertyChange | xcffib.xproto.EventMask.SubstructureNotify


@translate_errors
class X11WindowEvents:
    """Tells that something has happened to windows, on a connection of its own, which ends with it.

    The root window's properties are how a window manager tells which windows there are and which one is active; what
    happens to the windows right below the root (the frames) tells where they are.
    """

    def __init__(self, server: XServer) -> None:
        self._server = server
        server.select_root_events(_MASK)
        server.sync()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()

    def fileno(self) -> int:
        return int(self._server.connection.get_file_descriptor())

    def take(self) -> bool:
        """Whether anything may have happened since the last time."""
        return self._server.drain()
