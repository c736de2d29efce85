"""The layout that a keyboard device has now: asked for at each use, read anew only where it has changed."""

from functools import cached_property
from typing import Any

import xcffib.xkb

from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.keyboard.keymap import PARTS, Keymap


class DeviceLayout:
    """The layout of one keyboard device; each may have its own."""

    def __init__(self, server: XServer, device: int) -> None:
        self._server = server
        self._device = device
        self._known: Keymap | None = None

    @cached_property
    def _xkb(self) -> Any:
        xkb = self._server.extension(xcffib.xkb)
        xkb.UseExtension(1, 0).reply()
        return xkb

    def now(self) -> Keymap:
        """The layout; the same object as long as it has not changed."""
        cookie = self._xkb.GetMap(self._device, PARTS, 0, *([0] * 15))
        unpacker = self._server.connection.wait_for_reply(cookie.sequence)
        unpacker._resize(unpacker.known_max)
        reply = bytes(unpacker.buf)
        # The sequence number differs from reply to reply, the rest only when the layout does.
        if self._known is None or self._known.bytes[4:] != reply[4:]:
            self._known = Keymap(reply)
        return self._known

    def group(self) -> int:
        """Which of its groups is active."""
        return int(self._xkb.GetState(self._device).reply().group)
