"""What the tests of accessibility often ask of an application, and do to it."""

import contextlib
from collections.abc import Callable

from deskhand.desktop import keyboard, pointer
from deskhand.desktop.elements import looking
from deskhand.model.element import Element, Query
from deskhand.model.errors import NotAnswering
from deskhand.model.keys import parse_chord
from deskhand.platforms.base import AccessibleApp, Platform
from tests.support.applications import Application, eventually


def inside(app: Application) -> AccessibleApp:
    """The way into an application."""
    accessible = app.running.accessible
    assert accessible is not None
    return accessible


def titles(app: Application, role: str) -> list[str]:
    """The titles of its visible rows of a role."""
    view = looking.look(app.platform, app.running, full=False)
    return [row.title for row in view.shown if row.element.role == role]


def press(app: Application, role: str, title: str) -> bool:
    """Do the first action of an element; whether the application says that it did."""
    return app.platform.accessibility.perform(app.find(role, title).node, 0)


def key(platform: Platform, written: str) -> None:
    """Press a chord and let it go."""
    keyboard.stroke(platform, parse_chord(written))


def click(app: Application, role: str, title: str) -> None:
    """Click an element in the middle, once it is at rest."""
    pointer.click(app.platform, pointer.place_of(app.platform, at_rest(app, role, title), app.running))


def at_rest(app: Application, role: str, title: str) -> Element:
    """An element that has a place, once two looks find it at the same one and its window does not change."""
    with app.platform.screen.changes() as changes:
        seen: list[Element | None] = [None]

        def same() -> bool:
            seen.append(placed(app, role, title))
            frame = app.running.windows[0].frame
            moves = [area for area in changes.take() if not area.intersection(frame).is_empty]
            return seen[-1] is not None and seen[-1] == seen[-2] and not moves

        eventually(same, what=f"the {role} {title}")
    assert seen[-1] is not None
    return seen[-1]


def placed(app: Application, role: str, title: str) -> Element | None:
    """An element that is visible and has a place."""
    view = looking.find(app.platform, app.running, Query(role, title), limit=1)
    return view.shown[0].element if view.shown and view.shown[0].element.bounds else None


def press_without_waiting(press: Callable[[], bool]) -> None:
    """Do an action that may open a dialog, and then is answered only when that is closed."""
    with contextlib.suppress(NotAnswering):
        assert press()
