"""Many questions at once on a real bus, and what happens to them when the other side is slow, silent or gone."""

import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGSTOP
from typing import Any

import pytest

from deskhand.platforms.linux.dbus import (
    BusError,
    Call,
    Connection,
    ConnectionLost,
    MalformedMessage,
    Signal,
    Unanswered,
)
from tests.support.bus import FACE, NAME, PATH, Service, private_bus

_BUS = "org.freedesktop.DBus"


def _ask(member: str, signature: str = "", *values: Any, to: str = NAME) -> Call:
    return Call(to, PATH, FACE, member, signature, values)


def _asking_bus(member: str, signature: str = "", *values: Any) -> Call:
    return Call(_BUS, "/org/freedesktop/DBus", _BUS, member, signature, values)


@pytest.fixture(scope="module")
def bus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with private_bus(tmp_path_factory.mktemp("bus")) as (address, _):
        yield address


@pytest.fixture
def service(bus: str) -> Iterator[Service]:
    service = Service.on_bus(bus)
    yield service
    service.close()


@pytest.fixture
def connection(bus: str, service: Service) -> Iterator[Connection]:
    connection = Connection(bus)
    deadline = time.monotonic() + 10
    while not connection.call(_asking_bus("NameHasOwner", "s", NAME)):
        assert time.monotonic() < deadline
    yield connection
    connection.close()


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Callable[[], tuple[Connection, Service]]]:
    """Makes two ends that speak without a bus between them."""
    opened: list[Connection | Service] = []

    def make() -> tuple[Connection, Service]:
        path = tmp_path / "peer"
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen()
            made: list[Service] = []
            accepting = threading.Thread(target=lambda: made.append(Service.on_socket(listener)))
            accepting.start()
            connection = Connection(f"unix:path={path}", peer=True)
            accepting.join(10)
        opened.extend([connection, made[0]])
        return connection, made[0]

    yield make
    for one in opened:
        one.close()


# ---------------------------------------------------------------- answers


def test_one_question_has_one_answer(connection: Connection) -> None:
    assert connection.call(_ask("Echo", "s", "hello")) == "hello"
    assert connection.call(_ask("Echo", "sai", "hello", [1, 2])) == ("hello", [1, 2])
    assert connection.call(_ask("Echo")) == ()


def test_five_thousand_questions_are_answered_in_their_order(connection: Connection) -> None:
    calls = [_ask("Echo", "su", f"number {number}", number) for number in range(5000)]
    answers = connection.batch(calls, timeout=60)
    assert answers == [(f"number {number}", number) for number in range(5000)]


def test_answers_larger_than_any_buffer_come_whole(connection: Connection) -> None:
    long = "x" * 3_000_000
    assert connection.batch([_ask("Echo", "s", long)] * 3, timeout=60) == [long] * 3


def test_an_error_stands_where_its_answer_would(connection: Connection) -> None:
    first, second, third = connection.batch([_ask("Echo", "i", 1), _ask("Refuse"), _ask("Echo", "i", 3)])
    assert (first, third) == (1, 3)
    assert isinstance(second, BusError)
    assert second.name == "org.example.Refused"
    assert "no, thank you" in str(second)
    with pytest.raises(BusError):
        connection.call(_ask("Refuse"))


def test_nobody_of_that_name_is_an_error(connection: Connection) -> None:
    with pytest.raises(BusError, match="ServiceUnknown"):
        connection.call(_ask("Echo", to="org.example.Nobody"))


def test_an_answer_that_cannot_be_read_is_an_error_and_the_next_ones_come(
    peer: Callable[[], tuple[Connection, Service]],
) -> None:
    connection, _ = peer()
    broken, fine = connection.batch([_ask("Broken", to=""), _ask("Echo", "s", "fine", to="")], timeout=10)
    assert isinstance(broken, BusError)
    assert "InconsistentMessage" in broken.name
    assert fine == "fine"


# ---------------------------------------------------------------- silence


def test_who_never_answers_holds_up_nobody_else(connection: Connection) -> None:
    start = time.monotonic()
    answers = connection.batch([_ask("Echo", "i", 1), _ask("Never"), _ask("Echo", "i", 3)], timeout=0.5)
    assert 0.4 < time.monotonic() - start < 10
    assert answers[0] == 1
    assert isinstance(answers[1], Unanswered)
    assert answers[2] == 3
    with pytest.raises(Unanswered):
        connection.call(_ask("Never"), timeout=0.1)


def test_late_answers_never_land_in_a_later_batch(connection: Connection, service: Service) -> None:
    abandoned = connection.batch([_ask("Later", "s", f"late {number}") for number in range(50)], timeout=0.2)
    assert all(isinstance(answer, Unanswered) for answer in abandoned)
    service.release()
    answers = connection.batch([_ask("Echo", "s", f"new {number}") for number in range(50)], timeout=30)
    assert answers == [f"new {number}" for number in range(50)]
    assert all(isinstance(answer, Unanswered) for answer in abandoned)


def test_who_has_said_nothing_since_is_silent_until_it_says_something(connection: Connection, service: Service) -> None:
    assert not connection.is_silent(NAME)
    connection.batch([_ask("Later", "s", "late")], timeout=0.1)
    assert connection.is_silent(NAME)
    assert not connection.is_silent(_BUS)
    service.release()
    deadline = time.monotonic() + 10
    while connection.is_silent(NAME):
        assert time.monotonic() < deadline


def test_who_answers_the_next_question_is_not_silent_for_the_one_it_still_owes(connection: Connection) -> None:
    connection.batch([_ask("Never")], timeout=0.1)
    assert connection.is_silent(NAME)
    assert connection.call(_ask("Echo", "i", 5), timeout=10) == 5
    assert not connection.is_silent(NAME)


# ---------------------------------------------------------------- the end


def test_a_bus_that_closes_is_lost(tmp_path: Path) -> None:
    with private_bus(tmp_path) as (address, process):
        connection = Connection(address)
        process.kill()
        process.wait()
        with pytest.raises(ConnectionLost):
            connection.batch([_asking_bus("ListNames")] * 3, timeout=10)
        with pytest.raises(ConnectionLost):
            connection.call(_asking_bus("ListNames"), timeout=10)
        connection.close()


@pytest.mark.parametrize(
    "address", ["unix:path=/nowhere/at/all", "unix:abstract=deskhand-nobody", "tcp:host=localhost,port=1", "", ";;"]
)
def test_an_address_where_nobody_listens_is_lost(address: str) -> None:
    with pytest.raises(ConnectionLost, match="cannot connect"):
        Connection(address, timeout=2)


def test_who_refuses_us_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "closed"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def refuse() -> None:
            channel, _ = listener.accept()
            channel.recv(1000)
            channel.sendall(b"REJECTED EXTERNAL\r\n")
            channel.close()

        thread = threading.Thread(target=refuse)
        thread.start()
        with pytest.raises(ConnectionLost, match="refused"):
            Connection(f"unix:path={path}", timeout=5)
        thread.join(5)


def test_the_first_address_that_answers_is_taken(bus: str) -> None:
    connection = Connection(f"unix:path=/nowhere/at/all;{bus}")
    assert connection.name.startswith(":")
    connection.close()


def test_an_address_with_escapes_is_understood(tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    folder.mkdir()
    with private_bus(folder) as (address, _):
        assert "%20" in address
        connection = Connection(address)
        assert connection.call(_asking_bus("GetId"))
        connection.close()


def test_a_peer_that_goes_in_the_middle_is_lost(peer: Callable[[], tuple[Connection, Service]]) -> None:
    connection, _ = peer()
    assert connection.call(_ask("Echo", "s", "there", to="")) == "there"
    with pytest.raises(ConnectionLost):
        connection.batch([_ask("Quit", to=""), _ask("Echo", "i", 1, to="")], timeout=10)


def test_a_peer_that_speaks_something_else_is_lost(peer: Callable[[], tuple[Connection, Service]]) -> None:
    connection, _ = peer()
    with pytest.raises(ConnectionLost, match="does not speak D-Bus"):
        connection.call(_ask("Garbage", to=""), timeout=10)


def test_a_peer_that_reads_nothing_costs_no_more_than_the_timeout_and_goes_on_where_it_stopped(
    peer: Callable[[], tuple[Connection, Service]],
) -> None:
    connection, service = peer()
    assert connection.call(_ask("Stop", "s", "stopping", to="")) == "stopping"
    long = "x" * 30_000
    start = time.monotonic()
    for _ in range(3):
        answers = connection.batch([_ask("Echo", "s", long, to="")] * 100, timeout=0.3)
        assert all(isinstance(answer, Unanswered) for answer in answers)
    assert time.monotonic() - start < 20
    assert connection.is_silent("")
    service.release()
    assert connection.batch([_ask("Echo", "i", number, to="") for number in range(10)], timeout=60) == list(range(10))


# ---------------------------------------------------------------- signals


def test_signals_are_kept_in_their_order_beside_the_answers(connection: Connection, service: Service) -> None:
    connection.call(_asking_bus("AddMatch", "s", f"type='signal',interface='{FACE}'"))
    for number in range(200):
        service.signal("Changed", "is", (number, "words"))
    assert connection.batch([_ask("Echo", "i", number) for number in range(300)], timeout=30) == list(range(300))
    deadline = time.monotonic() + 10
    while len(changes := [signal for signal in connection.signals if signal.interface == FACE]) < 200:
        connection.wait(0.1)
        assert time.monotonic() < deadline
    assert [signal.values for signal in changes] == [(number, "words") for number in range(200)]
    first = changes[0]
    assert (first.path, first.interface, first.member, first.signature) == (PATH, FACE, "Changed", "is")
    assert first.sender.startswith(":")


def test_signals_that_nobody_reads_do_not_pile_up(connection: Connection, service: Service) -> None:
    connection.call(_asking_bus("AddMatch", "s", f"type='signal',interface='{FACE}'"))
    most = connection.signals.maxlen
    assert most is not None
    for number in range(most + 500):
        service.signal("Changed", "i", (number,))
    assert connection.call(_ask("Echo", "i", 1), timeout=60) == 1
    deadline = time.monotonic() + 30
    while not connection.signals or connection.signals[-1].values != (most + 499,):
        connection.wait(0.1)
        assert time.monotonic() < deadline
    assert len(connection.signals) == most


def test_a_signal_that_cannot_be_read_says_so_only_to_who_reads_it(connection: Connection) -> None:
    with pytest.raises(MalformedMessage):
        _ = Signal(":1.1", PATH, FACE, "Changed", "as", b"\xff\xff\xff\x7f").values


def test_saying_something_waits_for_no_answer(connection: Connection, service: Service) -> None:
    connection.send(_ask("Never"))
    assert connection.call(_ask("Echo", "s", "after"), timeout=10) == "after"
    assert service.heard[-2:] == ["Never", "Echo"]
    assert not connection.is_silent(NAME)


def test_waiting_comes_back_when_there_is_something_to_read(connection: Connection, service: Service) -> None:
    connection.call(_asking_bus("AddMatch", "s", f"type='signal',interface='{FACE}'"))
    assert not connection.wait(0.05)
    timer = threading.Timer(0.1, lambda: service.signal("Changed", "i", (1,)))
    timer.start()
    assert connection.wait(10)
    timer.join()
    assert connection.fileno() > 0


def test_connections_leave_nothing_open(bus: str) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        Connection(bus).close()
    for _ in range(20):
        with pytest.raises(ConnectionLost):
            Connection("unix:path=/nowhere")
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_bus_that_does_not_answer_hello_leaves_nothing_open(tmp_path: Path) -> None:
    with private_bus(tmp_path) as (address, process):
        Connection(address).close()
        _freeze(process)
        before = len(os.listdir("/proc/self/fd"))
        with pytest.raises((ConnectionLost, Unanswered)):
            Connection(address, timeout=0.3)
        assert len(os.listdir("/proc/self/fd")) == before


def _freeze(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(SIGSTOP)
