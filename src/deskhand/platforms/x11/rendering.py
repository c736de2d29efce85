"""Pixels put together in the X server: scaled down, with the pointer drawn in."""

import io
import struct
from typing import Any, Final

import xcffib.render
import xcffib.xfixes

from deskhand.model.geometry import Point, Rect, Size
from deskhand.platforms.x11.connection import XServer

_SOURCE, _OVER = 1, 3
_SUBWINDOW_MODE: Final = 1 << 8
_INCLUDE_INFERIORS: Final = 1
_Z_PIXMAP: Final = 2
_FIXED_ONE: Final = 1 << 16
_SET_PICTURE_FILTER: Final = 30
_BILINEAR: Final = b"bilinear"


class Renderer:
    """Draws into pixmaps with the XRender extension."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        self._render: Any = server.extension(xcffib.render)
        self._render.QueryVersion(0, 11).reply()
        self._xfixes: Any = server.extension(xcffib.xfixes)
        self._xfixes.QueryVersion(5, 0).reply()
        formats = self._render.QueryPictFormats().reply()
        self._visual_formats = {
            visual.visual: visual.format
            for screen in formats.screens
            for depth in screen.depths
            for visual in depth.visuals
        }
        self._argb = next(
            one.id
            for one in formats.formats
            if one.depth == 32 and one.direct.alpha_mask == 0xFF and one.direct.red_shift == 16
        )
        self._rgb = self._visual_formats[server.root_visual]

    def compose(self, drawable: int, visual: int, part: Rect, size: Size, pointer_at: Point | None) -> int:
        """A new pixmap of `size` that shows a part of a drawable; `pointer_at` is where its (0, 0) is on the screen.

        Each step halves at most: a bilinear filter looks at two pixels by two, so a larger step would skip some.
        The pointer is drawn in the first step and shrinks with the rest. The caller frees the pixmap.
        """
        now = _step(part.size, size)
        pixmap = self._pixmap(now)
        source = self._picture(drawable, self._visual_formats.get(visual, self._rgb), inferiors=True)
        target = self._picture(pixmap, self._rgb)
        self._draw(source, target, part, now)
        if pointer_at is not None:
            self._draw_pointer(target, part.moved(*pointer_at), now)
        self._free_pictures(source, target)
        while now != size:
            then = _step(now, size)
            smaller = self._pixmap(then)
            source, target = self._picture(pixmap, self._rgb), self._picture(smaller, self._rgb)
            self._draw(source, target, Rect(0, 0, *now), then)
            self._free_pictures(source, target)
            self._server.core.FreePixmap(pixmap)
            pixmap, now = smaller, then
        return pixmap

    def _draw(self, source: int, target: int, part: Rect, size: Size) -> None:
        """Fill the target with a part of the source, scaled to its size."""
        if part.size == size:
            self._composite(_SOURCE, source, target, part, Point(0, 0))
            return
        self._scale(source, Point(part.x, part.y), part.size, size)
        self._composite(_SOURCE, source, target, Rect(0, 0, *size), Point(0, 0))

    def _scale(self, source: int, origin: Point, now: Size, then: Size) -> None:
        """Make a picture appear scaled, with `origin` at its top left."""
        horizontal = round(now.width * _FIXED_ONE / then.width)
        vertical = round(now.height * _FIXED_ONE / then.height)
        x, y = origin.x * _FIXED_ONE, origin.y * _FIXED_ONE
        transform = xcffib.render.TRANSFORM.synthetic(horizontal, 0, x, 0, vertical, y, 0, 0, _FIXED_ONE)
        self._render.SetPictureTransform(source, transform)
        # Written here because xcffib 1.13 puts four bytes too many into SetPictureFilter.
        request = struct.pack("=xx2xIH2x", source, len(_BILINEAR)) + _BILINEAR
        self._render.send_request(_SET_PICTURE_FILTER, io.BytesIO(request))

    def _draw_pointer(self, target: int, shown: Rect, size: Size) -> None:
        """Draw the pointer where it is; the target shows this part of the screen in this size."""
        image = self._xfixes.GetCursorImage().reply()
        place = Rect(image.x - image.xhot - shown.x, image.y - image.yhot - shown.y, image.width, image.height)
        if not image.width or not image.height or place.intersection(Rect(0, 0, *shown.size)).is_empty:
            return
        picture = self._cursor_picture(image)
        to_x, to_y = size.width / shown.width, size.height / shown.height
        left, top = round(place.x * to_x), round(place.y * to_y)
        smaller = Size(max(1, round(place.width * to_x)), max(1, round(place.height * to_y)))
        if smaller != place.size:
            self._scale(picture, Point(0, 0), place.size, smaller)
        self._composite(_OVER, picture, target, Rect(0, 0, *smaller), Point(left, top))
        self._free_pictures(picture)

    def _cursor_picture(self, image: Any) -> int:
        pixmap, context = self._server.new_id(), self._server.new_id()
        core = self._server.core
        core.CreatePixmap(32, pixmap, self._server.root, image.width, image.height)
        core.CreateGC(context, pixmap, 0, [])
        pixels = struct.pack(f"<{len(image.cursor_image)}I", *image.cursor_image)
        core.PutImage(_Z_PIXMAP, pixmap, context, image.width, image.height, 0, 0, 0, 32, len(pixels), pixels)
        picture = self._picture(pixmap, self._argb)
        core.FreeGC(context)
        core.FreePixmap(pixmap)  # the picture keeps it
        return picture

    def _pixmap(self, size: Size) -> int:
        pixmap = self._server.new_id()
        self._server.core.CreatePixmap(self._server.root_depth, pixmap, self._server.root, size.width, size.height)
        return pixmap

    def _picture(self, drawable: int, picture_format: int, *, inferiors: bool = False) -> int:
        picture = self._server.new_id()
        if inferiors:
            self._render.CreatePicture(picture, drawable, picture_format, _SUBWINDOW_MODE, [_INCLUDE_INFERIORS])
        else:
            self._render.CreatePicture(picture, drawable, picture_format, 0, [])
        return picture

    def _composite(self, operation: int, source: int, target: int, part: Rect, at: Point) -> None:
        self._render.Composite(operation, source, 0, target, part.x, part.y, 0, 0, at.x, at.y, part.width, part.height)

    def _free_pictures(self, *pictures: int) -> None:
        for picture in pictures:
            self._render.FreePicture(picture)


def _step(now: Size, wanted: Size) -> Size:
    """The next size on the way to the wanted one: at least half as large."""
    return Size(max(wanted.width, (now.width + 1) // 2), max(wanted.height, (now.height + 1) // 2))
