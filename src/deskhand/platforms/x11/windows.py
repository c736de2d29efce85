"""Windows as the window manager tells of them, and what it can be asked to do with them (EWMH 1.5)."""

import time
from collections.abc import Callable, Collection, Sequence
from typing import Final

import xcffib
import xcffib.xproto

from deskhand.model.errors import NotPossible
from deskhand.model.geometry import Rect
from deskhand.model.window import Arrangement, Owner, PopupKind, Window
from deskhand.platforms.linux.patience import Patience
from deskhand.platforms.x11.arrangement import EVERY_WORKSPACE, Questions, Root, about
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.errors import translate_errors
from deskhand.platforms.x11.owners import Owners
from deskhand.platforms.x11.ping import wait_until_handled
from deskhand.platforms.x11.unmanaged import UnmanagedWindows
from deskhand.platforms.x11.window_events import X11WindowEvents

_PAGER: Final = 2  # source indication: the user's own wish, which window managers grant
_ICONIC: Final = 3
_ACTIVATION_SECONDS: Final = 2.0
_ASK_AGAIN: Final = 0.05
_PROPERTIES: Final = xcffib.xproto.EventMask.PropertyChange
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
_POPUP_KINDS: Final = {
    "_NET_WM_WINDOW_TYPE_TOOLTIP": PopupKind.TOOLTIP,
    "_NET_WM_WINDOW_TYPE_MENU": PopupKind.MENU,
    "_NET_WM_WINDOW_TYPE_POPUP_MENU": PopupKind.MENU,
    "_NET_WM_WINDOW_TYPE_DROPDOWN_MENU": PopupKind.MENU,
}


@translate_errors
class X11Windows:
    """The windows of an X screen."""

    def __init__(self, server: XServer, patience: Patience | None = None) -> None:
        self._server = server
        self._patience = patience or Patience()
        self._unmanaged = UnmanagedWindows(server)
        self._owners = Owners(server)
        server.intern(_ATOMS)

    def arrangement(self) -> Arrangement:
        """All managed windows, as they are at one moment."""
        root = Root(self._server)
        questions = [Questions(self._server, window) for window in reversed(root.stacked)]
        if root.is_managed():
            return Arrangement(about(questions, root.active), root.workspace)
        about(questions, None)  # a dead window manager's list: no answer may be left lying
        questions = [Questions(self._server, window) for window in reversed(self._unmanaged.all())]
        return Arrangement(about(questions, self._unmanaged.active()))

    def all(self) -> Sequence[Window]:
        """Every managed window, topmost first."""
        return self.arrangement().windows

    def active_id(self) -> int | None:
        """The window that has the keyboard, as the window manager sees it."""
        root = Root(self._server)
        return root.active if root.is_managed() else self._unmanaged.active()

    def active(self) -> Window | None:
        """The window that has the keyboard."""
        active = self.active_id()
        return Questions(self._server, active).answer(active) if active else None

    def activate(self, window: int) -> bool:
        """Bring a window to the front and give it the keyboard; whether that had happened within 2 s.

        Raises NotFound where it has gone.
        """
        self._server.core.GetGeometry(window).reply()
        if self.active_id() == window:
            return True  # asking again would close its open menu
        if not self._is_managed():
            self._unmanaged.activate(window)
        else:
            self._show_workspace_of(window)
            self._server.send_to_root(window, "_NET_ACTIVE_WINDOW", [_PAGER, 0, 0])
        return self._wait(lambda: self.active_id() == window, _ACTIVATION_SECONDS)

    def _show_workspace_of(self, window: int) -> None:
        """Go where the window is: Openbox gives no window of another workspace the keyboard."""
        its = self._server.numbers(window, "_NET_WM_DESKTOP")[:1]
        if its and its[0] != EVERY_WORKSPACE and its != self._server.numbers(self._server.root, "_NET_CURRENT_DESKTOP"):
            self._server.send_to_root(self._server.root, "_NET_CURRENT_DESKTOP", [its[0], 0])

    def close(self, window: int) -> None:
        """Ask a window to close, as its close button would."""
        if not self._is_managed():
            self._unmanaged.close(window)
        else:
            self._server.send_to_root(window, "_NET_CLOSE_WINDOW", [0, _PAGER])

    def minimize(self, window: int) -> None:
        """Minimize a window."""
        if not self._is_managed():
            raise NotPossible(
                "there is no window manager, which is what minimizes windows", recovery="start a window manager"
            )
        self._server.send_to_root(window, "WM_CHANGE_STATE", [_ICONIC])

    def in_front(self) -> Owner | None:
        """Who gets the keys that are pressed now."""
        return self._owners.in_front()

    def before_a_press(self) -> tuple[Owner | None, Owner | None]:
        """Who is in front, and who would get a press of the pointer where it is."""
        return self._owners.before_a_press()

    def owner(self, window: int) -> Owner | None:
        """Who a window belongs to."""
        return self._owners.of(window)

    def popups(self, window: int, kinds: Collection[PopupKind] = tuple(PopupKind)) -> Sequence[Rect]:
        """The mapped windows of the same client that the window manager does not manage: menus, tooltips.

        Screen pixels, the lowest first.
        """
        base, mask = self._client_of(window)
        children = self._server.core.QueryTree(self._server.root).reply().children
        own = [child for child in children if child & ~mask == base]
        questions = [
            (
                self._server.core.GetWindowAttributes(child),
                self._server.core.GetGeometry(child),
                self._server.ask_property(child, "_NET_WM_WINDOW_TYPE"),
            )
            for child in own
        ]
        found: list[Rect] = []
        for attributes, geometry, types in questions:
            try:
                kind = self._kind_of_popup(types.numbers())
                reply, place = attributes.reply(), geometry.reply()
            except xcffib.Error:
                continue
            if kind not in kinds:
                continue
            if reply.override_redirect and reply.map_state == xcffib.xproto.MapState.Viewable:
                found.append(Rect(place.x, place.y, place.width, place.height))
        return found

    def _kind_of_popup(self, types: Sequence[int]) -> PopupKind:
        known = (_POPUP_KINDS.get(self._server.atom_name(one)) for one in types)
        return next((kind for kind in known if kind is not None), PopupKind.OTHER)

    def wait_until_handled(self, window: int, seconds: float, go_on: Callable[[], None] = lambda: None) -> bool:
        """Wait until a window's application has handled all input sent before; False where it did not say so."""
        return wait_until_handled(self._server, window, seconds, self._patience, go_on)

    def manager_name(self) -> str | None:
        """The name of the window manager, None where there is none."""
        owner = self._server.numbers(self._server.root, "_NET_SUPPORTING_WM_CHECK")
        return self._server.text(owner[0], "_NET_WM_NAME") or None if owner else None

    def events(self) -> X11WindowEvents:
        """Hear from now on when windows come, go, move, or get the keyboard."""
        return X11WindowEvents(self._server.another())

    def wait_for_manager(self, seconds: float) -> bool:
        """Whether a window manager was there, and at work, within so many seconds."""
        deadline = time.monotonic() + seconds
        if not self._wait(lambda: self.manager_name() is not None, seconds):
            return False
        probe = self._server.new_id()
        self._server.core.CreateWindow(
            0, probe, self._server.root, -10, -10, 1, 1, 0, 2, 0, xcffib.xproto.CW.EventMask, [_PROPERTIES]
        )
        try:
            return self._answers(probe, deadline)
        finally:
            self._server.core.DestroyWindow(probe)

    def _answers(self, probe: int, deadline: float) -> bool:
        """Whether the window manager does what it is asked for.

        Openbox says that it is there before it listens: a window that is mapped in between may never be shown.
        """
        while time.monotonic() < deadline:
            self._server.send_to_root(probe, "_NET_REQUEST_FRAME_EXTENTS", [])
            if self._server.wait_until(lambda: bool(self._server.numbers(probe, "_NET_FRAME_EXTENTS")), _ASK_AGAIN):
                return True
        return False

    def _is_managed(self) -> bool:
        return Root(self._server).is_managed()

    def _client_of(self, window: int) -> tuple[int, int]:
        mask = self._server.connection.get_setup().resource_id_mask
        return window & ~mask, mask

    def _wait(self, happened: Callable[[], bool], seconds: float) -> bool:
        """Look again at each change of the root window's properties, which is how a window manager tells."""
        self._server.select_root_events(_PROPERTIES)
        try:
            return self._server.wait_until(happened, seconds)
        finally:
            self._server.select_root_events(0)
            self._server.drain()
