"""Asking whoever sits at an X desktop, in a small window with two buttons."""

import contextlib
import struct
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import xcffib.xproto

from deskhand.model.errors import Unsupported
from deskhand.model.geometry import Point
from deskhand.model.question import Answer, Question
from deskhand.model.turn import HasFileno
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.dialogs.person import (
    Closed,
    Happening,
    Key,
    PersonEvents,
    Press,
    Redraw,
    devices_of_programs,
)
from deskhand.platforms.x11.dialogs.picture import DialogPicture, draw
from deskhand.platforms.x11.displays import X11Displays
from deskhand.platforms.x11.errors import translate_errors

_EVENTS: Final = xcffib.xproto.EventMask.Exposure | xcffib.xproto.EventMask.StructureNotify
_Z_PIXMAP: Final = 2
_BYTES_AT_ONCE: Final = 1 << 17
_TOO_SOON_SECONDS: Final = 0.6
"""Whoever was about to press something else when the window came has not meant it."""
_ESCAPE, _OTHER, _CHOSEN = (0xFF1B,), (0xFF09, 0xFF51, 0xFF53), (0xFF0D, 0xFF8D, 0x20)


@translate_errors
class X11Dialogs:
    """The windows in which questions are asked."""

    def __init__(self, server: XServer) -> None:
        self._server = server

    def check(self) -> None:
        """Raise Unsupported where a person cannot be told from a program, or the screen has few colors."""
        _check_colors(self._server)
        devices_of_programs(self._server)

    def ask(self, question: Question, wait: Callable[[Sequence[HasFileno], float], bool], seconds: float) -> Answer:
        """Ask, and wait so many seconds for a person's answer; ABORT where the window is closed, or nobody answers.

        `wait` waits for something to read, and may raise to stop. What programs press counts for nothing. Raises
        Unsupported where a person cannot be told from a program, or the screen has few colors.
        """
        with contextlib.closing(self._server.another()) as server:
            return _Dialog(server, question).wait_for_answer(wait, seconds)


class _Dialog:
    """One window, on a connection of its own: it goes with that."""

    def __init__(self, server: XServer, question: Question) -> None:
        _check_colors(server)
        self._server = server
        self._question = question
        self._chosen = Answer.DENY
        self._picture = draw(question, self._chosen)
        self._window = self._create(self._picture)
        self._events = PersonEvents(server, self._window)
        self._context = server.new_id()
        server.core.CreateGC(self._context, self._window, 0, [])
        server.core.MapWindow(self._window)
        server.flush()
        self._since = time.monotonic()
        self._keys = _keys_of(server)

    def fileno(self) -> int:
        return int(self._server.connection.get_file_descriptor())

    def wait_for_answer(self, wait: Callable[[Sequence[HasFileno], float], bool], seconds: float) -> Answer:
        deadline = self._since + seconds
        while True:
            for happening in self._events.take():
                answer = self._answer_to(happening)
                if answer is not None:
                    return answer
            left = deadline - time.monotonic()
            if left <= 0:
                return Answer.ABORT
            wait([self], left)

    # ------------------------------------------------------------ inside

    def _answer_to(self, happening: Happening) -> Answer | None:
        is_too_soon = time.monotonic() - self._since < _TOO_SOON_SECONDS
        match happening:
            case Redraw():
                self._show()
            case Closed():
                return Answer.ABORT
            case Key(keycode) if not is_too_soon:
                return self._answer_to_key(self._keys.get(keycode, ()))
            case Press(at) if not is_too_soon:
                return self._picture.button_at(at)
        return None

    def _answer_to_key(self, symbols: Sequence[int]) -> Answer | None:
        if set(_ESCAPE).intersection(symbols):
            return Answer.ABORT
        if set(_OTHER).intersection(symbols):
            self._chosen = Answer.ALLOW if self._chosen is Answer.DENY else Answer.DENY
            self._picture = draw(self._question, self._chosen)
            self._show()
        return self._chosen if set(_CHOSEN).intersection(symbols) else None

    def _create(self, picture: DialogPicture) -> int:
        server, window = self._server, self._server.new_id()
        width, height = picture.image.size
        place = _middle_of(server, width, height)
        mask = xcffib.xproto.CW.BackPixel | xcffib.xproto.CW.EventMask
        server.core.CreateWindow(
            xcffib.xproto.WindowClass.CopyFromParent,
            window,
            server.root,
            place.x,
            place.y,
            width,
            height,
            0,
            xcffib.xproto.WindowClass.InputOutput,
            server.root_visual,
            mask,
            [0xFAFAFA, _EVENTS],
        )
        self._tell_window_manager(window, place, width, height)
        return window

    def _tell_window_manager(self, window: int, place: Point, width: int, height: int) -> None:
        server, atom = self._server, self._server.atom
        kept = "_NET_WM_STATE_ABOVE", "_NET_WM_STATE_STICKY", "_NET_WM_STATE_DEMANDS_ATTENTION"
        for name, value in (
            ("_NET_WM_WINDOW_TYPE", ["_NET_WM_WINDOW_TYPE_DIALOG"]),
            ("_NET_WM_STATE", kept),
            ("WM_PROTOCOLS", ["WM_DELETE_WINDOW"]),
        ):
            server.set_property(window, atom(name), atom("ATOM"), 32, struct.pack(f"<{len(value)}I", *map(atom, value)))
        title = self._question.title.encode()
        server.set_property(window, atom("_NET_WM_NAME"), atom("UTF8_STRING"), 8, title)
        server.set_property(window, atom("WM_NAME"), atom("STRING"), 8, title)
        server.set_property(window, atom("WM_CLASS"), atom("STRING"), 8, b"deskhand\0Deskhand\0")
        # As the user had placed it (flag 1), of this size and no other (16, 32).
        hints = struct.pack("<18I", 1 | 16 | 32, place.x, place.y, width, height, *(width, height) * 2, *[0] * 9)
        server.set_property(window, atom("WM_NORMAL_HINTS"), atom("WM_SIZE_HINTS"), 32, hints)

    def _show(self) -> None:
        width, height = self._picture.image.size
        data = self._picture.image.tobytes("raw", "BGRX")
        rows = max(1, _BYTES_AT_ONCE // (4 * width))
        for top in range(0, height, rows):
            part = data[4 * width * top : 4 * width * (top + rows)]
            self._server.core.PutImage(
                _Z_PIXMAP,
                self._window,
                self._context,
                width,
                len(part) // (4 * width),
                0,
                top,
                0,
                self._server.root_depth,
                len(part),
                part,
            )
        self._server.flush()


def _check_colors(server: XServer) -> None:
    if server.root_depth not in (24, 32):
        raise Unsupported(
            f"a screen of {server.root_depth} bits a pixel shows no question",
            recovery="grant it ahead of time (deskhand --grant APP), or use a client that can ask its user",
        )


def _middle_of(server: XServer, width: int, height: int) -> Point:
    """Where a window lies in the middle of the main display, in screen pixels."""
    display = X11Displays(server).all()[0].bounds
    return Point(display.x + max(0, display.width - width) // 2, display.y + max(0, display.height - height) // 2)


def _keys_of(server: XServer) -> dict[int, tuple[int, ...]]:
    """What is on each key."""
    first, count = server.keycodes.start, len(server.keycodes)
    reply: Any = server.core.GetKeyboardMapping(first, count).reply()
    size, symbols = reply.keysyms_per_keycode, list(reply.keysyms)
    return {first + at: tuple(symbols[at * size : (at + 1) * size]) for at in range(count)}
