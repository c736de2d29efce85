"""What every pointer must get right: it goes exactly where it is sent, presses exactly what was asked, and lets go."""

import select
from collections.abc import Iterator

import pytest

from deskhand.desktop import pointer, windows
from deskhand.model.errors import NotPossible
from deskhand.model.geometry import Point, Rect
from deskhand.model.keys import Modifier
from deskhand.platforms.base import Button, Platform, PointerChanges
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, Applications, eventually
from tests.support.field import Field
from tests.support.other_keyboard import OtherKeyboard
from tests.support.x_window import XWindow

LEFT, MIDDLE, RIGHT, UP, DOWN, TO_LEFT, TO_RIGHT, BACK, FORWARD = range(1, 10)
SHIFT, CTRL = 1, 4
INSIDE = Point(420, 330)


@pytest.fixture
def window(desktop: EmbeddedSession) -> Iterator[XWindow]:
    """A window that notes what comes to it; `INSIDE` is in it."""
    with XWindow(desktop.environment, Rect(300, 250, 300, 200), title="target") as window:
        window.focus()
        yield window


def comes(window: XWindow, count: int) -> list[tuple[bool, int, int]]:
    """So many presses and releases of buttons, and no more."""
    eventually(lambda: len(window.listen().buttons) >= count, what=f"{count} button events")
    assert len(window.buttons) == count
    return window.buttons


# ---------------------------------------------------------------- moves


@pytest.mark.parametrize("to", [Point(0, 0), Point(1919, 0), Point(0, 1079), Point(1919, 1079), Point(777, 333)])
def test_the_pointer_goes_to_every_corner_of_the_screen(to: Point, platform: Platform) -> None:
    pointer.move(platform, to)
    assert platform.pointer.position() == to


@pytest.mark.parametrize("to", [Point(1920, 500), Point(500, 1080), Point(-1, 500), Point(500, -1)])
def test_a_point_outside_of_the_screen_cannot_be_reached(to: Point, platform: Platform) -> None:
    with pytest.raises(NotPossible, match=rf"instead of \({to.x}, {to.y}\)"):
        pointer.move(platform, to)


def test_a_pointer_that_another_program_holds_is_noticed_before_the_press(platform: Platform, window: XWindow) -> None:
    window.grab_pointer()
    with pytest.raises(NotPossible, match="another program holds it"):
        pointer.click(platform, Point(1500, 900))
    assert window.listen().buttons == []


def test_a_move_is_told_and_wakes_who_waits(platform: Platform, window: XWindow) -> None:
    platform.pointer.move(Point(10, 10))
    with platform.pointer.changes() as changes:
        changes.take()
        for to in (INSIDE, Point(500, 1000)):
            platform.pointer.move(to)
            platform.pointer.position()
            assert wakes(changes)
            assert changes.take()
        assert not changes.take()


def test_another_look_of_the_pointer_is_told(platform: Platform, window: XWindow) -> None:
    platform.pointer.move(INSIDE)
    with platform.pointer.changes() as changes:
        while wakes(changes, 200):
            changes.take()
        window.show_pointer_as(0xFF0000, 16)
        assert wakes(changes)
        assert changes.take()


def wakes(changes: PointerChanges, milliseconds: int = 5000) -> bool:
    """Whether whoever waits for a report is woken in time."""
    poll = select.poll()
    poll.register(changes.fileno(), select.POLLIN)
    return bool(poll.poll(milliseconds))


# ---------------------------------------------------------------- clicks


@pytest.mark.parametrize(
    ("button", "number"),
    [
        (Button.LEFT, LEFT),
        (Button.MIDDLE, MIDDLE),
        (Button.RIGHT, RIGHT),
        (Button.BACK, BACK),
        (Button.FORWARD, FORWARD),
    ],
)
def test_each_button_is_itself(button: Button, number: int, platform: Platform, window: XWindow) -> None:
    pointer.click(platform, INSIDE, button=button)
    assert comes(window, 2) == [(True, number, 0), (False, number, 0)]


def test_a_click_holds_its_modifiers_and_lets_go(platform: Platform, window: XWindow, other: OtherKeyboard) -> None:
    pointer.click(platform, INSIDE, modifiers=[Modifier.CTRL, Modifier.SHIFT])
    assert comes(window, 2) == [(True, LEFT, CTRL | SHIFT), (False, LEFT, CTRL | SHIFT)]
    assert other.down == []


def test_several_clicks_are_as_many_presses(platform: Platform, window: XWindow) -> None:
    pointer.click(platform, INSIDE, times=3)
    assert comes(window, 6) == [(True, LEFT, 0), (False, LEFT, 0)] * 3


def test_two_clicks_are_a_double_click(platform: Platform, applications: Applications) -> None:
    field = Field.of(applications.start("mousepad"))
    field.type("word")
    element = field.application.find("textbox")
    assert element.bounds
    first_word = Point(element.bounds.x + 12, element.bounds.y + 12)
    eventually(lambda: selected_by_double_click(platform, field, first_word), what="a double click")


def selected_by_double_click(platform: Platform, field: Field, at: Point) -> bool:
    """Whether a double click selects the word that a key then replaces."""
    pointer.click(platform, at, times=2)
    field.type("x")
    return field.text() == "x"


def test_a_drag_moves_with_the_button_down(platform: Platform, window: XWindow) -> None:
    pointer.move(platform, INSIDE)
    platform.pointer.press(Button.LEFT)
    platform.pointer.move(Point(INSIDE.x + 30, INSIDE.y + 10))
    platform.pointer.release(Button.LEFT)
    assert comes(window, 2) == [(True, LEFT, 0), (False, LEFT, 0)]
    assert window.motions[-1] == Point(INSIDE.x + 30, INSIDE.y + 10)


def test_letting_go_releases_every_button_and_only_once(platform: Platform, window: XWindow) -> None:
    pointer.move(platform, INSIDE)
    platform.pointer.press(Button.LEFT)
    platform.pointer.press(Button.RIGHT)
    platform.pointer.release_all()
    platform.pointer.release_all()
    assert [button for pressed, button, _ in comes(window, 4) if not pressed] == [RIGHT, LEFT]


# ---------------------------------------------------------------- the wheel


@pytest.mark.parametrize(
    ("dx", "dy", "buttons"),
    [(0, 3, [DOWN] * 3), (0, -2, [UP] * 2), (2, 0, [TO_RIGHT] * 2), (-1, 0, [TO_LEFT]), (1, 1, [DOWN, TO_RIGHT])],
)
def test_the_wheel_turns_by_notches(dx: int, dy: int, buttons: list[int], platform: Platform, window: XWindow) -> None:
    pointer.scroll(platform, INSIDE, dx, dy)
    came = comes(window, 2 * len(buttons))
    assert [button for pressed, button, _ in came if pressed] == buttons


# ---------------------------------------------------------------- elements


def test_a_covered_element_is_uncovered_before_the_click(
    platform: Platform, desktop: EmbeddedSession, applications: Applications
) -> None:
    editor = applications.start("mousepad")
    element = editor.find("textbox")
    assert element.bounds
    with XWindow(desktop.environment, element.bounds, title="cover") as cover:
        eventually(lambda: (window := platform.windows.active()) and window.title == "cover", what="the cover")
        point = pointer.place_of(platform, element, editor.running)
        under = windows.at(platform, point)
        assert under is not None
        assert under.pid == editor.pid
        pointer.click(platform, point)
        assert cover.listen().buttons == []


def test_what_cannot_be_uncovered_is_not_clicked(
    platform: Platform, desktop: EmbeddedSession, applications: Applications
) -> None:
    editor = applications.start("mousepad")
    element = editor.find("textbox")
    assert element.bounds
    with XWindow(desktop.environment, element.bounds, title="always there") as cover:
        cover.stay_on_top()
        with pytest.raises(NotPossible, match="covered by the window 'always there'"):
            pointer.place_of(platform, element, editor.running)


def test_what_lies_under_another_application_s_menu_is_not_clicked(
    platform: Platform, desktop: EmbeddedSession, applications: Applications
) -> None:
    editor = applications.start("mousepad")
    element = editor.find("textbox")
    assert element.bounds
    with (
        XWindow(desktop.environment, Rect(1500, 800, 200, 100), title="other") as other,
        XWindow(desktop.environment, element.bounds, managed=False, server=other.server),
        pytest.raises(NotPossible, match="covered by a menu or tooltip of the window 'other'"),
    ):
        pointer.place_of(platform, element, editor.running)
    assert pointer.place_of(platform, element, editor.running) == element.bounds.center


def test_an_element_without_a_place_is_not_clicked(platform: Platform, editor: Application) -> None:
    element = editor.find("menuitem", "New")
    with pytest.raises(NotPossible, match="'New' is not on the screen"):
        pointer.place_of(platform, element, editor.running)
