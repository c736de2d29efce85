"""Pictures on a ground of one size, which is that of the film whatever happens to a window."""

from deskhand.model.geometry import Point, Size
from deskhand.model.image import Capture

_BLACK = bytes(4)


def even(size: Size) -> Size:
    """The smallest size that holds this one and that a film can have: its colours are stored for 2 by 2 pixels."""
    return Size(size.width + size.width % 2, size.height + size.height % 2)


def shrunk_to_fit(size: Size, canvas: Size) -> Size:
    """The size of a picture on a canvas: as it is, or smaller in the same shape."""
    factor = min(1.0, canvas.width / size.width, canvas.height / size.height)
    return Size(max(1, int(size.width * factor)), max(1, int(size.height * factor)))


def middle(size: Size, canvas: Size) -> Point:
    """Where a picture of a size is put to lie in the middle."""
    return Point((canvas.width - size.width) // 2, (canvas.height - size.height) // 2)


def on_canvas(capture: Capture, canvas: Size, at: Point) -> bytes:
    """The pixels of a canvas with a picture on it, and black around it."""
    if capture.size == canvas:
        return capture.pixels
    pixels, picture = bytearray(_BLACK * (canvas.width * canvas.height)), memoryview(capture.pixels)
    width = capture.size.width * 4
    for row in range(capture.size.height):
        start = ((at.y + row) * canvas.width + at.x) * 4
        pixels[start : start + width] = picture[row * width : (row + 1) * width]
    return bytes(pixels)
