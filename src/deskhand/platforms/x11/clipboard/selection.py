"""Asking the owner of the clipboard for what is on it (ICCCM 2.0, section 2: "Peer-to-Peer Communication")."""

import select
import struct
import time
from typing import Any, Final

import xcffib
import xcffib.xproto

from deskhand.model.errors import NotAnswering
from deskhand.platforms.x11.connection import XServer

_PROPERTY: Final = "DESKHAND_SELECTION"
_LONGEST: Final = 1 << 28
"""Bytes of one form of the clipboard that are read; a larger one counts as not there."""


class SelectionReader:
    """Reads the selection CLIPBOARD, on a hidden window of its own."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        self._window = server.new_id()
        mask = xcffib.xproto.EventMask.PropertyChange
        server.core.CreateWindow(
            0, self._window, server.root, -10, -10, 1, 1, 0, 2, 0, xcffib.xproto.CW.EventMask, [mask]
        )
        server.intern(("CLIPBOARD", "TARGETS", "INCR", _PROPERTY, "ATOM"))

    def owner(self) -> int:
        """The window that owns the clipboard, 0 for none."""
        return int(self._server.core.GetSelectionOwner(self._server.atom("CLIPBOARD")).reply().owner)

    def targets(self, deadline: float) -> list[str]:
        """The forms the owner offers, in its order."""
        data = self.read("TARGETS", deadline)
        atoms = struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]) if data else ()
        return [self._server.atom_name(atom) for atom in atoms if atom]

    def read(self, target: str, deadline: float) -> bytes | None:
        """One form of what is on the clipboard, None where the owner does not give it.

        Raises NotAnswering where the owner says nothing until `deadline` (time.monotonic).
        """
        server = self._server
        server.drain()
        server.core.DeleteProperty(self._window, server.atom(_PROPERTY))
        server.core.ConvertSelection(
            self._window, server.atom("CLIPBOARD"), server.atom(target), server.atom(_PROPERTY), 0
        )
        server.flush()
        answer = self._next(xcffib.xproto.SelectionNotifyEvent, deadline)
        if not answer.property:
            return None
        kind, _, data = server.ask_property(self._window, _PROPERTY, delete=True).raw()
        if kind != server.atom("INCR"):
            return data
        return self._read_pieces(deadline)

    def _read_pieces(self, deadline: float) -> bytes | None:
        """The INCR protocol: each piece is a new value of the property, an empty one ends."""
        pieces: list[bytes] = []
        self._server.flush()
        while True:
            event = self._next(xcffib.xproto.PropertyNotifyEvent, deadline)
            if event.state != xcffib.xproto.Property.NewValue or event.atom != self._server.atom(_PROPERTY):
                continue
            piece = self._server.ask_property(self._window, _PROPERTY, delete=True).raw()[2]
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)
            if sum(map(len, pieces)) > _LONGEST:
                return None

    def _next(self, kind: type[Any], deadline: float) -> Any:
        poll = select.poll()
        poll.register(self._server.connection.get_file_descriptor(), select.POLLIN)
        while True:
            event = self._server.connection.poll_for_event()
            if isinstance(event, kind):
                return event
            if event is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise NotAnswering("the app that owns the clipboard does not answer")
                poll.poll(left * 1000)
