"""Another program that has copied something: it offers what the test says, and may hang."""

import select
import struct
import threading
from collections.abc import Mapping
from typing import Any, Self

import xcffib
import xcffib.xproto

from deskhand.platforms.x11.connection import XServer
from tests.support.applications import eventually


class SelectionOwner:
    """Owns the clipboard, and answers for it in a thread of its own until it is told to hang."""

    def __init__(self, environment: Mapping[str, str], contents: Mapping[str, bytes], *, hangs: bool = False) -> None:
        self.contents = contents
        self.asked: list[str] = []
        self._server = XServer(environment)
        self._asker = XServer(environment)
        self._answers = threading.Event()
        self._ended = threading.Event()
        if not hangs:
            self._answers.set()
        core: Any = self._server.core
        self._window = self._server.new_id()
        core.CreateWindow(0, self._window, self._server.root, -10, -10, 1, 1, 0, 2, 0, 0, [])
        core.SetSelectionOwner(self._window, self._server.atom("CLIPBOARD"), 0)
        self._server.sync()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        eventually(lambda: owner_of(self._asker) == self._window, what="owning the clipboard")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._answers.set()
        self._thread.join()
        self._server.close()
        self._asker.close()

    def answer_at_last(self) -> None:
        """Go on after hanging: everything asked meanwhile is answered now."""
        self._answers.set()

    def _serve(self) -> None:
        connection: Any = self._server.connection
        poll = select.poll()
        poll.register(connection.get_file_descriptor(), select.POLLIN)
        while not self._ended.is_set():
            poll.poll(20)
            while self._answers.is_set() and (event := connection.poll_for_event()) is not None:
                if isinstance(event, xcffib.xproto.SelectionRequestEvent):
                    self._answer(event)

    def _answer(self, event: Any) -> None:
        target = self._server.atom_name(event.target)
        self.asked.append(target)
        given = self._give(event, target)
        notify = struct.pack(
            "<BxHIIIII8x",
            31,
            0,
            event.time,
            event.requestor,
            event.selection,
            event.target,
            event.property if given else 0,
        )
        self._server.core.SendEvent(False, event.requestor, 0, notify)
        self._server.flush()

    def _give(self, event: Any, target: str) -> bool:
        replace, change = xcffib.xproto.PropMode.Replace, self._server.core.ChangeProperty
        if target == "TARGETS":
            atoms = [self._server.atom(name) for name in ("TARGETS", *self.contents)]
            data = struct.pack(f"<{len(atoms)}I", *atoms)
            change(replace, event.requestor, event.property, self._server.atom("ATOM"), 32, len(atoms), data)
        elif target in self.contents:
            data = self.contents[target]
            change(replace, event.requestor, event.property, event.target, 8, len(data), data)
        else:
            return False
        return True


def owner_of(server: XServer) -> int:
    """The window that owns the clipboard, 0 for none."""
    return int(server.core.GetSelectionOwner(server.atom("CLIPBOARD")).reply().owner)
