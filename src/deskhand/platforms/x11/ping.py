"""Asking an application whether it has handled every event sent to it so far (EWMH _NET_WM_PING)."""

import itertools
import struct
import time
from collections.abc import Callable
from typing import Any, Final

import xcffib.xproto

from deskhand.platforms.linux.patience import Patience
from deskhand.platforms.x11.connection import XServer

_NOTHING_TO_ASK_SECONDS: Final = 0.3
_GO_ON_SECONDS: Final = 0.03
_serials = itertools.count(1)


def wait_until_handled(
    server: XServer, window: int, seconds: float, patience: Patience, go_on: Callable[[], None] = lambda: None
) -> bool:
    """Wait until a window's application has come to a message sent now, behind all keys sent before.

    Applications answer in the order of their events. One that does not know the protocol (xterm) gets 0.3 s: there is
    nothing to wait for. False where no answer came in time, nor longer than there is patience with it, which that costs.
    `go_on` is called every 30 ms and may raise to stop.
    """
    if not can_be_asked(server, window):
        pause(min(_NOTHING_TO_ASK_SECONDS, seconds), go_on)
        return False
    pid, start = process_of(server, window), time.monotonic()
    deadline = start + patience.within(pid, seconds)
    serial = next(_serials)
    protocols, ping = server.atom("WM_PROTOCOLS"), server.atom("_NET_WM_PING")
    mask = xcffib.xproto.EventMask
    # Answers are sent to who watches the root's children (GTK, Chromium, as EWMH says) or the root itself (Qt 5).
    server.select_root_events(mask.SubstructureNotify | mask.StructureNotify)
    try:
        event = struct.pack("<BBHII5I", 33, 32, 0, window, protocols, ping, serial, window, 0, 0)
        server.core.SendEvent(False, window, mask.NoEvent, event)
        server.flush()
        while not _comes(server, protocols, serial, min(deadline, time.monotonic() + _GO_ON_SECONDS)):
            if time.monotonic() >= deadline:
                patience.waited(pid, time.monotonic() - start)
                return False
            go_on()
        patience.answered(pid)
        return True
    finally:
        server.select_root_events(0)
        server.drain()


def pause(seconds: float, go_on: Callable[[], None]) -> None:
    """Wait for so long; `go_on` is called every 30 ms and may raise to stop."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        time.sleep(min(left, _GO_ON_SECONDS))
        go_on()


def can_be_asked(server: XServer, window: int) -> bool:
    """Whether a window's application knows the protocol."""
    return server.atom("_NET_WM_PING") in server.numbers(window, "WM_PROTOCOLS")


def process_of(server: XServer, window: int) -> int:
    """The process that a window says it belongs to; a negative number of its own where it says none."""
    numbers = server.numbers(window, "_NET_WM_PID")
    return numbers[0] if numbers else -window


def _comes(server: XServer, protocols: int, serial: int, deadline: float) -> bool:
    return server.next_event(lambda event: _is_answer(event, protocols, serial), deadline) is not None


def _is_answer(event: Any, protocols: int, serial: int) -> bool:
    return (
        isinstance(event, xcffib.xproto.ClientMessageEvent)
        and event.type == protocols
        and event.data.data32[1] == serial
    )
