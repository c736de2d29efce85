"""Looking at single pixels of a capture."""

from deskhand.model.geometry import Point, Rect
from deskhand.model.image import Capture


def colour_at(capture: Capture, x: int, y: int) -> int:
    """0xRRGGBB of a pixel of the picture."""
    at = (y * capture.size.width + x) * 4
    return int.from_bytes(capture.pixels[at : at + 3], "little")


def colours_in(capture: Capture, part: Rect | None = None) -> set[int]:
    """Every colour in a part of the picture, or in all of it."""
    part = part or Rect(0, 0, *capture.size)
    return {colour_at(capture, x, y) for y in range(part.y, part.bottom) for x in range(part.x, part.right)}


def differing(one: Capture, other: Capture) -> set[Point]:
    """The pixels that two pictures of one size do not share."""
    assert one.size == other.size
    width, height = one.size
    return {Point(x, y) for y in range(height) for x in range(width) if colour_at(one, x, y) != colour_at(other, x, y)}
