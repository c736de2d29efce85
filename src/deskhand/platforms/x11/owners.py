"""Whose window gets what is pressed: asked of the X server itself, with as few questions as that takes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import xcffib
import xcffib.res

from deskhand.model.window import Owner
from deskhand.platforms.x11.connection import XServer

_NOBODY: Final = (0, 1)
"""Where the focus is at no window, or follows the pointer."""
_DEEPEST: Final = 6
"""A window manager's frame holds the window of an application at most so deep."""


class Owners:
    """The windows of an X screen, as belonging to processes."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        self._mask = server.connection.get_setup().resource_id_mask
        self._resources: Any = server.extension(xcffib.res) if server.has_extension(xcffib.res) else None

    def in_front(self) -> Owner | None:
        """Who gets the keys that are pressed now.

        The window manager names the window, but where it is wrong (a prompt that took the keyboard by itself, a window
        manager that has died) the server knows.
        """
        asked, focused = self._ask_for_active(), self._server.core.GetInputFocus()
        active, focus = _first(asked.numbers()), int(focused.reply().focus)
        if focus in _NOBODY or focus == self._server.root or active & ~self._mask == focus & ~self._mask:
            return self.of(active) if active else None
        return self.of(focus)

    def before_a_press(self) -> tuple[Owner | None, Owner | None]:
        """Who is in front, and who would get a press of the pointer where it is."""
        core = self._server.core
        asked, pointer = self._ask_for_active(), core.QueryPointer(self._server.root)
        active, under = _first(asked.numbers()), int(pointer.reply().child)
        about = _About(self._server, active) if active else None
        deeper, itself = (core.QueryPointer(under), _About(self._server, under)) if under else (None, None)
        front = self._whole(about.owner(), active) if about else None
        if deeper is None or itself is None:
            return front, None
        inside = _child(deeper)
        owner = itself.owner()
        if owner is None and front is not None and inside == active:
            return front, front
        if owner is None and inside:
            owner = self._whole(_About(self._server, inside).owner(), inside)
        return front, self._whole(owner, under) or self.of(under)

    def of(self, window: int) -> Owner | None:
        """Who a window belongs to; None where it has gone.

        A frame itself tells nothing: what is in it does. What names nobody at all belongs to the process that made it.
        """
        owner = _About(self._server, window).owner() or next(self._inside(window, 0), None)
        if owner is not None:
            return self._whole(owner, window)
        pid = self.made_by(window)
        return Owner(pid, ()) if pid is not None else None

    # ------------------------------------------------------------ inside

    def _whole(self, owner: Owner | None, window: int) -> Owner | None:
        """The owner with the process that the window itself does not tell."""
        return replace(owner, pid=self.made_by(window)) if owner is not None and owner.pid is None else owner

    def _ask_for_active(self) -> Any:
        return self._server.ask_property(self._server.root, "_NET_ACTIVE_WINDOW")

    def _inside(self, window: int, depth: int) -> Iterator[Owner]:
        try:
            children = self._server.core.QueryTree(window).reply().children
        except xcffib.Error:
            return
        named = [(child, self._server.ask_property(child, "WM_CLASS")) for child in children]
        for child in [child for child, name in named if name.raw()[2]]:
            if (owner := _About(self._server, child).owner()) is not None:
                yield owner
        if depth < _DEEPEST:
            for child in children:
                yield from self._inside(child, depth + 1)

    def made_by(self, window: int) -> int | None:
        """The process that has made a window; None where the X server cannot tell."""
        if self._resources is None:
            return None
        local = xcffib.res.ClientIdMask.LocalClientPID
        try:
            found = self._resources.QueryClientIds(1, [xcffib.res.ClientIdSpec.synthetic(window, local)]).reply().ids
        except xcffib.Error:
            return None
        return int(found[0].value[0]) if found and len(found[0].value) else None


class _About:
    """What is asked about one window, asked before the first answer is waited for."""

    def __init__(self, server: XServer, window: int) -> None:
        self._classes = server.ask_property(window, "WM_CLASS")
        self._pid = server.ask_property(window, "_NET_WM_PID")

    def owner(self) -> Owner | None:
        """Who it belongs to, None where it has no name: a frame, or it has gone."""
        classes = tuple(part.decode("utf-8", "replace") for part in self._classes.raw()[2].split(b"\0") if part)
        pid = _first(self._pid.numbers())
        return Owner(pid or None, classes) if classes else None


def _child(pointer: Any) -> int:
    """The window in another that the pointer is in; 0 where that has gone."""
    try:
        return int(pointer.reply().child)
    except xcffib.Error:
        return 0


def _first(numbers: tuple[int, ...]) -> int:
    return numbers[0] if numbers else 0
