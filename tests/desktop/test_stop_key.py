"""A person's Esc at every moment around the taking of the seat: none is lost, and none is for nobody."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand.desktop.hand import Hand
from deskhand.desktop.stop_key import StopKey
from deskhand.guard.seat_file import Holder
from deskhand.guard.sessions import Sessions
from deskhand.model.errors import StoppedByUser
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import eventually
from tests.support.person import ESCAPE, Person


class Stage:
    """A seat, the key that stops who has it, and a person."""

    def __init__(self, platform: Platform, person: Person, directory: Path) -> None:
        self.person = person
        self.hand = Hand(lambda: None)
        self.sessions = Sessions(directory, lambda: "test", self._ended)
        self.stop_key = StopKey(self.sessions, self.hand)
        self._listener = platform.listener
        self.told: list[str] = []

    def _ended(self, holder: Holder) -> None:
        self.stop_key.disarm(holder.session_id)
        self.hand.session_ended(holder.session_id)

    def take(self, before: Callable[[], object] = lambda: None, after: Callable[[], object] = lambda: None) -> Holder:
        """Take the seat; something happens just before, or just after it is ours."""

        def taking(_: object) -> Holder | None:
            before()
            holder = self.sessions.take("ann", "ann", "", 60)
            after()
            return holder

        holder = self.stop_key.taking(self._listener, "ann", taking, self.told.append)
        assert holder is not None
        return holder

    def wait_in_line(self) -> Holder:
        """Take the seat once it is free."""

        def taking(forget: Callable[[], object]) -> Holder | None:
            return self.sessions.acquire("ann", "ann", "", 60, 20, Turn(), forget)

        holder = self.stop_key.taking(self._listener, "ann", taking, self.told.append)
        assert holder is not None
        return holder

    def press(self) -> None:
        self.person.tap(ESCAPE)

    def press_and_see_it_stop(self) -> None:
        self.press()
        self.stops()

    def stops(self) -> None:
        """Wait until the agent has been stopped, and the seat is free."""
        eventually(lambda: self.stop_key.has_stopped("ann"), what="the stop")
        eventually(lambda: self.sessions.view().holder is None, what="the seat")


@pytest.fixture
def stage(desktop: EmbeddedSession, platform: Platform, tmp_path: Path) -> Iterator[Stage]:
    with Person(desktop.environment) as person:
        made = Stage(platform, person, tmp_path)
        yield made
        made.sessions.close()


def test_escape_while_the_seat_is_ours_and_nothing_is_done(stage: Stage) -> None:
    stage.take()
    stage.press_and_see_it_stop()
    with pytest.raises(StoppedByUser):
        stage.take()


def test_escape_in_the_moment_after_the_seat_is_taken(stage: Stage) -> None:
    """Before anything could listen that had waited for the session."""
    with contextlib.suppress(StoppedByUser):
        stage.take(after=stage.press)
    stage.stops()


def test_escape_between_the_look_whether_one_is_stopped_and_the_next_act(stage: Stage) -> None:
    """The session ends by it, and the act would take another."""
    stage.take()
    with pytest.raises(StoppedByUser):
        stage.take(before=stage.press_and_see_it_stop)
    assert stage.sessions.view().holder is None


def test_escape_after_a_session_that_ended_while_it_was_to_go_on(stage: Stage) -> None:
    first = stage.take()
    second = stage.take(before=lambda: stage.sessions.end(first.session_id))
    assert second.session_id != first.session_id
    stage.press_and_see_it_stop()


def test_escape_stops_every_call_that_is_under_way(stage: Stage) -> None:
    turn, other, over = Turn(), Turn(), Turn()
    stage.stop_key.begin("ann", turn)
    stage.stop_key.begin("ann", over)
    stage.stop_key.begin("bob", other)
    stage.take()
    stage.stop_key.over("ann", over)
    stage.press_and_see_it_stop()
    with pytest.raises(StoppedByUser):
        turn.check()
    other.check()
    over.check()
    with pytest.raises(StoppedByUser):
        stage.stop_key.begin("ann", Turn())


def test_escape_stops_also_who_acts_in_the_session_of_another(stage: Stage, platform: Platform) -> None:
    held = stage.take()
    assert stage.stop_key.joining(platform.listener, "bob", lambda: held, stage.told.append) == held
    stage.press_and_see_it_stop()
    with pytest.raises(StoppedByUser):
        stage.stop_key.joining(platform.listener, "bob", lambda: held, stage.told.append)


def test_escape_that_stops_who_was_before_does_not_stop_who_waited(
    stage: Stage, platform: Platform, tmp_path: Path
) -> None:
    """It was heard while somebody else had the seat."""
    other = Sessions(tmp_path, lambda: "test")
    held = other.take("bob", "bob", "", 60)
    assert held is not None
    given: list[Holder] = []
    waiting = threading.Thread(target=lambda: given.append(stage.wait_in_line()), daemon=True)
    waiting.start()
    eventually(lambda: other.view().queue, what="the waiter")
    with platform.listener.escapes() as heard:
        stage.press()
        eventually(heard.take, what="the Esc")
    other.end(held.session_id)
    waiting.join(20)
    assert given
    assert not stage.stop_key.has_stopped("ann")
    stage.press_and_see_it_stop()
    other.close()


def test_escape_is_nobodys_where_the_seat_was_not_given(stage: Stage, tmp_path: Path) -> None:
    other = Sessions(tmp_path, lambda: "test")
    assert other.take("bob", "bob", "", 60) is not None
    with pytest.raises(AssertionError):
        stage.take()
    stage.press()
    other.close()
    stage.take()
    assert not stage.stop_key.has_stopped("ann")
