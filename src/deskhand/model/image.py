"""A picture of a part of the screen, and how its pixels lie on it."""

from dataclasses import dataclass

from deskhand.model.geometry import Point, Rect, Size


@dataclass(frozen=True, slots=True)
class Capture:
    """Pixels of a part of the screen: `pixels` is BGRX, 4 bytes each, row by row, of `size`.

    `source` is the part in screen pixels; a capture may be smaller than it.
    """

    pixels: bytes
    size: Size
    source: Rect


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded capture, with its coordinate contract.

    screen x = source.x + image x * scale, and likewise y: `scale` is the number of screen pixels in one image pixel.
    """

    data: bytes
    mime: str
    size: Size
    source: Rect

    @property
    def scale(self) -> float:
        return self.source.width / self.size.width

    def to_screen(self, point: Point) -> Point:
        """The middle of an image pixel, on the screen."""
        return Point(
            self.source.x + int((point.x + 0.5) * self.source.width / self.size.width),
            self.source.y + int((point.y + 0.5) * self.source.height / self.size.height),
        )

    def from_screen(self, point: Point) -> Point:
        """The image pixel that shows a screen pixel."""
        return Point(
            int((point.x - self.source.x + 0.5) * self.size.width / self.source.width),
            int((point.y - self.source.y + 0.5) * self.size.height / self.source.height),
        )
