"""A seat that is taken for an act lasts as long as it is used, and two never have it."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand.guard.seat_file import Holder
from deskhand.guard.sessions import Sessions
from deskhand.model.errors import SessionRequired
from deskhand.model.turn import Turn
from tests.support.applications import eventually

_SUPPORT = Path(__file__).parents[1] / "support"
_FIGHTS = 1000


@pytest.fixture
def new_seat(tmp_path: Path) -> Iterator[Callable[..., Sessions]]:
    """Makes more processes' views of one seat."""
    made: list[Sessions] = []

    def make(
        on_end: Callable[[Holder], None] = lambda holder: None, last_used: Callable[[str], float] = lambda _: 0.0
    ) -> Sessions:
        made.append(Sessions(tmp_path, lambda: "test", on_end, last_used))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def seat(new_seat: Callable[..., Sessions]) -> Sessions:
    """The seat, for clients of this process."""
    return new_seat()


def must_take(seat: Sessions, client: str, idle: float = 60) -> Holder:
    holder = seat.take(client, client, "", idle)
    assert holder is not None
    return holder


# ---------------------------------------------------------------- one at a time


def test_the_first_act_takes_it_and_the_next_keep_it(seat: Sessions) -> None:
    first = must_take(seat, "ann")
    assert must_take(seat, "ann").session_id == first.session_id
    assert seat.require("ann", None).session_id == first.session_id


def test_who_comes_later_goes_without_and_does_not_wait(seat: Sessions) -> None:
    held = must_take(seat, "ann")
    assert seat.take("bob", "bob", "", 60) is None
    seat.end(held.session_id)
    assert must_take(seat, "bob").session_id != held.session_id


def test_an_act_does_not_pass_those_who_stand_in_line(seat: Sessions) -> None:
    held = must_take(seat, "ann")
    won: list[Holder | None] = []
    waits = threading.Thread(target=lambda: won.append(seat.acquire("bob", "bob", "", 60, 30, Turn())))
    waits.start()
    eventually(lambda: seat.view().queue, what="a place in line")
    seat.end(held.session_id)
    # Whoever comes at this moment, bob has been called or has it already.
    assert seat.take("eve", "eve", "", 60) is None
    waits.join(20)
    assert won[0] is not None


def test_a_session_that_was_acquired_keeps_its_name_and_its_time(seat: Sessions) -> None:
    acquired = seat.acquire("ann", "painter", "to paint", 500, 0, Turn())
    assert acquired is not None
    taken = must_take(seat, "ann", idle=5)
    assert (taken.session_id, taken.agent_id, taken.purpose) == (acquired.session_id, "painter", "to paint")
    assert seat.view().ttl_remaining > 400


def test_ending_another_session_than_the_one_that_has_it_does_nothing(seat: Sessions) -> None:
    must_take(seat, "ann")
    seat.end("0" * 16)
    assert seat.view().holder is not None


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"holder": 5, "queue": []}'])
def test_a_corrupt_file_is_taken_over(seat: Sessions, tmp_path: Path, content: bytes) -> None:
    must_take(seat, "ann")
    (tmp_path / "seattest.json").write_bytes(content)
    assert must_take(seat, "bob").agent_id == "bob"


def test_a_dead_holder_is_taken_over(seat: Sessions, tmp_path: Path) -> None:
    """A process that is gone, and another that has got its number since: a start time that is not its own."""
    must_take(seat, "ann")
    file = tmp_path / "seattest.json"
    whole = json.loads(file.read_text())
    whole["holder"]["process"]["started"] -= 1
    file.write_text(json.dumps(whole))
    assert must_take(seat, "bob").agent_id == "bob"


# ---------------------------------------------------------------- as long as it is used


def test_it_is_free_again_when_nothing_has_been_done_for_a_while(new_seat: Callable[..., Sessions]) -> None:
    ended: list[str] = []
    seat, other = new_seat(lambda holder: ended.append(holder.session_id)), new_seat()
    held = must_take(seat, "ann", idle=0.2)
    eventually(lambda: ended == [held.session_id], what="the end of the session")
    must_take(other, "bob")
    with pytest.raises(SessionRequired):
        seat.require("ann", held.session_id)


def test_each_act_keeps_it_longer(seat: Sessions) -> None:
    held = must_take(seat, "ann", idle=0.6)
    began = time.monotonic()
    while time.monotonic() - began < 1.2:
        assert must_take(seat, "ann", idle=0.6).session_id == held.session_id
        time.sleep(0.05)  # the time between two acts is what this is about


def test_it_lasts_through_an_act_that_is_longer_and_for_a_while_after_it(new_seat: Callable[..., Sessions]) -> None:
    """Another process sees only the file: it must not find there that the time is up."""
    act_over = time.monotonic() + 1.2
    ended: list[float] = []
    seat = new_seat(lambda holder: ended.append(time.monotonic()), lambda _: min(time.monotonic(), act_over))
    other = new_seat()
    held = must_take(seat, "ann", idle=0.4)
    while time.monotonic() < act_over:
        holder = other.view().holder
        assert holder is not None
        assert holder.session_id == held.session_id
        time.sleep(0.02)
    eventually(lambda: ended, what="the end of the session")
    assert 0.35 < ended[0] - act_over < 5
    must_take(other, "bob")


# ---------------------------------------------------------------- processes


@pytest.mark.parametrize("way", ["take", "acquire"])
def test_two_processes_fight_for_it_a_thousand_times_and_never_both_have_it(
    tmp_path: Path, seat: Sessions, way: str
) -> None:
    """The witness is a file that the seat knows nothing of; `acquire` stands in line, `take` tries again."""
    witness = tmp_path / "witness"
    witness.write_text("0")
    held = must_take(seat, "referee")
    fighters = [
        subprocess.Popen(
            [sys.executable, str(_SUPPORT / "fighter.py"), str(tmp_path), name, way, str(witness), str(_FIGHTS)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("ann", "bob")
    ]
    try:
        for one in fighters:
            assert one.stdout is not None
            assert one.stdout.readline() == "ready\n"
        seat.end(held.session_id)
        said = [one.communicate(timeout=60)[0] for one in fighters]
    finally:
        for one in fighters:
            one.kill()
            one.wait()
    assert [one.returncode for one in fighters] == [0, 0], said
    won = [int(words.split()[0]) for words in said]
    assert sum(won) == int(witness.read_text()) == _FIGHTS
    assert min(won) >= _FIGHTS // 11 - 1, "they hand over after ten: one of them did not"
