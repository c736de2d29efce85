"""What an X screen says about its windows at one moment, asked in as few round trips as that takes."""

from collections.abc import Iterable, Sequence
from typing import Final

import xcffib

from deskhand.model.geometry import Rect
from deskhand.model.window import Window, WindowKind
from deskhand.platforms.x11.connection import XServer

EVERY_WORKSPACE: Final = 0xFFFFFFFF
_MANAGER: Final = "_NET_SUPPORTING_WM_CHECK"
_KINDS: Final = {
    "_NET_WM_WINDOW_TYPE_NORMAL": WindowKind.NORMAL,
    "_NET_WM_WINDOW_TYPE_DIALOG": WindowKind.DIALOG,
    "_NET_WM_WINDOW_TYPE_UTILITY": WindowKind.UTILITY,
    "_NET_WM_WINDOW_TYPE_TOOLBAR": WindowKind.UTILITY,
    "_NET_WM_WINDOW_TYPE_DOCK": WindowKind.DOCK,
    "_NET_WM_WINDOW_TYPE_DESKTOP": WindowKind.DESKTOP,
    "_NET_WM_WINDOW_TYPE_SPLASH": WindowKind.OTHER,
}


class Root:
    """What the window manager has written on the root window.

    What a dead one has left there does not count: `is_managed` tells.
    """

    def __init__(self, server: XServer) -> None:
        ask = server.ask_property
        names = ("_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST", "_NET_ACTIVE_WINDOW", "_NET_CURRENT_DESKTOP")
        asked = [ask(server.root, name) for name in (_MANAGER, *names)]
        manager, stacked, listed, active, workspace = [one.numbers() for one in asked]
        self._manager = manager[:1]
        # Its own window is asked for the same: the answer comes with those to the questions about other windows.
        self._same = ask(manager[0], _MANAGER) if manager else None
        self.stacked = stacked or listed
        """Window numbers, bottom to top."""
        self.active = active[0] if active and active[0] else None
        self.workspace = workspace[0] if workspace else None

    def is_managed(self) -> bool:
        """Whether there is a window manager. To be asked once."""
        return self._same is not None and self._same.numbers()[:1] == self._manager


def about(questions: "Iterable[Questions]", active: int | None) -> tuple[Window, ...]:
    """The answers about windows, without those that have gone meanwhile."""
    return tuple(window for each in questions if (window := each.answer(active)) is not None)


class Questions:
    """All that is asked about one window, asked before the first answer is waited for."""

    def __init__(self, server: XServer, window: int) -> None:
        self.server = server
        self.window = window
        ask = server.ask_property
        self.name = ask(window, "_NET_WM_NAME")
        self.old_name = ask(window, "WM_NAME")
        self.window_class = ask(window, "WM_CLASS")
        self.pid = ask(window, "_NET_WM_PID")
        self.kind = ask(window, "_NET_WM_WINDOW_TYPE")
        self.state = ask(window, "_NET_WM_STATE")
        self.workspace = ask(window, "_NET_WM_DESKTOP")
        self.frame = ask(window, "_NET_FRAME_EXTENTS")
        self.over = ask(window, "WM_TRANSIENT_FOR")
        self.geometry = server.core.GetGeometry(window)
        self.place = server.core.TranslateCoordinates(window, server.root, 0, 0)

    def answer(self, active: int | None) -> Window | None:
        """The window, None where it has gone meanwhile."""
        title = self.name.text() or self.old_name.text()
        classes = self.window_class.raw()[2].split(b"\0")
        pids, kinds, states = self.pid.numbers(), self.kind.numbers(), self.state.numbers()
        workspaces, borders, over = self.workspace.numbers(), self.frame.numbers(), self.over.numbers()
        try:
            geometry, place = self.geometry.reply(), self.place.reply()
        except xcffib.Error:
            return None
        bounds = Rect(place.dst_x, place.dst_y, geometry.width, geometry.height)
        return Window(
            id=self.window,
            title=title,
            app=(classes[1] if len(classes) > 1 and classes[1] else classes[0]).decode("utf-8", "replace"),
            pid=pids[0] if pids else None,
            bounds=bounds,
            frame=_with_borders(bounds, borders),
            kind=self._kind(kinds),
            active=self.window == active,
            minimized=self.server.atom("_NET_WM_STATE_HIDDEN") in states,
            workspace=workspaces[0] if workspaces and workspaces[0] != EVERY_WORKSPACE else None,
            belongs_to=over[0] if over and over[0] not in (0, self.server.root) else None,
            modal=self.server.atom("_NET_WM_STATE_MODAL") in states,
        )

    def _kind(self, kinds: Sequence[int]) -> WindowKind:
        for kind in kinds:
            known = _KINDS.get(self.server.atom_name(kind))
            if known is not None:
                return known
        return WindowKind.NORMAL


def _with_borders(bounds: Rect, borders: Sequence[int]) -> Rect:
    if len(borders) != 4:
        return bounds
    left, right, top, bottom = borders
    return Rect(bounds.x - left, bounds.y - top, bounds.width + left + right, bounds.height + top + bottom)
