"""What every screen must tell of one window: each change of it, covered or not, and that it has gone."""

import select
from collections.abc import Iterator

import pytest

from deskhand.model.errors import NotFound
from deskhand.model.geometry import Rect
from deskhand.platforms.base import Changes, Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.x11.windows import X11Windows
from tests.support.applications import eventually
from tests.support.own_desktops import own_desktop
from tests.support.x_window import XWindow

RED, GREEN, BLUE = 0xFF0000, 0x00FF00, 0x0000FF
PLACE = Rect(200, 150, 360, 240)


@pytest.fixture
def window(desktop: EmbeddedSession, platform: Platform) -> Iterator[XWindow]:
    """A window with a frame around it."""
    with XWindow(desktop.environment, PLACE, title="watched") as window:
        eventually(lambda: any(one.id == window.id for one in platform.windows.all()), what="being managed")
        yield window


def wakes(changes: Changes) -> bool:
    """Whether whoever waits for a report is woken, within a few seconds."""
    poll = select.poll()
    poll.register(changes.fileno(), select.POLLIN)
    return bool(poll.poll(5000))


def told(changes: Changes, part: Rect) -> bool:
    """Whether a change of that size is told, once what came before it is."""
    return eventually(lambda: any(one.size == part.size for one in changes.take()), what="a report of the change")


def settle(changes: Changes) -> None:
    """Take what is told of the window's coming up."""
    poll = select.poll()
    poll.register(changes.fileno(), select.POLLIN)
    while poll.poll(200):
        changes.take()


def take_all(changes: Changes) -> None:
    """Take every report that comes, until none does."""
    while wakes(changes):
        changes.take()


def test_a_change_is_told_and_wakes_who_waits(window: XWindow, platform: Platform) -> None:
    with platform.screen.window_changes(window.id) as changes:
        settle(changes)
        for part in (Rect(10, 20, 31, 17), Rect(0, 0, 1, 1)):
            window.paint(part, RED)
            assert wakes(changes)
            assert told(changes, part)


def test_what_a_covered_window_draws_is_told(window: XWindow, desktop: EmbeddedSession, platform: Platform) -> None:
    with XWindow(desktop.environment, Rect(0, 0, 1000, 800), managed=False):
        with platform.screen.window_changes(window.id) as changes:
            settle(changes)
            window.paint(Rect(10, 20, 31, 17), RED)
            assert told(changes, Rect(10, 20, 31, 17))


def test_what_others_draw_over_it_is_not_told(window: XWindow, desktop: EmbeddedSession, platform: Platform) -> None:
    with XWindow(desktop.environment, PLACE, managed=False) as other:
        with platform.screen.window_changes(window.id) as changes:
            settle(changes)
            other.paint(Rect(0, 0, 100, 100), BLUE)
            window.paint(Rect(3, 3, 5, 5), RED)
            assert wakes(changes)
            assert [one.size for one in changes.take()] == [(5, 5)]


@pytest.mark.parametrize("what", ["size", "place"])
def test_another_size_or_place_is_told(window: XWindow, platform: Platform, what: str) -> None:
    with platform.screen.window_changes(window.id) as changes:
        settle(changes)
        window.core.ConfigureWindow(window.id, *((4 | 8, [300, 200]) if what == "size" else (1 | 2, [500, 400])))
        window.server.sync()
        assert wakes(changes)
        assert changes.take()


def test_a_window_that_comes_back_is_told(window: XWindow, platform: Platform) -> None:
    windows = X11Windows(window.server)
    with platform.screen.window_changes(window.id) as changes:
        windows.minimize(window.id)
        eventually(lambda: not window.is_viewable, what="minimising")
        settle(changes)
        windows.activate(window.id)
        eventually(lambda: changes.take(), what="a report")


def test_a_window_that_goes_is_told(window: XWindow, desktop: EmbeddedSession, platform: Platform) -> None:
    other = XWindow(desktop.environment, Rect(900, 500, 200, 100), title="going")
    with platform.screen.window_changes(other.id) as changes:
        settle(changes)
        other.close()
        with pytest.raises(NotFound, match="the window has closed"):
            take_all(changes)
    with pytest.raises(NotFound), platform.screen.window_changes(other.id):
        pass


def test_a_window_in_another_frame_is_still_told_of() -> None:
    with own_desktop(()) as own, XWindow(own.environment, PLACE) as window:
        frames = [XWindow(own.environment, Rect(at, at, 200, 150)) for at in (0, 400)]
        with own.platform.screen.window_changes(window.id) as changes:
            for number, frame in enumerate(frames):
                window.core.ReparentWindow(window.id, frame.id, 5, 5)
                window.server.sync()
                if number:
                    frames[0].close()
                settle(changes)
                window.paint(Rect(10, 20, 31, 17), GREEN)
                assert told(changes, Rect(10, 20, 31, 17))
        frames[1].close()
