"""One agent at a time holds the seat, those who wait get it in order, and nobody is forgotten."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from deskhand.guard.seat_file import Holder
from deskhand.guard.sessions import Sessions
from deskhand.model.errors import BadArguments, Cancelled, NotAnswering, PermissionMissing, SessionRequired
from deskhand.model.turn import Turn
from tests.support.applications import eventually

_AGENT = Path(__file__).parents[1] / "support" / "agent.py"


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Sessions]:
    """The seat, for clients of this process."""
    sessions = Sessions(tmp_path, lambda: "test")
    yield sessions
    sessions.close()


def take(seat: Sessions, client: str, ttl: float = 60, timeout: float = 0, turn: Turn | None = None) -> Holder | None:
    """Take the seat as an agent that is called like its connection."""
    return seat.acquire(client, client, "", ttl, timeout, turn or Turn())


def must_take(seat: Sessions, client: str, ttl: float = 60) -> Holder:
    holder = take(seat, client, ttl)
    assert holder is not None
    return holder


def give_back(seat: Sessions, holder: Holder) -> None:
    seat.release(holder.session_id, holder.agent_id)


def waiting(seat: Sessions) -> list[str]:
    """Who waits, in order."""
    return [one.agent_id for one in seat.view().queue]


def stands_in_line(seat: Sessions, name: str) -> None:
    """Wait until an agent does."""
    eventually(lambda: name in waiting(seat), seconds=40, what=f"{name}'s place in line")


class TestOneProcess:
    """Clients and threads of one process."""

    def test_the_seat_is_held_until_it_is_given_back(self, seat: Sessions) -> None:
        held = must_take(seat, "ann")
        assert take(seat, "bob") is None
        give_back(seat, held)
        assert must_take(seat, "bob").agent_id == "bob"

    def test_taking_it_again_keeps_the_session_and_starts_its_time_anew(self, seat: Sessions) -> None:
        first = must_take(seat, "ann", ttl=5)
        again = must_take(seat, "ann", ttl=50)
        assert again.session_id == first.session_id
        assert 45 < seat.view().ttl_remaining <= 50

    def test_extending_starts_the_time_anew(self, seat: Sessions) -> None:
        held = must_take(seat, "ann", ttl=5)
        assert seat.extend(held.session_id, None, 80).ttl == 80
        assert 75 < seat.view().ttl_remaining <= 80
        assert seat.extend(held.session_id, "ann", None).ttl == 80

    def test_only_the_agent_that_holds_a_session_can_end_or_extend_it(self, seat: Sessions) -> None:
        held = must_take(seat, "ann")
        with pytest.raises(BadArguments):
            seat.release(held.session_id, "bob")
        with pytest.raises(BadArguments):
            seat.extend(held.session_id, "bob", 5)
        with pytest.raises(SessionRequired):
            seat.release("0" * 16, "ann")
        assert seat.view().holder is not None

    def test_acting_needs_the_session_of_this_connection_or_its_id(self, seat: Sessions) -> None:
        with pytest.raises(SessionRequired):
            seat.require("ann", None)
        held = must_take(seat, "ann")
        assert seat.require("ann", None).session_id == held.session_id
        assert seat.require("bob", held.session_id).session_id == held.session_id
        for client, session_id in (("bob", None), ("ann", "0" * 16), ("ann", "")):
            with pytest.raises(SessionRequired):
                seat.require(client, session_id)

    def test_a_session_runs_out_and_tells_so_though_nobody_asks(self, tmp_path: Path) -> None:
        ended: list[str] = []
        seat = Sessions(tmp_path, lambda: "test", lambda holder: ended.append(holder.session_id))
        held = must_take(seat, "ann", ttl=0.2)
        eventually(lambda: ended == [held.session_id], what="the end of the session")
        with pytest.raises(SessionRequired):
            seat.require("ann", None)

    def test_a_session_that_is_extended_ends_at_its_new_time(self, tmp_path: Path) -> None:
        ended: list[float] = []
        seat = Sessions(tmp_path, lambda: "test", lambda holder: ended.append(time.monotonic()))
        held = must_take(seat, "ann", ttl=0.2)
        seat.extend(held.session_id, None, 0.6)
        began = time.monotonic()
        eventually(lambda: ended, what="the end of the session")
        assert ended[0] - began > 0.5
        shorter = must_take(seat, "ann", ttl=60)
        seat.extend(shorter.session_id, None, 0.1)
        eventually(lambda: len(ended) == 2, what="the end of the second session")

    def test_each_session_that_ends_is_told_once_also_when_the_next_begins_at_that_moment(self, tmp_path: Path) -> None:
        ended: list[str] = []
        seat = Sessions(tmp_path, lambda: "test", lambda holder: ended.append(holder.session_id))
        given = []
        for number in range(20):
            held = take(seat, f"agent {number}", ttl=0.02, timeout=10)
            assert held is not None
            given.append(held.session_id)
        eventually(lambda: len(ended) >= 20, what="all ends")
        assert ended == given

    def test_looking_at_the_seat_never_ends_a_session(self, tmp_path: Path) -> None:
        ended: list[str] = []
        seat = Sessions(tmp_path, lambda: "test", lambda holder: ended.append(holder.agent_id))
        stop = threading.Event()

        def look() -> None:
            while not stop.is_set():
                seat.view()

        with ThreadPoolExecutor(3) as pool:
            looks = [pool.submit(look) for _ in range(3)]
            for number in range(60):
                held = must_take(seat, f"{number}")
                assert seat.require(f"{number}", None).session_id == held.session_id
                assert len(ended) == number
                give_back(seat, held)
            stop.set()
            for one in looks:
                one.result()
        assert ended == [f"{number}" for number in range(60)]

    def test_a_connection_that_closes_gives_the_seat_back(self, seat: Sessions) -> None:
        must_take(seat, "ann")
        seat.leave("bob")
        assert seat.view().holder is not None
        seat.leave("ann")
        assert seat.view().holder is None

    def test_who_waits_gets_it_in_order_of_arrival(self, seat: Sessions) -> None:
        order: list[str] = []

        def wait(name: str) -> None:
            held = take(seat, name, timeout=30)
            assert held is not None
            order.append(name)
            give_back(seat, held)

        first = must_take(seat, "first")
        with ThreadPoolExecutor(20) as pool:
            names = [f"agent {number:02}" for number in range(20)]
            waits = []
            for name in names:
                waits.append(pool.submit(wait, name))
                stands_in_line(seat, name)
            assert waiting(seat) == names
            give_back(seat, first)
            for one in waits:
                one.result(30)
        assert order == names

    def test_who_waits_too_long_goes_without(self, seat: Sessions) -> None:
        must_take(seat, "ann")
        assert take(seat, "bob", timeout=0.2) is None
        assert waiting(seat) == []

    def test_a_newcomer_does_not_pass_those_who_wait(self, seat: Sessions) -> None:
        held = must_take(seat, "ann")
        with ThreadPoolExecutor(1) as pool:
            bob: Future[Holder | None] = pool.submit(take, seat, "bob", 60, 20)
            eventually(lambda: waiting(seat) == ["bob"], what="a place in line")
            give_back(seat, held)
            assert take(seat, "eve") is None
            won = bob.result(20)
            assert won is not None
            assert won.agent_id == "bob"

    def test_a_wait_that_is_cancelled_ends_at_once_and_leaves_the_line(self, seat: Sessions) -> None:
        held = must_take(seat, "ann")
        turn = Turn()
        with ThreadPoolExecutor(2) as pool:
            bob = pool.submit(take, seat, "bob", 60, 60, turn)
            eventually(lambda: waiting(seat) == ["bob"], what="a place in line")
            carol = pool.submit(take, seat, "carol", 60, 60)
            eventually(lambda: waiting(seat) == ["bob", "carol"], what="a place in line")
            turn.cancel()
            with pytest.raises(Cancelled):
                bob.result(10)
            eventually(lambda: waiting(seat) == ["carol"], what="leaving the line")
            give_back(seat, held)
            won = carol.result(10)
            assert won is not None
            assert won.agent_id == "carol"

    def test_who_asks_twice_at_once_is_given_one_session_for_both(self, seat: Sessions) -> None:
        held = must_take(seat, "ann")
        with ThreadPoolExecutor(2) as pool:
            both = [pool.submit(take, seat, "bob", 60, 30) for _ in range(2)]
            eventually(lambda: waiting(seat) == ["bob", "bob"], what="two places in line")
            give_back(seat, held)
            first, second = (one.result(20) for one in both)
        assert first is not None
        assert second is not None
        assert first.session_id == second.session_id

    def test_who_waits_hears_the_place_in_line(self, seat: Sessions) -> None:
        heard: list[str] = []
        must_take(seat, "ann")
        assert take(seat, "bob", timeout=0.1, turn=Turn(heard.append)) is None
        assert heard == ["waiting for the seat: number 1 in line"]

    def test_a_seat_has_one_file_and_leaves_nothing_else_behind(self, seat: Sessions, tmp_path: Path) -> None:
        must_take(seat, "ann")
        assert take(seat, "bob", timeout=0.05) is None
        assert sorted(path.name for path in tmp_path.iterdir()) == ["seattest.json", "seattest.lock"]
        assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.iterdir())

    def test_the_longest_directory_will_do(self, tmp_path: Path) -> None:
        deep = tmp_path / ("d" * 120) / ("e" * 120)
        deep.mkdir(parents=True)
        seat = Sessions(deep, lambda: "test")
        must_take(seat, "ann")
        assert take(seat, "bob", timeout=0.05) is None
        seat.close()


class TestBrokenFiles:
    """What is found in the directory cannot be trusted to be whole."""

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"{",
            b"\xff\xfe",
            b"[]",
            b"null",
            b'{"holder": 5, "queue": []}',
            b'{"holder": null}',
            b'{"holder": null, "queue": [{}]}',
            b'{"holder": null, "queue": "abc"}',
            b"[" * 100_000,
        ],
    )
    def test_a_file_that_cannot_be_read_is_an_empty_seat(self, seat: Sessions, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "seattest.json").write_bytes(content)
        assert must_take(seat, "ann").agent_id == "ann"

    def test_a_field_of_another_type_makes_it_an_empty_seat(self, seat: Sessions, tmp_path: Path) -> None:
        must_take(seat, "ann")
        file = tmp_path / "seattest.json"
        whole: dict[str, Any] = json.loads(file.read_text())
        for name, value in (("expires", "never"), ("process", {"pid": "x", "started": 1}), ("client", None)):
            file.write_text(json.dumps({**whole, "holder": {**whole["holder"], name: value}}))
            assert seat.view().holder is None

    def test_a_field_that_a_later_version_has_added_does_not_empty_the_seat(
        self, seat: Sessions, tmp_path: Path
    ) -> None:
        must_take(seat, "ann")
        file = tmp_path / "seattest.json"
        whole = json.loads(file.read_text())
        file.write_text(json.dumps({**whole, "holder": {**whole["holder"], "mood": "good"}, "new": 1}))
        assert take(seat, "bob") is None

    def test_a_directory_that_has_gone_is_told(self, tmp_path: Path) -> None:
        seat = Sessions(tmp_path / "gone", lambda: "test")
        with pytest.raises(PermissionMissing, match="No such file"):
            take(seat, "ann")

    def test_a_process_that_is_stopped_with_the_file_in_its_hand_blocks_nobody_for_ever(
        self, seat: Sessions, tmp_path: Path
    ) -> None:
        must_take(seat, "ann")
        with open(tmp_path / "seattest.lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(NotAnswering, match="keeps the seat"):
                seat.view()
        assert seat.require("ann", None).agent_id == "ann"

    def test_a_link_in_place_of_the_file_is_not_followed(self, seat: Sessions, tmp_path: Path) -> None:
        target = tmp_path / "target"
        target.write_text("precious")
        (tmp_path / "seattest.lock").symlink_to(target)
        with pytest.raises(PermissionMissing):
            take(seat, "ann")
        assert target.read_text() == "precious"


class Agents:
    """Processes that take the seat of a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.log = directory.parent / "log"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.killed: set[str] = set()

    def start(self, name: str, seconds: float = 0.0, fate: str = "") -> None:
        command = [sys.executable, str(_AGENT), str(self.directory), name, str(self.log), str(seconds), fate]
        self.processes[name] = subprocess.Popen(command)

    def kill(self, name: str) -> None:
        self.killed.add(name)
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait()

    def notes(self) -> list[list[str]]:
        return [line.split() for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def entered(self) -> list[str]:
        return [note[1] for note in self.notes() if note[0] == "enter"]

    def wait_for(self, name: str) -> None:
        eventually(lambda: name in self.entered(), seconds=40, what=f"{name}'s turn")

    def finish(self) -> None:
        """Wait for all that are left, and check that there was never more than one in."""
        for name, process in self.processes.items():
            if name not in self.killed:
                assert process.wait(60) == 0
        inside: str | None = None
        for kind, name, *_ in self.notes():
            assert kind not in ("late", "second"), f"{kind}: {name}"
            if kind == "cancelled":
                continue
            if kind == "enter":
                assert inside is None or inside in self.killed, f"{name} came in while {inside} was there"
            inside = name if kind == "enter" else None

    def end(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[Agents]:
    directory = tmp_path / "seat"
    directory.mkdir()
    started = Agents(directory)
    yield started
    started.end()


@pytest.fixture
def shared_seat(agents: Agents) -> Iterator[Sessions]:
    """The seat that the agents take, seen from here."""
    sessions = Sessions(agents.directory, lambda: "test")
    yield sessions
    sessions.close()


def in_line(agents: Agents, seat: Sessions, names: Sequence[str], seconds: float = 0.0) -> None:
    """Start agents one after the other, each when the one before waits."""
    for name in names:
        agents.start(name, seconds)
        stands_in_line(seat, name)


class TestManyProcesses:
    """Servers on one display share its seat."""

    def test_fifty_who_wait_get_their_turn_in_order_and_alone_whoever_dies_or_gives_up(
        self, agents: Agents, shared_seat: Sessions
    ) -> None:
        held = must_take(shared_seat, "first")
        fates = ["", "dies waiting", "dies holding", "cancel", "expire"]
        fate_of = {f"agent{number}": fates[number % 5] if number < 40 else "" for number in range(50)}

        def of(fate: str) -> list[str]:
            return [name for name in fate_of if fate_of[name] == fate]

        for name, fate in fate_of.items():
            agents.start(name, 60 if fate == "dies holding" else 0.0, fate if fate in ("cancel", "expire") else "")
        eventually(lambda: len(waiting(shared_seat)) == 50, seconds=60, what="all places in line")
        order = waiting(shared_seat)
        for name in of("dies waiting"):
            agents.kill(name)
        for name in of("cancel"):
            agents.processes[name].send_signal(signal.SIGUSR1)
            assert agents.processes[name].wait(30) == 0
        give_back(shared_seat, held)
        for name in (name for name in order if fate_of[name] == "dies holding"):
            agents.wait_for(name)
            agents.kill(name)
        agents.finish()
        assert agents.entered() == [name for name in order if fate_of[name] not in ("dies waiting", "cancel")]
        assert sorted(note[1] for note in agents.notes() if note[0] == "cancelled") == sorted(of("cancel"))
        assert must_take(shared_seat, "last").agent_id == "last"
        assert waiting(shared_seat) == []

    def test_the_witness_of_two_holders_tells(self, agents: Agents) -> None:
        with open(f"{agents.log}.witness", "ab") as witness:
            fcntl.flock(witness, fcntl.LOCK_EX)
            agents.start("ann")
            with pytest.raises(AssertionError, match="second: ann"):
                agents.finish()

    def test_the_death_of_the_holder_frees_the_seat_at_once(self, agents: Agents, shared_seat: Sessions) -> None:
        agents.start("ann", 60)
        agents.wait_for("ann")
        in_line(agents, shared_seat, ["bob", "carol"])
        agents.kill("ann")
        agents.finish()
        assert agents.entered() == ["ann", "bob", "carol"]

    @pytest.mark.parametrize("dead", ["bob", "carol", "dora"])
    def test_the_death_of_one_who_waits_holds_up_nobody(self, agents: Agents, shared_seat: Sessions, dead: str) -> None:
        held = must_take(shared_seat, "first")
        in_line(agents, shared_seat, ["bob", "carol", "dora"])
        agents.kill(dead)
        give_back(shared_seat, held)
        agents.finish()
        assert agents.entered() == [name for name in ("bob", "carol", "dora") if name != dead]
        assert not [path for path in agents.directory.iterdir() if path.name.startswith("wait")]

    def test_the_death_of_the_head_after_it_was_called_holds_up_nobody(
        self, agents: Agents, shared_seat: Sessions
    ) -> None:
        held = must_take(shared_seat, "first")
        in_line(agents, shared_seat, ["bob", "carol", "dora"])
        os.kill(agents.processes["bob"].pid, signal.SIGSTOP)
        give_back(shared_seat, held)  # bob is called, and does not hear it
        agents.kill("bob")
        agents.finish()
        assert agents.entered() == ["carol", "dora"]

    def test_a_seat_of_a_process_that_has_ended_is_free(self, agents: Agents, shared_seat: Sessions) -> None:
        agents.start("ann", 60)
        agents.wait_for("ann")
        assert take(shared_seat, "bob") is None
        agents.kill("ann")
        assert must_take(shared_seat, "bob").agent_id == "bob"

    def test_holders_that_are_killed_one_after_the_other_never_leave_two_in(
        self, agents: Agents, shared_seat: Sessions
    ) -> None:
        held = must_take(shared_seat, "first")
        names = [f"agent{number}" for number in range(8)]
        in_line(agents, shared_seat, names, seconds=60)
        give_back(shared_seat, held)
        for name in names:
            agents.wait_for(name)
            agents.kill(name)
        agents.finish()
        assert agents.entered() == names


def test_waiting_costs_no_processor_time(seat: Sessions) -> None:
    must_take(seat, "ann")
    before = time.thread_time()
    assert take(seat, "bob", timeout=1.0) is None
    assert time.thread_time() - before < 0.2
