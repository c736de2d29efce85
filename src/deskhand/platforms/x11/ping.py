"""Asking an application whether it has handled every event sent to it so far (EWMH _NET_WM_PING)."""

import itertools
import struct
import time
from typing import Any, Final

import xcffib.xproto

from deskhand.platforms.x11.connection import XServer

_NOTHING_TO_ASK_SECONDS: Final = 0.3
_serials = itertools.count(1)


def wait_until_handled(server: XServer, window: int, seconds: float) -> bool:
    """Wait until a window's application has come to a message sent now, behind all keys sent before.

    Applications answer in the order of their events. One that does not know the protocol (xterm) gets 0.3 s: there is
    nothing to wait for. False where no answer came in time.
    """
    if server.atom("_NET_WM_PING") not in server.numbers(window, "WM_PROTOCOLS"):
        time.sleep(_NOTHING_TO_ASK_SECONDS)
        return False
    serial = next(_serials)
    protocols, ping = server.atom("WM_PROTOCOLS"), server.atom("_NET_WM_PING")
    mask = xcffib.xproto.EventMask
    server.select_root_events(mask.SubstructureNotify)
    try:
        event = struct.pack("<BBHII5I", 33, 32, 0, window, protocols, ping, serial, window, 0, 0)
        server.core.SendEvent(False, window, mask.NoEvent, event)
        server.flush()
        return _answered(server, serial, protocols, seconds)
    finally:
        server.select_root_events(0)
        server.drain()


def _answered(server: XServer, serial: int, protocols: int, seconds: float) -> bool:
    came: list[bool] = []

    def look() -> bool:
        event: Any = server.connection.poll_for_event()
        while event is not None:
            if isinstance(event, xcffib.xproto.ClientMessageEvent) and event.type == protocols:
                came.append(event.data.data32[1] == serial)
            event = server.connection.poll_for_event()
        return any(came)

    return server.wait_until(look, seconds)
