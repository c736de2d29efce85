"""The picture that an agent has seen of a display, and how its pixels lie on the screen."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from deskhand.model.errors import OffScreen
from deskhand.model.geometry import Point, Rect, Size

LONGEST_EDGE: Final = 1568
LARGEST_AREA: Final = 1_150_000
"""Pixels of a picture beyond which models shrink it themselves, and lose where things are."""

_CANONICAL: Final = (Size(1024, 768), Size(1280, 800), Size(1366, 768))
_LIKE_ENOUGH: Final = 0.02


class Coordinates(StrEnum):
    """What the coordinates of an agent are counted in."""

    ABSOLUTE = "absolute"
    """Pixels of the display."""
    SCALED = "scaled"
    """Pixels of a picture that may be smaller."""


@dataclass(frozen=True, slots=True)
class Framing:
    """How large the pictures of displays are: the same for a whole process. `wanted` stands before every other rule."""

    coordinates: Coordinates = Coordinates.SCALED
    wanted: Size | None = None

    def size_for(self, display: Size) -> Size:
        """The size of the picture of a display; never larger than that."""
        if self.coordinates is Coordinates.ABSOLUTE:
            return display
        if self.wanted is not None:
            if self.wanted.width <= display.width and self.wanted.height <= display.height:
                return self.wanted
            return _reduced(display, min(self.wanted.width / display.width, self.wanted.height / display.height))
        ratio = display.width / display.height
        for size in _CANONICAL:
            is_smaller = size.width < display.width and size.height <= display.height
            if is_smaller and abs(size.width / size.height - ratio) < _LIKE_ENOUGH:
                return size
        return within_limits(display)


def within_limits(size: Size) -> Size:
    """The largest size of the same form that models take as it is; never larger than the given one."""
    return _reduced(size, min(LONGEST_EDGE / max(size), math.sqrt(LARGEST_AREA / (size.width * size.height))))


def _reduced(size: Size, factor: float) -> Size:
    if factor >= 1:
        return size
    return Size(max(1, int(size.width * factor)), max(1, int(size.height * factor)))


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of a display: its size, and the part of the screen that it shows."""

    size: Size
    display: Rect

    def to_screen(self, x: float, y: float) -> Point:
        """The screen pixel that a point of the picture means. Raises OffScreen for a point outside the picture."""
        if not (0 <= x < self.size.width and 0 <= y < self.size.height):
            raise OffScreen(
                f"({x:.10g}, {y:.10g}) is outside the screenshot, which is {self.size.width}x{self.size.height}",
                recovery=f"give x from 0 to {self.size.width - 1} and y from 0 to {self.size.height - 1}",
            )
        return Point(
            self.display.x + min(round(x * self.display.width / self.size.width), self.display.width - 1),
            self.display.y + min(round(y * self.display.height / self.size.height), self.display.height - 1),
        )

    def from_screen(self, point: Point) -> Point:
        """The point of the picture that means a screen pixel; outside the picture for one outside the display."""
        x = round((point.x - self.display.x) * self.size.width / self.display.width)
        y = round((point.y - self.display.y) * self.size.height / self.display.height)
        if self.display.contains(point):
            return Point(min(x, self.size.width - 1), min(y, self.size.height - 1))
        return Point(x, y)
