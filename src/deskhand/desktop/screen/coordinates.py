"""Which points and parts of the screen there are."""

import math
from collections.abc import Sequence

from deskhand.model.display import Display
from deskhand.model.errors import OffScreen
from deskhand.model.geometry import Point, Rect
from deskhand.platforms.base import Platform


def point_on_display(platform: Platform, x: float, y: float) -> Point:
    """A point of the screen. Raises OffScreen where no display shows it."""
    displays = platform.displays.all()
    if math.isfinite(x) and math.isfinite(y):
        point = Point(round(x), round(y))
        if any(display.bounds.contains(point) for display in displays):
            return point
    raise OffScreen(f"({x:.10g}, {y:.10g}) is outside every display: {describe(displays)}")


def part_on_displays(platform: Platform, part: Rect) -> Rect:
    """The part of the screen that lies within it. Raises OffScreen where that is nothing."""
    inside = part.intersection(Rect(0, 0, *platform.screen.size()))
    if inside.is_empty:
        raise OffScreen(f"the region {tuple(part)} is outside every display: {describe(platform.displays.all())}")
    return inside


def display_of(platform: Platform, number: int | None) -> Display:
    """A display by its number, the main one without. Raises OffScreen where there is none."""
    displays = platform.displays.all()
    for display in displays:
        if display.id == (number or 0):
            return display
    raise OffScreen(f"there is no display {number}: {describe(displays)}")


def describe(displays: Sequence[Display]) -> str:
    """The displays in words."""
    return ", ".join(
        f"display {one.id} is {one.bounds.width}x{one.bounds.height} at {one.bounds.x},{one.bounds.y}"
        for one in displays
    )
