"""Asking an application whether it has handled every event sent to it so far (EWMH _NET_WM_PING)."""

import itertools
import struct
import time
from typing import Any, Final

import xcffib.xproto

from deskhand.platforms.linux.patience import Patience
from deskhand.platforms.x11.connection import XServer

_NOTHING_TO_ASK_SECONDS: Final = 0.3
_serials = itertools.count(1)


def wait_until_handled(server: XServer, window: int, seconds: float, patience: Patience) -> bool:
    """Wait until a window's application has come to a message sent now, behind all keys sent before.

    Applications answer in the order of their events. One that does not know the protocol (xterm) gets 0.3 s: there is
    nothing to wait for. False where no answer came in time, which costs patience.
    """
    if not can_be_asked(server, window):
        time.sleep(min(_NOTHING_TO_ASK_SECONDS, seconds))
        return False
    pid, start = process_of(server, window), time.monotonic()
    deadline = start + seconds
    serial = next(_serials)
    protocols, ping = server.atom("WM_PROTOCOLS"), server.atom("_NET_WM_PING")
    mask = xcffib.xproto.EventMask
    # Answers are sent to who watches the root's children (GTK, Chromium, as EWMH says) or the root itself (Qt 5).
    server.select_root_events(mask.SubstructureNotify | mask.StructureNotify)
    try:
        event = struct.pack("<BBHII5I", 33, 32, 0, window, protocols, ping, serial, window, 0, 0)
        server.core.SendEvent(False, window, mask.NoEvent, event)
        server.flush()
        if server.next_event(lambda event: _is_answer(event, protocols, serial), deadline) is None:
            patience.waited(pid, time.monotonic() - start)
            return False
        patience.answered(pid)
        return True
    finally:
        server.select_root_events(0)
        server.drain()


def can_be_asked(server: XServer, window: int) -> bool:
    """Whether a window's application knows the protocol."""
    return server.atom("_NET_WM_PING") in server.numbers(window, "WM_PROTOCOLS")


def process_of(server: XServer, window: int) -> int:
    """The process that a window says it belongs to; a negative number of its own where it says none."""
    numbers = server.numbers(window, "_NET_WM_PID")
    return numbers[0] if numbers else -window


def _is_answer(event: Any, protocols: int, serial: int) -> bool:
    return (
        isinstance(event, xcffib.xproto.ClientMessageEvent)
        and event.type == protocols
        and event.data.data32[1] == serial
    )
