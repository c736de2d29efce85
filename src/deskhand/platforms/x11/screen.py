"""Pixels of the screen and of windows, also of covered ones."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import xcffib
import xcffib.composite
import xcffib.xproto

from deskhand.model.errors import NotPossible
from deskhand.model.geometry import Point, Rect, Size
from deskhand.model.image import Capture
from deskhand.platforms.x11.changes import X11Changes, X11WindowChanges
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.errors import translate_errors
from deskhand.platforms.x11.rendering import Renderer
from deskhand.platforms.x11.shared_memory import PixelReader

_AUTOMATIC: Final = 0
_REPAINT_SECONDS: Final = 0.5
_REPAINT_QUIET_SECONDS: Final = 0.06


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
                recovery="bring it to the front with app_activate or ax_raise, then try again",
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

    @contextlib.contextmanager
    def window_changes(self, window: int) -> Iterator[X11WindowChanges]:
        """Watch what changes of a window with its frame while the block runs, also where others cover it."""
        with contextlib.closing(X11WindowChanges(XServer(self._environment), window)) as watch:
            watch.start()
            yield watch

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
