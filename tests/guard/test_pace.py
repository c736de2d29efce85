"""Clicks come no faster than they may, and whoever is too fast hears how long to wait."""

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from deskhand.guard.pace import Pace
from deskhand.model.errors import TooFast
from tests.support.applications import Application
from tests.support.client import Client


def refused(pace: Pace) -> TooFast | None:
    try:
        pace.click()
    except TooFast as error:
        return error
    return None


def test_the_eleventh_click_in_a_second_is_one_too_many() -> None:
    pace = Pace()
    answers = [refused(pace) for _ in range(11)]
    assert answers[:10] == [None] * 10
    assert str(answers[10]) == "more than 10 clicks in one second"


def test_whoever_waits_as_long_as_told_may_click_again() -> None:
    pace = Pace(3)
    for _ in range(3):
        pace.click()
    error = refused(pace)
    assert error is not None
    told = re.search(r"wait (\d+) ms", error.recovery)
    assert told is not None
    assert 0 < int(told[1]) <= 1000
    time.sleep(int(told[1]) / 1000)
    assert refused(pace) is None


def test_a_refused_click_does_not_count() -> None:
    pace = Pace(2)
    start = time.monotonic()
    pace.click()
    pace.click()
    while refused(pace):
        time.sleep(0.02)
    assert time.monotonic() - start < 5


def test_no_limit_is_none() -> None:
    pace = Pace(0)
    assert not any(refused(pace) for _ in range(1000))


def test_all_threads_share_one_limit() -> None:
    pace = Pace(10)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: refused(pace), range(80)))
    # Should the machine pause for a second, the next ten may go too.
    assert answers.count(None) % 10 == 0


@pytest.mark.parametrize("limit", [1, 7])
def test_the_limit_is_the_one_that_was_set(limit: int) -> None:
    pace = Pace(limit)
    answers = [refused(pace) for _ in range(limit + 1)]
    assert answers[:-1] == [None] * limit
    assert answers[-1] is not None


def test_a_double_click_counts_twice_and_goes_whole_or_not_at_all() -> None:
    pace = Pace(5)
    for _ in range(2):
        pace.click(2)
    with pytest.raises(TooFast):
        pace.click(2)
    pace.click()
    with pytest.raises(TooFast):
        pace.click()


def test_a_limit_of_one_lets_a_double_click_through_each_second() -> None:
    pace = Pace(1)
    pace.click(2)
    error = refused(pace)
    assert error is not None
    assert "wait" in error.recovery


class TestAClickOfAnyTool:
    """Through the front door: whichever tool clicks, and however often, is counted."""

    @pytest.fixture
    def slow(self, new_client: Callable[..., Client]) -> Client:
        client = new_client("--clicks-per-second", "2")
        client.acquire()
        return client

    def test_double_clicks(self, slow: Client) -> None:
        slow.do("double_click_at", x=5, y=5)
        reply = slow.call("click_at", x=5, y=5)
        assert reply.startswith("error: more than 2 clicks in one second\nrecovery: wait "), reply
        assert slow.call("double_click_at", x=5, y=5).is_error

    @pytest.mark.parametrize("tool", ["ax_press", "interact", "click_at"])
    def test_elements_that_are_clicked(self, slow: Client, form: Application, tool: str) -> None:
        slow.do("double_click_at", x=5, y=1000)
        reply = slow.call(tool, app_name=str(form.pid), title="Pad")
        assert reply.startswith("error: more than 2 clicks in one second\nrecovery: wait "), reply
        told = re.search(r"wait (\d+) ms", reply)
        assert told is not None
        time.sleep(int(told[1]) / 1000)
        slow.do(tool, app_name=str(form.pid), title="Pad")
