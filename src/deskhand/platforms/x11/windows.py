"""Windows as the window manager tells of them, and what it can be asked to do with them (EWMH 1.5)."""

from collections.abc import Callable, Sequence
from typing import Final

import xcffib
import xcffib.xproto

from deskhand.model.geometry import Rect
from deskhand.model.window import Window, WindowKind
from deskhand.platforms.x11.connection import XServer, translate_errors
from deskhand.platforms.x11.ping import wait_until_handled

_PAGER: Final = 2  # source indication: the user's own wish, which window managers grant
_ICONIC: Final = 3
_EVERY_WORKSPACE: Final = 0xFFFFFFFF
_ACTIVATION_SECONDS: Final = 2.0
_ATOMS: Final = (
    "_NET_CLIENT_LIST_STACKING",
    "_NET_CLIENT_LIST",
    "_NET_ACTIVE_WINDOW",
    "_NET_WM_NAME",
    "WM_NAME",
    "WM_CLASS",
    "_NET_WM_PID",
    "_NET_WM_WINDOW_TYPE",
    "_NET_WM_STATE",
    "_NET_WM_DESKTOP",
    "_NET_CURRENT_DESKTOP",
    "_NET_FRAME_EXTENTS",
    "_NET_WM_STATE_HIDDEN",
    "WM_CHANGE_STATE",
    "_NET_CLOSE_WINDOW",
    "_NET_SUPPORTING_WM_CHECK",
    "WM_STATE",
)
_KINDS: Final = {
    "_NET_WM_WINDOW_TYPE_NORMAL": WindowKind.NORMAL,
    "_NET_WM_WINDOW_TYPE_DIALOG": WindowKind.DIALOG,
    "_NET_WM_WINDOW_TYPE_UTILITY": WindowKind.UTILITY,
    "_NET_WM_WINDOW_TYPE_TOOLBAR": WindowKind.UTILITY,
    "_NET_WM_WINDOW_TYPE_DOCK": WindowKind.DOCK,
    "_NET_WM_WINDOW_TYPE_DESKTOP": WindowKind.DESKTOP,
    "_NET_WM_WINDOW_TYPE_SPLASH": WindowKind.OTHER,
}


@translate_errors
class X11Windows:
    """The windows of an X screen."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        server.intern(_ATOMS)

    def all(self) -> Sequence[Window]:
        """Every managed window, topmost first."""
        active = self.active_id()
        questions = [_Questions(self._server, window) for window in reversed(self._managed())]
        return [window for each in questions if (window := each.answer(active)) is not None]

    def active_id(self) -> int | None:
        """The window that has the keyboard, as the window manager sees it."""
        numbers = self._server.numbers(self._server.root, "_NET_ACTIVE_WINDOW")
        return numbers[0] if numbers and numbers[0] else None

    def active(self) -> Window | None:
        """The window that has the keyboard."""
        active = self.active_id()
        return _Questions(self._server, active).answer(active) if active else None

    def activate(self, window: int) -> bool:
        """Bring a window to the front and give it the keyboard; whether that had happened within 2 s."""
        self._server.send_to_root(window, "_NET_ACTIVE_WINDOW", [_PAGER, 0, 0])
        return self._wait(lambda: self.active_id() == window, _ACTIVATION_SECONDS)

    def close(self, window: int) -> None:
        """Ask a window to close, as its close button would."""
        self._server.send_to_root(window, "_NET_CLOSE_WINDOW", [0, _PAGER])

    def minimize(self, window: int) -> None:
        """Minimize a window."""
        self._server.send_to_root(window, "WM_CHANGE_STATE", [_ICONIC])

    def popups(self, window: int) -> Sequence[Rect]:
        """The mapped windows of the same client that the window manager does not manage: menus, tooltips.

        Screen pixels.
        """
        base, mask = self._client_of(window)
        children = self._server.core.QueryTree(self._server.root).reply().children
        own = [child for child in children if child & ~mask == base]
        questions = [
            (self._server.core.GetWindowAttributes(child), self._server.core.GetGeometry(child)) for child in own
        ]
        found: list[Rect] = []
        for attributes, geometry in questions:
            try:
                reply, place = attributes.reply(), geometry.reply()
            except xcffib.Error:
                continue
            if reply.override_redirect and reply.map_state == xcffib.xproto.MapState.Viewable:
                found.append(Rect(place.x, place.y, place.width, place.height))
        return found

    def wait_until_handled(self, window: int, seconds: float) -> bool:
        """Wait until a window's application has handled all input sent before; False where it did not say so."""
        return wait_until_handled(self._server, window, seconds)

    def manager_name(self) -> str | None:
        """The name of the window manager, None where there is none."""
        owner = self._server.numbers(self._server.root, "_NET_SUPPORTING_WM_CHECK")
        return self._server.text(owner[0], "_NET_WM_NAME") or None if owner else None

    def wait_for_manager(self, seconds: float) -> bool:
        """Whether a window manager was there within so many seconds."""
        return self._wait(lambda: self.manager_name() is not None, seconds)

    def _client_of(self, window: int) -> tuple[int, int]:
        mask = self._server.connection.get_setup().resource_id_mask
        return window & ~mask, mask

    def _wait(self, happened: Callable[[], bool], seconds: float) -> bool:
        """Look again at each change of the root window's properties, which is how a window manager tells."""
        self._server.select_root_events(xcffib.xproto.EventMask.PropertyChange)
        try:
            return self._server.wait_until(happened, seconds)
        finally:
            self._server.select_root_events(0)
            self._server.drain()

    def _managed(self) -> Sequence[int]:
        """Window numbers, bottom to top."""
        root = self._server.root
        for name in ("_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST"):
            numbers = self._server.numbers(root, name)
            if numbers:
                return numbers
        if self.manager_name() is not None:
            return ()
        # No window manager: the windows that would be managed are the mapped ones that name a class.
        children = list(self._server.core.QueryTree(root).reply().children)
        return [child for child in children if self._server.ask_property(child, "WM_CLASS").raw()[2]]


class _Questions:
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
        self.geometry = server.core.GetGeometry(window)
        self.place = server.core.TranslateCoordinates(window, server.root, 0, 0)

    def answer(self, active: int | None) -> Window | None:
        """The window, None where it has gone meanwhile."""
        title = self.name.text() or self.old_name.text()
        classes = self.window_class.raw()[2].split(b"\0")
        pids, kinds, states = self.pid.numbers(), self.kind.numbers(), self.state.numbers()
        workspaces, borders = self.workspace.numbers(), self.frame.numbers()
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
            workspace=workspaces[0] if workspaces and workspaces[0] != _EVERY_WORKSPACE else None,
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
