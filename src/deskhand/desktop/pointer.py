"""Clicks made of pointer moves and presses, and the turning of the wheel."""

from collections.abc import Sequence
from typing import Final

from deskhand.desktop import cover, windows
from deskhand.desktop.apps import RunningApp
from deskhand.model.element import Element
from deskhand.model.errors import NotPossible, after_acting
from deskhand.model.geometry import Point, Rect
from deskhand.model.keys import Modifier
from deskhand.model.turn import Turn
from deskhand.model.window import Window
from deskhand.platforms.base import Button, Platform

_STEPS: Final = 16
_STEP_SECONDS: Final = 0.008
"""As often as a mouse reports: what follows the pointer takes a leap for no drag at all."""
_HANDLED_SECONDS: Final = 0.5


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


def scroll(platform: Platform, at: Point, dx: int, dy: int, *, modifiers: Sequence[Modifier] = ()) -> Window | None:
    """Turn the wheel at a point by so many notches, right and down positive; the window that was there."""
    under = windows.at(platform, at)
    move(platform, at)
    try:
        if modifiers:
            platform.keyboard.hold(modifiers)
        platform.pointer.scroll(dx, dy)
    finally:
        if modifiers:
            platform.keyboard.release_all()
    return under


def drag(
    platform: Platform, start: Point, end: Point, turn: Turn, *, modifiers: Sequence[Modifier] = ()
) -> Window | None:
    """Press the left button at one point, move to another in small steps, and let it go; the window at the end.

    Raises as `click` does. Nothing is left pressed, whatever happens.
    """
    source = windows.at(platform, start)
    move(platform, start)
    try:
        if modifiers:
            platform.keyboard.hold(modifiers)
        platform.pointer.press(Button.LEFT)
        with after_acting(lambda: " (the button was let go on the way)"):
            _let_handle(platform, source, turn)
            for step in range(1, _STEPS + 1):
                turn.wait([], _STEP_SECONDS)
                move(platform, _between(start, end, step / _STEPS))
            under = windows.at(platform, end)
            for window in (source, under):
                _let_handle(platform, window, turn)
    finally:
        platform.pointer.release_all()
        if modifiers:
            platform.keyboard.release_all()
    return under


def _between(start: Point, end: Point, part: float) -> Point:
    return Point(start.x + round((end.x - start.x) * part), start.y + round((end.y - start.y) * part))


def _let_handle(platform: Platform, window: Window | None, turn: Turn) -> None:
    """Wait until an application has taken note of what the pointer has done: a drag is a conversation of several."""
    if window is not None:
        platform.windows.wait_until_handled(window.id, _HANDLED_SECONDS, turn.check)


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
