"""A window of the test's own, on a connection of its own: it shows known colours and tells what came to it."""

import os
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Self

import xcffib
import xcffib.xproto

from deskhand.model.geometry import Point, Rect
from deskhand.platforms.x11.connection import XServer
from tests.support.applications import eventually

_EVENTS = (
    xcffib.xproto.EventMask.KeyPress
    | xcffib.xproto.EventMask.KeyRelease
    | xcffib.xproto.EventMask.ButtonPress
    | xcffib.xproto.EventMask.ButtonRelease
    | xcffib.xproto.EventMask.PointerMotion
    | xcffib.xproto.EventMask.Exposure
    | xcffib.xproto.EventMask.StructureNotify
)


class XWindow:
    """A mapped window that keeps to the place it was given, as far as the window manager lets it.

    `pings` makes it say that it answers the window manager's question whether it is alive; it never does. `closes`
    makes it say that it can be asked to close; what it does then is up to the test (`asked_to_close`).
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        place: Rect,
        *,
        colour: int = 0x808080,
        title: str = "plain",
        managed: bool = True,
        border: int = 0,
        kind: str = "_NET_WM_WINDOW_TYPE_NORMAL",
        pings: bool = False,
        closes: bool = False,
        takes_keyboard: bool = True,
        shown: bool = True,
        server: XServer | None = None,
    ) -> None:
        self.server = server or XServer(environment)
        self._owns_server = server is None
        self.core: Any = self.server.core
        self.id = self.server.new_id()
        self._context = self.server.new_id()
        self.keys: list[tuple[bool, int, int]] = []
        """(pressed, keycode, modifiers that were down before) of each key that came."""
        self.buttons: list[tuple[bool, int, int]] = []
        """(pressed, button, modifiers) of each button that came."""
        self.motions: list[Point] = []
        self.asked_to_close = False
        self._create(place, colour, border, managed)
        self._describe(place, title, kind)
        self._promise(pings=pings, closes=closes, takes_keyboard=takes_keyboard)
        self.core.CreateGC(self._context, self.id, 0, [])
        if shown:
            self.core.MapWindow(self.id)
            eventually(lambda: self.is_viewable, what=f"the window {title!r}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Make it vanish."""
        self.core.DestroyWindow(self.id)
        self.server.sync()
        if self._owns_server:
            self.server.close()

    @property
    def is_viewable(self) -> bool:
        return bool(self.core.GetWindowAttributes(self.id).reply().map_state == xcffib.xproto.MapState.Viewable)

    @property
    def place(self) -> Rect:
        """Where its contents are on the screen now."""
        size = self.core.GetGeometry(self.id).reply()
        corner = self.core.TranslateCoordinates(self.id, self.server.root, 0, 0).reply()
        return Rect(corner.dst_x, corner.dst_y, size.width, size.height)

    def paint(self, part: Rect, colour: int) -> None:
        """Fill a part of it (its own coordinates) with 0xRRGGBB, now."""
        self.core.ChangeGC(self._context, xcffib.xproto.GC.Foreground, [colour])
        rectangle = struct.pack("<hhHH", *part)
        self.core.PolyFillRectangle(self.id, self._context, 1, [rectangle])
        self.server.sync()

    def keep(self, picture: Sequence[tuple[Rect, int]]) -> None:
        """Show these parts in these colours from now on, by itself: the X server repaints them."""
        place, pixmap = self.place, self.server.new_id()
        self.core.CreatePixmap(self.server.root_depth, pixmap, self.id, place.width, place.height)
        for part, colour in picture:
            self.core.ChangeGC(self._context, xcffib.xproto.GC.Foreground, [colour])
            self.core.PolyFillRectangle(pixmap, self._context, 1, [struct.pack("<hhHH", *part)])
        self.core.ChangeWindowAttributes(self.id, xcffib.xproto.CW.BackPixmap, [pixmap])
        self.core.FreePixmap(pixmap)
        self.core.ClearArea(False, self.id, 0, 0, 0, 0)
        self.server.sync()

    def show_pointer_as(self, colour: int, size: int) -> None:
        """While the pointer is over this window it is a square, and points with its top left corner."""
        one_bit, context, cursor = self.server.new_id(), self.server.new_id(), self.server.new_id()
        self.core.CreatePixmap(1, one_bit, self.id, size, size)
        self.core.CreateGC(context, one_bit, xcffib.xproto.GC.Foreground, [1])
        self.core.PolyFillRectangle(one_bit, context, 1, [struct.pack("<hhHH", 0, 0, size, size)])
        red, green, blue = ((colour >> shift & 0xFF) * 0x101 for shift in (16, 8, 0))
        self.core.CreateCursor(cursor, one_bit, one_bit, red, green, blue, 0, 0, 0, 0, 0)
        self.core.ChangeWindowAttributes(self.id, xcffib.xproto.CW.Cursor, [cursor])
        self.server.sync()

    def stay_on_top(self) -> None:
        """Stay above all windows that do not ask for the same."""
        above = self.server.atom("_NET_WM_STATE_ABOVE")
        self.server.send_to_root(self.id, "_NET_WM_STATE", [1, above, 0, 1])
        eventually(lambda: above in self.server.numbers(self.id, "_NET_WM_STATE"), what="staying on top")

    def move_to_workspace(self, number: int) -> None:
        """Ask the window manager to put it on another workspace."""
        self.server.send_to_root(self.id, "_NET_WM_DESKTOP", [number, 2])

    def grab_pointer(self) -> None:
        """Hold the pointer within this window, as games do, until it vanishes."""
        reply = self.core.GrabPointer(False, self.id, _EVENTS & 0x7C, 1, 1, self.id, 0, 0).reply()
        assert reply.status == xcffib.xproto.GrabStatus.Success

    def listen(self) -> Self:
        """Take in the events that have come."""
        while (event := self.server.connection.poll_for_event()) is not None:
            kind = type(event)
            pressed = kind in (xcffib.xproto.KeyPressEvent, xcffib.xproto.ButtonPressEvent)
            if kind in (xcffib.xproto.KeyPressEvent, xcffib.xproto.KeyReleaseEvent):
                self.keys.append((pressed, event.detail, event.state & 0xFF))
            elif kind in (xcffib.xproto.ButtonPressEvent, xcffib.xproto.ButtonReleaseEvent):
                self.buttons.append((pressed, event.detail, event.state & 0xFF))
            elif kind is xcffib.xproto.MotionNotifyEvent:
                self.motions.append(Point(event.root_x, event.root_y))
            elif kind is xcffib.xproto.ClientMessageEvent:
                self.asked_to_close |= event.data.data32[0] == self.server.atom("WM_DELETE_WINDOW")
        return self

    def next_key(self) -> tuple[bool, int, int]:
        """What came first of keys, and forget all that came; fails the test where nothing does."""
        first = eventually(lambda: self.listen().keys, what="a key")[0]
        self.keys.clear()
        return first

    def next_button(self) -> tuple[bool, int, int]:
        """What came first of buttons, and forget all that came; fails the test where nothing does."""
        first = eventually(lambda: self.listen().buttons, what="a button")[0]
        self.buttons.clear()
        return first

    def focus(self) -> None:
        """Take the keyboard, without asking the window manager."""
        self.core.SetInputFocus(xcffib.xproto.InputFocus.Parent, self.id, 0)
        self.server.sync()
        eventually(lambda: self.core.GetInputFocus().reply().focus == self.id, what="the keyboard")

    # ------------------------------------------------------------ inside

    def _create(self, place: Rect, colour: int, border: int, managed: bool) -> None:
        attributes = xcffib.xproto.CW
        mask = attributes.BackPixel | attributes.BorderPixel | attributes.OverrideRedirect | attributes.EventMask
        values = [colour, 0, int(not managed), _EVENTS]
        self.core.CreateWindow(0, self.id, self.server.root, *place, border, 1, 0, mask, values)

    def _describe(self, place: Rect, title: str, kind: str) -> None:
        self.set_text("WM_NAME", title)
        self.set_text("_NET_WM_NAME", title, kind="UTF8_STRING")
        self.set_text("WM_CLASS", "xwindow\0XWindow\0")
        self.set_numbers("_NET_WM_PID", "CARDINAL", [os.getpid()])
        self.set_numbers("_NET_WM_WINDOW_TYPE", "ATOM", [self.server.atom(kind)])
        # Places and sizes as the user wishes (ICCCM 4.1.2.3): flags, x, y, width, height, and nothing more.
        self.set_numbers("WM_NORMAL_HINTS", "WM_SIZE_HINTS", [1 << 0 | 1 << 1, *place, *[0] * 13])

    def _promise(self, *, pings: bool, closes: bool, takes_keyboard: bool) -> None:
        names = ["_NET_WM_PING"] * pings + ["WM_DELETE_WINDOW"] * closes
        self.set_numbers("WM_PROTOCOLS", "ATOM", [self.server.atom(name) for name in names])
        # Flags (the input hint is there), input, and nothing more (ICCCM 4.1.2.4).
        self.set_numbers("WM_HINTS", "WM_HINTS", [1, int(takes_keyboard), *[0] * 7])

    def set_text(self, name: str, value: str, kind: str = "STRING", encoding: str = "utf-8") -> None:
        """Set a property."""
        data = value.encode(encoding)
        replace = xcffib.xproto.PropMode.Replace
        self.core.ChangeProperty(replace, self.id, self.server.atom(name), self.server.atom(kind), 8, len(data), data)

    def set_numbers(self, name: str, kind: str, values: Sequence[int]) -> None:
        """Set a property of 32-bit numbers."""
        data = struct.pack(f"<{len(values)}I", *(value & 0xFFFFFFFF for value in values))
        replace = xcffib.xproto.PropMode.Replace
        self.core.ChangeProperty(
            replace, self.id, self.server.atom(name), self.server.atom(kind), 32, len(values), data
        )
