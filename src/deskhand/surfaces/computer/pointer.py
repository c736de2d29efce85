"""Acting with the pointer."""

from typing import Annotated, Final, Literal

from deskhand.desk import Desk
from deskhand.desktop import pointer
from deskhand.model.errors import NotPossible
from deskhand.model.geometry import Point
from deskhand.platforms.base import Button
from deskhand.surfaces.computer.parameters import Coordinate, Held, Start, held_by, point_of
from deskhand.surfaces.computer.results import Answer, within
from deskhand.tools import Effect, arg, tool

_DIRECTIONS: Final = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_NOTCHES: Final = 3


@tool("left_click", effect=Effect.ACTS, session=True)
def left_click(desk: Desk, coordinate: Coordinate | None = None, text: Held | None = None) -> Answer:
    """Click, there or where the cursor is."""
    return _click(desk, coordinate, text, Button.LEFT)


@tool("right_click", effect=Effect.ACTS, session=True)
def right_click(desk: Desk, coordinate: Coordinate | None = None, text: Held | None = None) -> Answer:
    """Click the right button."""
    return _click(desk, coordinate, text, Button.RIGHT)


@tool("middle_click", effect=Effect.ACTS, session=True)
def middle_click(desk: Desk, coordinate: Coordinate | None = None, text: Held | None = None) -> Answer:
    """Click the middle button."""
    return _click(desk, coordinate, text, Button.MIDDLE)


@tool("double_click", effect=Effect.ACTS, session=True)
def double_click(desk: Desk, coordinate: Coordinate | None = None, text: Held | None = None) -> Answer:
    """Click twice."""
    return _click(desk, coordinate, text, Button.LEFT, times=2)


@tool("triple_click", effect=Effect.ACTS, session=True)
def triple_click(desk: Desk, coordinate: Coordinate | None = None, text: Held | None = None) -> Answer:
    """Click three times."""
    return _click(desk, coordinate, text, Button.LEFT, times=3)


@tool("left_click_drag", effect=Effect.ACTS, session=True)
def left_click_drag(
    desk: Desk, coordinate: Coordinate, start_coordinate: Start | None = None, text: Held | None = None
) -> Answer:
    """Drag from the start, or the cursor, to a point."""
    _refuse_held(desk)
    start, end = point_of(desk, start_coordinate), point_of(desk, coordinate)
    under = pointer.drag(desk.platform, start, end, desk.turn, modifiers=held_by(text))
    return Answer(f"Dragged from {_told(desk, start)} to {_told(desk, end)}{within(under)}.")


@tool("left_mouse_down", effect=Effect.ACTS, session=True)
def left_mouse_down(desk: Desk) -> Answer:
    """Press the left button and keep it down."""
    _refuse_held(desk)
    desk.platform.pointer.press(Button.LEFT)
    return Answer("The left button is down.")


@tool("left_mouse_up", effect=Effect.ACTS, session=True)
def left_mouse_up(desk: Desk) -> Answer:
    """Let the left button go."""
    was_held = Button.LEFT in desk.platform.pointer.held()
    desk.platform.pointer.release(Button.LEFT)
    return Answer("The left button is up." if was_held else "The left button was up already.")


@tool("mouse_move", effect=Effect.ACTS, session=True)
def mouse_move(desk: Desk, coordinate: Coordinate) -> Answer:
    """Move the cursor."""
    point = point_of(desk, coordinate)
    pointer.move(desk.platform, point)
    return Answer(f"The cursor is at {_told(desk, point)}.")


@tool("scroll", effect=Effect.ACTS, session=True)
def scroll(
    desk: Desk,
    scroll_direction: Literal["up", "down", "left", "right"],
    scroll_amount: Annotated[int, arg("Wheel notches", ge=0, le=100)] = _NOTCHES,
    coordinate: Coordinate | None = None,
    text: Held | None = None,
) -> Answer:
    """Turn the wheel."""
    point = point_of(desk, coordinate)
    dx, dy = (scroll_amount * one for one in _DIRECTIONS[scroll_direction])
    under = pointer.scroll(desk.platform, point, dx, dy, modifiers=held_by(text))
    return Answer(f"Scrolled {scroll_direction} by {scroll_amount} at {_told(desk, point)}{within(under)}.")


@tool("cursor_position", effect=Effect.READS, idempotent=True, after_acts=True)
def cursor_position(desk: Desk) -> Answer:
    """Where the cursor is in the screenshot."""
    frame = desk.frames.frame(desk.platform)
    at = desk.platform.pointer.position()
    x, y = frame.from_screen(at)
    outside = "" if frame.display.contains(at) else " (on another display than the screenshot's)"
    return Answer(f"X={x},Y={y}{outside}")


def _click(desk: Desk, coordinate: list[float] | None, text: str | None, button: Button, *, times: int = 1) -> Answer:
    _refuse_held(desk)
    point, modifiers = point_of(desk, coordinate), held_by(text)
    under = pointer.click(desk.platform, point, button=button, times=times, modifiers=modifiers)
    return Answer(f"Clicked {_told(desk, point)}{within(under)}.")


def _refuse_held(desk: Desk) -> None:
    """Raise NotPossible where left_mouse_down holds the button: a click would end what it has begun."""
    if desk.platform.pointer.held():
        raise NotPossible("the left button is held down", recovery="let it go with left_mouse_up first")


def _told(desk: Desk, point: Point) -> str:
    x, y = desk.frames.frame(desk.platform).from_screen(point)
    return f"({x}, {y})"
