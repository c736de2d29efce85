"""Places and sizes on the screen, in physical pixels from the top left corner of the X screen (all displays)."""

from typing import NamedTuple


class Point(NamedTuple):
    """A place on the screen."""

    x: int
    y: int


class Size(NamedTuple):
    """How large something is."""

    width: int
    height: int


class Rect(NamedTuple):
    """A part of the screen: its top left corner and size. The right and bottom edges are outside."""

    x: int
    y: int
    width: int
    height: int

    @property
    def center(self) -> Point:
        return Point(self.x + self.width // 2, self.y + self.height // 2)

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    @property
    def size(self) -> Size:
        return Size(self.width, self.height)

    @property
    def is_empty(self) -> bool:
        return self.width <= 0 or self.height <= 0

    def contains(self, point: Point) -> bool:
        return self.x <= point.x < self.right and self.y <= point.y < self.bottom

    def intersection(self, other: "Rect") -> "Rect":
        """What both have in common; empty (no width or no height) where that is nothing."""
        x, y = max(self.x, other.x), max(self.y, other.y)
        width, height = min(self.right, other.right) - x, min(self.bottom, other.bottom) - y
        return Rect(x, y, max(0, width), max(0, height))

    def moved(self, dx: int, dy: int) -> "Rect":
        return Rect(self.x + dx, self.y + dy, self.width, self.height)
