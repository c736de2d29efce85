"""Clicks made of pointer moves and presses, and the turning of the wheel."""

from collections.abc import Sequence

from deskhand.desktop import cover, windows
from deskhand.desktop.apps import RunningApp
from deskhand.model.element import Element
from deskhand.model.errors import NotPossible
from deskhand.model.geometry import Point, Rect
from deskhand.model.keys import Modifier
from deskhand.model.window import Window
from deskhand.platforms.base import Button, Platform


def click(
    platform: Platform,
    at: Point,
    *,
    button: Button = Button.LEFT,
    times: int = 1,
    modifiers: Sequence[Modifier] = (),
) -> None:
    """Click at a point of the screen.

    Raises NotPossible where the pointer does not get there. Nothing is left pressed, whatever happens.
    """
    move(platform, at)
    try:
        if modifiers:
            platform.keyboard.hold(modifiers)
        platform.pointer.click(button, times)
    finally:
        platform.pointer.release_all()
        if modifiers:
            platform.keyboard.release_all()


def move(platform: Platform, to: Point) -> None:
    """Move the pointer. Raises NotPossible where it does not get there: something holds it."""
    platform.pointer.move(to)
    now = platform.pointer.position()
    if now != to:
        raise NotPossible(
            f"the pointer went to ({now.x}, {now.y}) instead of ({to.x}, {to.y}): another program holds it",
            recovery="look at a screenshot for what has grabbed the pointer, then try again",
        )


def scroll(platform: Platform, at: Point, dx: int, dy: int) -> Window | None:
    """Turn the wheel at a point by so many notches, right and down positive; the window that was there."""
    under = windows.at(platform, at)
    move(platform, at)
    platform.pointer.scroll(dx, dy)
    return under


def place_of(platform: Platform, element: Element, app: RunningApp | None) -> Point:
    """Where to click an element: the middle of what is visible of it.

    Its window is brought forward where another lies over that. Raises NotPossible where the element has no place on the
    screen, or stays covered.
    """
    screen = Rect(0, 0, *platform.screen.size())
    visible = element.bounds.intersection(screen) if element.bounds else None
    if visible is None or visible.is_empty:
        raise NotPossible(
            f"the {element.role} {element.title!r} is not on the screen",
            recovery="scroll to it, or open the menu or tab it is in; ax_press works without seeing it",
        )
    point = visible.center
    if app is not None:
        cover.uncover(platform, point, app, element)
    return point
