"""The process that owns the clipboard for deskhand, and goes on doing so when deskhand has ended.

Run with `python -m`, with a stream socket as descriptor 0. It ends when another program copies something and nobody
tells it any more what to own, or with the X server.

Lines it reads: {"own": {target: base64}}. Lines it writes: {"owned": true|false}, {"served": target, "to": window},
{"lost": true}.
"""

import base64
import contextlib
import os
import select
import socket
import struct
from typing import Any, Final

import xcffib
import xcffib.xproto

from deskhand.platforms.linux.lines import LineSocket
from deskhand.platforms.x11.connection import XServer

_ALWAYS: Final = ("TARGETS", "TIMESTAMP", "MULTIPLE")
_LINE_SECONDS: Final = 10.0
_PREDEFINED: Final = {"ATOM": 4, "INTEGER": 19}


class Holder:
    """The owner of one clipboard."""

    def __init__(self, server: XServer, client: LineSocket) -> None:
        self.server = server
        self.client: LineSocket | None = client
        self.contents: dict[str, bytes] = {}
        self.time = 0
        self.sending: dict[tuple[int, int], tuple[bytes, int, str]] = {}
        """What goes over piece by piece: (data, how far, target) by window and property."""
        self.piece = min(1 << 18, server.connection.get_maximum_request_length() * 4 - 128)
        self.window = server.new_id()
        mask = xcffib.xproto.EventMask.PropertyChange
        server.core.CreateWindow(
            0, self.window, server.root, -10, -10, 1, 1, 0, 2, 0, xcffib.xproto.CW.EventMask, [mask]
        )
        server.intern(("CLIPBOARD", "INCR", "DESKHAND_TIME", *_ALWAYS))

    def run(self) -> None:
        poll = select.poll()
        poll.register(self.server.connection.get_file_descriptor(), select.POLLIN)
        if self.client is not None:
            poll.register(self.client, select.POLLIN)
        while self.client is not None or self.contents:
            while (event := self.next_event()) is not None:
                self.handle(event)
            if self.client is None and not self.contents:
                return
            for descriptor, _ in poll.poll():
                if self.client is not None and descriptor == self.client.fileno() and not self.listen():
                    poll.unregister(descriptor)
                    self.client.close()
                    self.client = None

    def listen(self) -> bool:
        """Do what the client asks; False when it has gone."""
        assert self.client is not None
        try:
            while (request := self.client.receive(_LINE_SECONDS)) is not None:
                self.own({target: base64.b64decode(data) for target, data in request["own"].items()})
                if not self.client.has_more:
                    break
        except EOFError:
            return False
        return True

    def next_event(self) -> Any:
        """The next event that has come, None where none has."""
        while True:
            try:
                return self.server.connection.poll_for_event()
            except xcffib.Error:
                continue  # of an answer to a program that has gone meanwhile

    def own(self, contents: dict[str, bytes]) -> None:
        self.server.intern(contents)
        clipboard = self.server.atom("CLIPBOARD")
        now = self.server_time()  # what has come before it, is handled by then: also that the clipboard was lost
        self.contents, self.time = contents, now
        wanted = self.window if contents else 0
        self.server.core.SetSelectionOwner(wanted, clipboard, now)
        self.tell({"owned": self.owner() == wanted})

    def owner(self) -> int:
        return int(self.server.core.GetSelectionOwner(self.server.atom("CLIPBOARD")).reply().owner)

    def server_time(self) -> int:
        """The X server's clock, which ownership is dated by."""
        atom = self.server.atom("DESKHAND_TIME")
        self.server.core.ChangeProperty(xcffib.xproto.PropMode.Append, self.window, atom, 31, 8, 0, b"")
        self.server.flush()
        while True:
            with contextlib.suppress(xcffib.Error):
                event: Any = self.server.connection.wait_for_event()
                if isinstance(event, xcffib.xproto.PropertyNotifyEvent) and event.atom == atom:
                    return int(event.time)
                self.handle(event)

    # ------------------------------------------------------------ requests of other programs

    def handle(self, event: Any) -> None:
        if isinstance(event, xcffib.xproto.SelectionRequestEvent):
            with contextlib.suppress(xcffib.xproto.WindowError):
                self.answer(event)
        elif isinstance(event, xcffib.xproto.SelectionClearEvent):
            if self.owner() != self.window:
                self.contents = {}
                self.mention({"lost": True})
        elif isinstance(event, xcffib.xproto.DestroyNotifyEvent):
            for key in [key for key in self.sending if key[0] == event.window]:
                del self.sending[key]
        elif isinstance(event, xcffib.xproto.PropertyNotifyEvent):
            key = (event.window, event.atom)
            if event.state == xcffib.xproto.Property.Delete and key in self.sending:
                self.send_piece(key)

    def answer(self, event: Any) -> None:
        target = self.server.atom_name(event.target)
        place = event.property or event.target  # obsolete clients name no property
        given = self.give(event.requestor, place, target) if event.selection == self.server.atom("CLIPBOARD") else False
        notify = struct.pack(
            "<BxHIIIII8x", 31, 0, event.time, event.requestor, event.selection, event.target, place if given else 0
        )
        self.server.core.SendEvent(False, event.requestor, 0, notify)
        self.server.flush()
        if given and (event.requestor, place) not in self.sending:
            self.mention({"served": target, "to": event.requestor})

    def give(self, window: int, place: int, target: str) -> bool:
        """Put what was asked for where it was asked for."""
        if target == "TARGETS":
            atoms = [self.server.atom(name) for name in (*_ALWAYS[:2], *self.contents)]
            self.server.set_property(window, place, _PREDEFINED["ATOM"], 32, struct.pack(f"<{len(atoms)}I", *atoms))
        elif target == "TIMESTAMP":
            self.server.set_property(window, place, _PREDEFINED["INTEGER"], 32, struct.pack("<I", self.time))
        elif target in self.contents:
            data = self.contents[target]
            if len(data) <= self.piece:
                self.server.set_property(window, place, self.server.atom(target), 8, data)
            else:
                self.begin_pieces(window, place, target, data)
        else:
            return False
        return True

    def begin_pieces(self, window: int, place: int, target: str, data: bytes) -> None:
        mask = xcffib.xproto.EventMask.PropertyChange | xcffib.xproto.EventMask.StructureNotify
        self.server.core.ChangeWindowAttributes(window, xcffib.xproto.CW.EventMask, [mask], is_checked=True).check()
        self.server.set_property(window, place, self.server.atom("INCR"), 32, struct.pack("<I", len(data)))
        self.sending[window, place] = (data, 0, target)

    def send_piece(self, key: tuple[int, int]) -> None:
        data, done, target = self.sending[key]
        piece = data[done : done + self.piece]
        with contextlib.suppress(xcffib.xproto.WindowError):
            self.server.set_property(*key, self.server.atom(target), 8, piece)
        if piece:
            self.sending[key] = (data, done + len(piece), target)
        else:
            del self.sending[key]
            self.mention({"served": target, "to": key[0]})

    def tell(self, message: dict[str, Any]) -> None:
        if self.client is not None:
            with contextlib.suppress(EOFError):
                self.client.send(message)

    def mention(self, message: dict[str, Any]) -> None:
        """Tell without waiting: the client listens to this only while it pastes, and other programs read meanwhile."""
        if self.client is not None:
            with contextlib.suppress(EOFError):
                self.client.mention(message)


def main() -> None:
    client = LineSocket(socket.socket(fileno=os.dup(0)))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    with contextlib.suppress(xcffib.ConnectionException):
        Holder(XServer(os.environ.copy()), client).run()


if __name__ == "__main__":
    main()
