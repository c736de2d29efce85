"""Waiting until what an act has set in motion has come to rest, and not a moment longer than it was told."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from deskhand.desktop import keyboard
from deskhand.desktop.settle import Settled, watching
from deskhand.model.errors import Cancelled
from deskhand.model.geometry import Rect
from deskhand.model.keys import parse_chord
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, eventually
from tests.support.x_window import XWindow

_LIMIT = 5.0
_LONG_MS = 4000
"""What nothing that ends by itself may take, on a machine that is busy with other tests."""


@pytest.fixture
def turn() -> Iterator[Turn]:
    turn = Turn()
    yield turn
    turn.close()


@pytest.fixture
def window(desktop: EmbeddedSession) -> Iterator[XWindow]:
    """A window that changes only when it is told to."""
    with XWindow(desktop.environment, Rect(300, 300, 400, 300)) as window:
        yield window


@pytest.fixture
def quiet(platform: Platform, window: XWindow) -> None:
    """Nothing on the screen changes any more."""
    with platform.screen.changes() as changes:
        still: list[bool] = [False]

        def at_rest() -> bool:
            still.append(not changes.take())
            return all(still[-5:]) and len(still) > 5

        eventually(at_rest, what="a screen at rest")


@pytest.fixture
def later() -> Iterator[Callable[[float, Callable[[], None]], None]]:
    """Does something some seconds later, in another thread."""
    timers: list[threading.Timer] = []

    def start(seconds: float, do: Callable[[], None]) -> None:
        timers.append(threading.Timer(seconds, do))
        timers[-1].start()

    yield start
    for timer in timers:
        timer.join()


def _settle(platform: Platform, turn: Turn, limit: float = _LIMIT, act: Callable[[], None] = lambda: None) -> Settled:
    with watching(platform, None, turn) as watch:
        act()
        return watch.settle(limit)


def _paint(window: XWindow, number: int, size: int = 100) -> None:
    window.paint(Rect(10, 10, size, size), 0x101010 * (number % 16))


@pytest.mark.usefixtures("quiet")
def test_where_nothing_happens_it_ends_soon(platform: Platform, turn: Turn) -> None:
    settled = _settle(platform, turn)
    assert (settled.changed, settled.tree_changed, settled.quiet) == (False, False, True)
    assert settled.milliseconds < _LONG_MS


@pytest.mark.usefixtures("quiet")
def test_what_has_changed_before_it_waits_counts(platform: Platform, turn: Turn, window: XWindow) -> None:
    settled = _settle(platform, turn, act=lambda: _paint(window, 1))
    assert (settled.changed, settled.tree_changed, settled.quiet) == (True, False, True)
    assert settled.milliseconds < _LONG_MS


@pytest.mark.usefixtures("quiet")
def test_it_waits_for_what_begins_a_little_later(
    platform: Platform, turn: Turn, window: XWindow, later: Callable[[float, Callable[[], None]], None]
) -> None:
    settled = _settle(platform, turn, act=lambda: later(0.05, lambda: _paint(window, 2)))
    assert settled.changed
    assert settled.quiet


@pytest.mark.usefixtures("quiet")
def test_it_waits_until_a_movement_has_ended(platform: Platform, turn: Turn, window: XWindow) -> None:
    painted: list[float] = []

    def move() -> None:
        for number in range(40):
            _paint(window, number)
            painted.append(time.monotonic())
            time.sleep(0.01)  # the pace of an animation

    mover = threading.Thread(target=move)
    settled = _settle(platform, turn, act=mover.start)
    end = time.monotonic()
    mover.join()
    assert settled.changed
    assert settled.quiet
    assert len(painted) == 40
    assert end >= painted[-1]


@pytest.mark.usefixtures("quiet")
def test_what_never_ends_is_not_waited_for_longer_than_the_limit(
    platform: Platform, turn: Turn, window: XWindow
) -> None:
    stop = threading.Event()

    def move() -> None:
        number = 0
        while not stop.wait(0.005):
            number += 1
            _paint(window, number)

    mover = threading.Thread(target=move)
    settled = _settle(platform, turn, limit=0.4, act=mover.start)
    stop.set()
    mover.join()
    assert settled.changed
    assert not settled.quiet
    assert 390 <= settled.milliseconds < _LONG_MS


@pytest.mark.parametrize("limit", [0.0, 0.01])
@pytest.mark.usefixtures("quiet")
def test_a_limit_of_nothing_is_kept(limit: float, platform: Platform, turn: Turn) -> None:
    settled = _settle(platform, turn, limit=limit)
    assert not settled.changed
    assert settled.milliseconds < _LONG_MS


@pytest.mark.usefixtures("quiet")
def test_a_caret_that_blinks_is_no_change(platform: Platform, turn: Turn, window: XWindow) -> None:
    stop = threading.Event()

    def blink() -> None:
        number = 0
        while not stop.wait(0.01):
            number += 1
            window.paint(Rect(50, 50, 2, 20), 0xFFFFFF * (number % 2))

    blinker = threading.Thread(target=blink)
    settled = _settle(platform, turn, act=blinker.start)
    stop.set()
    blinker.join()
    assert not settled.changed
    assert settled.quiet
    assert settled.milliseconds < _LONG_MS


def test_the_caret_of_an_editor_does_not_keep_it(editor: Application, platform: Platform, turn: Turn) -> None:
    editor.focus()
    with platform.screen.changes() as changes:  # until the caret has blinked
        eventually(lambda: [area for area in changes.take() if area.width <= 4], what="a blink")
    for _ in range(5):
        assert _settle(platform, turn).milliseconds < _LONG_MS


def test_changes_of_the_tree_are_told_apart(editor: Application, platform: Platform, turn: Turn) -> None:
    node = editor.find("textbox").node
    inside = editor.running.accessible
    with watching(platform, inside, turn) as watch:
        assert platform.accessibility.set_text(node, "new words")
        settled = watch.settle(_LIMIT)
    assert settled.changed
    assert settled.tree_changed
    assert settled.quiet


def test_an_application_without_a_tree_is_watched_by_its_pixels(
    editor: Application, platform: Platform, turn: Turn
) -> None:
    editor.focus()
    with watching(platform, None, turn) as watch:
        keyboard.stroke(platform, parse_chord("a"))
        settled = watch.settle(_LIMIT)
    assert settled.changed
    assert not settled.tree_changed


def test_waiting_ends_when_nobody_wants_the_result_any_more(
    platform: Platform, turn: Turn, window: XWindow, later: Callable[[float, Callable[[], None]], None]
) -> None:
    stop = threading.Event()

    def move() -> None:
        number = 0
        while not stop.wait(0.01):
            number += 1
            _paint(window, number)

    mover = threading.Thread(target=move)

    def begin() -> None:
        mover.start()
        later(0.1, turn.cancel)

    start = time.monotonic()
    with pytest.raises(Cancelled):
        _settle(platform, turn, limit=60, act=begin)
    assert time.monotonic() - start < 30
    stop.set()
    mover.join()
