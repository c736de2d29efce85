"""Work of one lane is done in order, lanes do not wait for each other, and no lane is ever lost."""

import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from concurrent.futures import wait as wait_for
from functools import partial

import pytest

from deskhand.model.errors import Cancelled
from deskhand.server.lanes import ACTS, Lanes
from tests.support.applications import eventually


class Ended:
    """The threads that have ended."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def note(self) -> None:
        self.names.append(threading.current_thread().name)


@pytest.fixture
def ended() -> Ended:
    return Ended()


@pytest.fixture
def lanes(ended: Ended) -> Iterator[Lanes]:
    opened = Lanes(ended.note)
    yield opened
    opened.close(5)


def test_a_lane_works_in_order(lanes: Lanes) -> None:
    done: list[int] = []
    wait_for([lanes.submit(ACTS, lambda number=number: done.append(number)) for number in range(200)])  # type: ignore[misc]
    assert done == list(range(200))


def test_a_lane_that_hangs_holds_up_no_other(lanes: Lanes) -> None:
    go_on = threading.Event()
    stuck = lanes.submit("app a", go_on.wait)
    assert lanes.submit("app b", lambda: "b").result(10) == "b"
    assert lanes.submit(None, lambda: "alone").result(10) == "alone"
    assert not stuck.done()
    go_on.set()
    assert stuck.result(10)


def test_work_that_is_cancelled_before_its_turn_is_not_done_and_the_lane_goes_on(lanes: Lanes) -> None:
    go_on, done = threading.Event(), []
    first = lanes.submit(ACTS, go_on.wait)
    second = lanes.submit(ACTS, lambda: done.append("second"))
    assert second.cancel()
    go_on.set()
    assert lanes.submit(ACTS, lambda: "third").result(10) == "third"
    assert first.result(10)
    assert done == []
    with pytest.raises(CancelledError):
        second.result(0)


def test_work_that_fails_tells_who_waits_and_the_lane_goes_on(lanes: Lanes) -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        lanes.submit(ACTS, fail).result(10)
    assert lanes.submit(ACTS, lambda: 1).result(10) == 1


def test_acts_have_a_lane_of_their_own_however_many_apps_are_looked_into(lanes: Lanes) -> None:
    go_on = threading.Event()
    stuck = [lanes.submit(f"app {number}", go_on.wait) for number in range(60)]
    waiting = [lanes.submit(None, go_on.wait) for _ in range(60)]
    assert lanes.submit(ACTS, lambda: "acted").result(10) == "acted"
    go_on.set()
    wait_for([*stuck, *waiting], 10)


def test_each_thread_closes_what_it_has_opened(ended: Ended) -> None:
    lanes = Lanes(ended.note)
    for lane in ("a", "b", ACTS, None):
        lanes.submit(lane, lambda: None).result(10)
    eventually(lambda: ended.names == ["lane alone"], what="the end of the one that was alone")
    lanes.close(10)
    assert sorted(ended.names) == ["lane a", "lane acts", "lane alone", "lane b"]


def test_closing_waits_for_the_work_but_not_for_ever(ended: Ended) -> None:
    lanes = Lanes(ended.note)
    go_on = threading.Event()
    stuck = [lanes.submit(f"{number}", go_on.wait) for number in range(10)]
    done = lanes.submit("quick", lambda: "done")
    lanes.close(0.3)
    assert done.result(0) == "done"
    assert not any(one.done() for one in stuck)
    with pytest.raises(Cancelled):
        lanes.submit("quick", lambda: None)
    go_on.set()
    wait_for(stuck, 10)


def test_work_that_steps_aside_lets_the_rest_of_its_lane_go_on_in_order(lanes: Lanes) -> None:
    may_end, order = threading.Event(), list[int]()

    def waiting() -> str:
        lanes.step_aside()
        lanes.step_aside()  # which changes nothing more
        may_end.wait(10)
        return threading.current_thread().name

    first = lanes.submit("a", waiting)
    others = [lanes.submit("a", partial(order.append, number)) for number in range(5)]
    for one in others:
        one.result(10)
    assert order == [0, 1, 2, 3, 4]
    assert not first.done()
    may_end.set()
    assert first.result(10) == "lane a"
    assert lanes.submit("a", lambda: 1).result(10) == 1
    lanes.submit(None, lanes.step_aside).result(10)  # alone already


def test_a_lane_that_holds_something_stays(ended: Ended, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskhand.server.lanes._IDLE_SECONDS", 0.05)
    asked = threading.Semaphore(0)
    holds = True

    def may_end() -> bool:
        asked.release()
        return not holds

    lanes = Lanes(ended.note, may_end)
    first = lanes.submit(ACTS, threading.get_ident).result(10)
    assert asked.acquire(timeout=10)
    assert asked.acquire(timeout=10)
    assert lanes.submit(ACTS, threading.get_ident).result(10) == first
    holds = False
    eventually(lambda: ended.names == [f"lane {ACTS}"], what="its end")
    lanes.close(5)
