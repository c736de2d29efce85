"""Pixels of the screen and of windows, also of covered ones, and which parts of it change."""

import contextlib
import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Self

import xcffib
import xcffib.composite
import xcffib.damage
import xcffib.xfixes
import xcffib.xproto

from deskhand.model.errors import NotPossible
from deskhand.model.geometry import Point, Rect, Size
from deskhand.model.image import Capture
from deskhand.platforms.x11.connection import XServer, translate_errors
from deskhand.platforms.x11.rendering import Renderer
from deskhand.platforms.x11.shared_memory import PixelReader

_AUTOMATIC: Final = 0
_REPORT_NON_EMPTY: Final = 3
_REPAINT_SECONDS: Final = 0.5
_REPAINT_QUIET_SECONDS: Final = 0.06


@translate_errors
class X11Changes:
    """Reports of changed pixels of a window, while it is entered (XDamage). The connection must serve nothing else."""

    def __init__(self, server: XServer, window: int) -> None:
        self._server = server
        self._window = window
        self._damage: Any = server.extension(xcffib.damage)
        self._damage.QueryVersion(1, 1).reply()
        self._xfixes: Any = server.extension(xcffib.xfixes)
        self._xfixes.QueryVersion(5, 0).reply()
        self._id = self._region = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Report what changes from now on."""
        self._id, self._region = self._server.new_id(), self._server.new_id()
        self._xfixes.CreateRegion(self._region, 0, [])
        self._damage.Create(self._id, self._window, _REPORT_NON_EMPTY, is_checked=True).check()
        self.take()  # a new watch begins with a report of the whole window

    def stop(self) -> None:
        """Report no more."""
        self._damage.Destroy(self._id)
        self._xfixes.DestroyRegion(self._region)
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
            # What is taken off is what is handed over, so no change gets lost in between.
            self._damage.Subtract(self._id, 0, self._region)
            changed = self._xfixes.FetchRegion(self._region).reply().rectangles
            found += [Rect(part.x, part.y, part.width, part.height) for part in changed]
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
class X11Screen:
    """The picture an X screen shows."""

    def __init__(self, server: XServer, environment: Mapping[str, str]) -> None:
        self._server = server
        self._environment = environment
        self._reader = PixelReader(server)
        self._idle: list[X11Changes] = []

    @cached_property
    def _renderer(self) -> Renderer:
        return Renderer(self._server)

    @cached_property
    def _composite(self) -> Any:
        composite = self._server.extension(xcffib.composite)
        composite.QueryVersion(0, 4).reply()
        return composite

    def size(self) -> Size:
        """The size of the whole screen, all displays, in pixels."""
        return self._server.screen_size()

    def grab(self, part: Rect, size: Size | None = None, *, pointer: bool = True) -> Capture:
        """A part of the screen, scaled down to `size`, with the pointer drawn in.

        `part` must lie within the screen.
        """
        size = size or part.size
        if size == part.size and not pointer:
            return Capture(self._reader.read(self._server.root, *part), size, part)
        origin = Point(0, 0) if pointer else None
        pixmap = self._renderer.compose(self._server.root, self._server.root_visual, part, size, origin)
        return self._take(pixmap, size, part)

    def grab_window(self, window: int, shrink: Callable[[Size], Size], *, pointer: bool = True) -> Capture:
        """A window with its frame, also where others cover it; `shrink` says how large the picture of a size may be.

        Raises NotPossible for a window that is not on the screen (minimized, or on another workspace), NotFound where
        it has gone.
        """
        frame = self._server.top_level(window)
        attributes = self._server.core.GetWindowAttributes(frame).reply()
        if attributes.map_state != xcffib.xproto.MapState.Viewable:
            raise NotPossible(
                "that window is minimized or on another workspace: it has no picture",
                recovery="bring it to the front with app_activate or ax_raise, then take the screenshot again",
            )
        source = self._place_of(frame)
        size = shrink(source.size)
        contents = self._contents_of(frame)
        origin = Point(source.x, source.y) if pointer else None
        part = Rect(0, 0, *source.size)
        pixmap = self._renderer.compose(contents, attributes.visual, part, size, origin)
        self._server.core.FreePixmap(contents)
        return self._take(pixmap, size, source)

    @contextlib.contextmanager
    def changes(self) -> Iterator[X11Changes]:
        """Watch what changes on the screen while the block runs."""
        # Connections are kept: one act may watch while another watch goes on around it, each on its own.
        watch = self._idle.pop() if self._idle else X11Changes(XServer(self._environment), self._server.root)
        try:
            with watch:
                yield watch
        finally:
            self._idle.append(watch)

    def close(self) -> None:
        """Let go of what watching and reading pixels needed."""
        for watch in self._idle:
            watch.close()
        self._idle.clear()
        self._reader.close()

    def keep_contents(self) -> None:
        """Keep the contents of every window apart from what covers it, as a compositing window manager does."""
        self._composite.RedirectSubwindows(self._server.root, _AUTOMATIC)
        self._server.sync()

    def _take(self, pixmap: int, size: Size, source: Rect) -> Capture:
        try:
            return Capture(self._reader.read(pixmap, 0, 0, *size), size, source)
        finally:
            self._server.core.FreePixmap(pixmap)

    def _place_of(self, frame: int) -> Rect:
        """Where a window is, with the border that the X server draws around it."""
        geometry = self._server.core.GetGeometry(frame).reply()
        borders = 2 * geometry.border_width
        return Rect(geometry.x, geometry.y, geometry.width + borders, geometry.height + borders)

    def _contents_of(self, frame: int) -> int:
        """A pixmap of all that a window shows; the caller frees it."""
        with contextlib.suppress(xcffib.Error):
            return self._name_contents(frame)  # somebody keeps it apart already: us, or a compositing window manager
        server = XServer(self._environment)
        with contextlib.closing(server), X11Changes(server, frame) as changes:
            self._composite.RedirectWindow(frame, _AUTOMATIC, is_checked=True).check()
            # What was covered until now has to be painted by its application first.
            changes.wait_until_quiet(_REPAINT_QUIET_SECONDS, _REPAINT_SECONDS)
        return self._name_contents(frame)

    def _name_contents(self, frame: int) -> int:
        pixmap = self._server.new_id()
        self._composite.NameWindowPixmap(frame, pixmap, is_checked=True).check()
        return pixmap
