"""Which pixels change: of the screen, or of one window with its frame, also where others cover it (XDamage)."""

import contextlib
import select
import time
from collections.abc import Sequence
from typing import Any, Final, Self

import xcffib
import xcffib.damage
import xcffib.xfixes
import xcffib.xproto

from deskhand.model.errors import NotFound
from deskhand.model.geometry import Rect
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.errors import translate_errors

_REPORT_NON_EMPTY: Final = 3


class _Damage:
    """What has changed of one drawable."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        self._damage: Any = server.extension(xcffib.damage)
        self._damage.QueryVersion(1, 1).reply()
        self._xfixes: Any = server.extension(xcffib.xfixes)
        self._xfixes.QueryVersion(5, 0).reply()
        self._id = self._region = 0

    def watch(self, drawable: int) -> None:
        self._id, self._region = self._server.new_id(), self._server.new_id()
        self._xfixes.CreateRegion(self._region, 0, [])
        self._damage.Create(self._id, drawable, _REPORT_NON_EMPTY, is_checked=True).check()

    def forget(self) -> None:
        # The X server has destroyed it already where the drawable has gone.
        with contextlib.suppress(xcffib.xproto.DrawableError, xcffib.damage.BadDamageError):
            self._damage.Destroy(self._id, is_checked=True).check()
        self._xfixes.DestroyRegion(self._region)

    def take(self) -> list[Rect]:
        """What has changed since the last time, which is then forgotten."""
        # What is taken off is what is handed over, so no change gets lost in between.
        taking = self._damage.Subtract(self._id, 0, self._region, is_checked=True)
        changed = self._xfixes.FetchRegion(self._region).reply().rectangles
        taking.check()
        return [Rect(part.x, part.y, part.width, part.height) for part in changed]


@translate_errors
class X11Changes:
    """Reports of changed pixels of a drawable, while it is entered. The connection must serve nothing else."""

    def __init__(self, server: XServer, drawable: int) -> None:
        self._server = server
        self._drawable = drawable
        self._damage = _Damage(server)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Report what changes from now on."""
        self._damage.watch(self._drawable)
        self.take()  # a new watch begins with a report of the whole window

    def stop(self) -> None:
        """Report no more."""
        self._damage.forget()
        self._server.sync()
        self._server.drain()

    def close(self) -> None:
        self._server.close()

    def fileno(self) -> int:
        return int(self._server.connection.get_file_descriptor())

    def take(self) -> Sequence[Rect]:
        """The parts that have changed since the last time, in screen pixels (of a window: its own)."""
        found: list[Rect] = []
        # Until nothing more has come: reading an answer may have read an event, of which the socket would not tell.
        while self._is_reported():
            found += self._damage.take()
        return found

    def wait_until_quiet(self, quiet: float, limit: float) -> bool:
        """Wait until nothing has changed for `quiet` seconds, at most `limit`; whether it has become quiet."""
        deadline = time.monotonic() + limit
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        while time.monotonic() < deadline:
            if not self.take() and not poll.poll(min(quiet, max(0.0, deadline - time.monotonic())) * 1000):
                return True
        return False

    def _is_reported(self) -> bool:
        """Whether a change has been reported since it was last asked."""
        return self._server.next_event(lambda event: isinstance(event, xcffib.damage.NotifyEvent), 0.0) is not None


@translate_errors
class X11WindowChanges:
    """Reports of what changes of a window with its frame: pixels, place, size, being shown.

    The connection must serve nothing else, and is closed with it. Raises NotFound as soon as the window has gone.
    """

    def __init__(self, server: XServer, window: int) -> None:
        self._server = server
        self._window = window
        self._damage = _Damage(server)

    def start(self) -> None:
        """Report what changes from now on."""
        attribute, events = xcffib.xproto.CW.EventMask, xcffib.xproto.EventMask.StructureNotify
        self._server.core.ChangeWindowAttributes(self._window, attribute, [events], is_checked=True).check()
        self._damage.watch(self._server.top_level(self._window))
        self.take()

    def close(self) -> None:
        self._server.close()

    def fileno(self) -> int:
        return int(self._server.connection.get_file_descriptor())

    def take(self) -> Sequence[Rect]:
        """The parts of the frame that have changed since the last time; all of it where it has become another."""
        found: list[Rect] = []
        while (event := self._server.next_event(lambda _: True, 0.0)) is not None:
            if isinstance(event, xcffib.xproto.DestroyNotifyEvent):
                raise NotFound("the window has closed", recovery="call list_windows_tool to see the windows there are")
            if isinstance(event, xcffib.xproto.ReparentNotifyEvent):
                self._follow()
            found += self._changed(event)
        return found

    def _changed(self, event: Any) -> list[Rect]:
        if not isinstance(event, xcffib.damage.NotifyEvent):
            return [Rect(0, 0, *self._server.screen_size())]
        try:
            return self._damage.take()
        except (xcffib.xproto.DrawableError, xcffib.damage.BadDamageError):
            return []  # its frame has gone, and what has become of the window is told by the next event

    def _follow(self) -> None:
        """Watch the frame that the window has now: the one before may have gone."""
        self._damage.forget()
        with contextlib.suppress(xcffib.xproto.WindowError, xcffib.xproto.DrawableError):
            self._damage.watch(self._server.top_level(self._window))
