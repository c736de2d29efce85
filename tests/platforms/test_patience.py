"""An application that hangs is waited for once, by all that asks it, and forgiven as soon as it says something."""

import pytest

from deskhand.platforms.linux.patience import MOST_SECONDS, Patience

_APP, _OTHER = 11, 12


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def patience(clock: Clock) -> Patience:
    return Patience(clock)


def test_all_questions_of_a_call_together_get_no_more_than_one(patience: Patience) -> None:
    waited = 0.0
    for _ in range(10):
        seconds = patience.left(_APP)
        patience.waited(_APP, seconds)
        waited += seconds
    assert MOST_SECONDS <= waited < 1.3 * MOST_SECONDS
    assert patience.is_spent(_APP)


def test_another_application_is_waited_for_as_ever(patience: Patience) -> None:
    patience.waited(_APP, MOST_SECONDS)
    assert patience.left(_OTHER) == MOST_SECONDS


def test_an_answer_restores_it(patience: Patience) -> None:
    patience.waited(_APP, MOST_SECONDS)
    patience.answered(_APP)
    assert patience.left(_APP) == MOST_SECONDS


def test_some_of_it_comes_back_with_time(patience: Patience, clock: Clock) -> None:
    patience.waited(_APP, MOST_SECONDS)
    clock.seconds += 5
    assert patience.left(_APP) == pytest.approx(0.5)
    clock.seconds += 3600
    assert patience.left(_APP) == MOST_SECONDS


def test_who_has_let_nobody_wait_gets_all_the_time_that_was_meant(patience: Patience) -> None:
    assert patience.within(_APP, 20) == 20
    patience.waited(_APP, 0.5)
    assert patience.within(_APP, 20) == 1.5
    assert patience.within(_APP, 0.1) == 0.1
