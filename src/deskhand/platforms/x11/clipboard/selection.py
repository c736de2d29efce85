"""Asking the owner of the clipboard for what is on it (ICCCM 2.0, section 2: "Peer-to-Peer Communication")."""

import struct
from collections.abc import Callable
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
        server.intern(("CLIPBOARD", "TARGETS", "INCR", _PROPERTY, "ATOM"))
        self._window = self._new_window()

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
        self.ask(target)
        return self.answer(deadline)

    def ask(self, target: str) -> None:
        """Ask for a form; `answer` waits for it."""
        server = self._server
        server.drain()
        server.core.DeleteProperty(self._window, server.atom(_PROPERTY))
        server.core.ConvertSelection(
            self._window, server.atom("CLIPBOARD"), server.atom(target), server.atom(_PROPERTY), 0
        )
        server.flush()

    def answer(self, deadline: float) -> bytes | None:
        """What was asked for, as `read` tells it."""
        try:
            return self._answer(deadline)
        except NotAnswering:
            # A late answer goes to the window that has asked, so the next question comes from another.
            self._window = self._new_window()
            raise

    def _new_window(self) -> int:
        window = self._server.new_id()
        mask = xcffib.xproto.EventMask.PropertyChange
        self._server.core.CreateWindow(
            0, window, self._server.root, -10, -10, 1, 1, 0, 2, 0, xcffib.xproto.CW.EventMask, [mask]
        )
        return window

    def _answer(self, deadline: float) -> bytes | None:
        answer = self._next(deadline, lambda event: _is_notice_for(event, self._window))
        if not answer.property:
            return None
        kind, _, data = self._server.ask_property(self._window, _PROPERTY, delete=True).raw()
        return self._pieces(deadline) if kind == self._server.atom("INCR") else data

    def _pieces(self, deadline: float) -> bytes | None:
        """The INCR protocol: each piece is a new value of the property, an empty one ends."""
        pieces: list[bytes] = []
        length = 0
        self._server.flush()
        while length <= _LONGEST:
            self._next(deadline, self._is_new_piece)
            piece = self._server.ask_property(self._window, _PROPERTY, delete=True).raw()[2]
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)
            length += len(piece)
        self._window = self._new_window()  # the rest may go on coming to the old one
        return None

    def _is_new_piece(self, event: Any) -> bool:
        return (
            isinstance(event, xcffib.xproto.PropertyNotifyEvent)
            and event.window == self._window
            and event.state == xcffib.xproto.Property.NewValue
            and event.atom == self._server.atom(_PROPERTY)
        )

    def _next(self, deadline: float, is_wanted: Callable[[Any], bool]) -> Any:
        event = self._server.next_event(is_wanted, deadline)
        if event is None:
            raise NotAnswering("the app that owns the clipboard does not answer")
        return event


def _is_notice_for(event: Any, window: int) -> bool:
    return isinstance(event, xcffib.xproto.SelectionNotifyEvent) and event.requestor == window
