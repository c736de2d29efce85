"""Many clients at a port or a Unix socket: each has its own conversation, all share the one seat."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client as SdkClient

from deskhand.model.geometry import Rect
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.surfaces.axi import Axi
from tests.support.applications import eventually
from tests.support.client import Client, reply_of
from tests.support.lines import call, line_of, opened, request
from tests.support.listening import Caller, Listening, Where, connected, said_to
from tests.support.other_keyboard import OtherKeyboard
from tests.support.sdk_transport import transport_to
from tests.support.x_window import XWindow


@pytest.fixture(scope="module")
def short_folder() -> Iterator[Path]:
    """A folder of our own, with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="dh-") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def server(desktop: EmbeddedSession, short_folder: Path) -> Iterator[Listening]:
    """A server at a port and at a socket."""
    arguments = ("--port", "0", "--socket", str(short_folder / "both"), "--clicks-per-second", "0")
    with Listening(*arguments, environment=desktop.environment) as listening:
        yield listening
        assert "Traceback" not in listening.stderr


@pytest.fixture(scope="module")
def places(server: Listening) -> dict[str, Where]:
    return {"port": server.where, "socket": server.next_place()}


@pytest.fixture(params=["port", "socket"])
def where(request: pytest.FixtureRequest, places: dict[str, Where]) -> Where:
    """Each of the places where it listens."""
    return places[request.param]


@pytest.fixture
def port(places: dict[str, Where]) -> Where:
    return places["port"]


def greeted(where: Where) -> Caller:
    caller = Caller(where)
    caller.initialize()
    return caller


class TestAConversation:
    """It goes as over standard input and output."""

    def test_everything_is_answered_before_the_end(self, where: Where) -> None:
        messages = opened(call(1, "get_screen_info"), b"{", b"[]", call(2, "screenshot"), request(3, "ping"))
        answers = [json.loads(line) for line in said_to(where, b"".join(map(line_of, messages)))]
        by_number = {answer["id"]: answer for answer in answers if answer["id"] is not None}
        assert set(by_number) == {0, 1, 2, 3}
        assert "displays[1]" in by_number[1]["result"]["content"][0]["text"]
        assert [answer["error"]["code"] for answer in answers if answer["id"] is None] == [-32700, -32600]

    def test_the_memory_of_half_a_line_goes_with_its_client(self, server: Listening, where: Where) -> None:
        def resident() -> int:
            with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as sizes:
                return int(sizes.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        before = resident()
        for _ in range(10):
            with connected(where) as half:
                half.sendall(b"".join(map(line_of, opened())) + b"x" * 30_000_000)
        with greeted(where) as caller:
            caller.do("session_status")
            eventually(lambda: resident() < before + 100_000_000, what="memory given back")

    def test_the_last_line_needs_no_end(self, where: Where) -> None:
        assert len(said_to(where, b"".join(map(line_of, opened(request(1, "ping"))))[:-1])) == 2

    def test_a_line_of_ten_megabytes_is_taken_and_one_of_forty_is_not(self, where: Where) -> None:
        with greeted(where) as caller:
            assert "Unknown parameter: junk" in caller.call("session_status", junk="x" * 10_000_000)
        with greeted(where) as caller:
            caller.send_line(b'"' + b"x" * 40_000_000 + b'"')
            assert caller.answer(None)["error"]["code"] == -32600
            eventually(lambda: caller.is_over, what="the end of the connection")

    @pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
    def test_the_client_of_the_sdk_lists_and_calls(self, where: Where, mode: Any) -> None:
        async def converse() -> None:
            async with SdkClient(transport_to(where), mode=mode) as client:
                assert len((await client.list_tools()).tools) == len(Axi.tools)
                shot = await client.call_tool("screenshot", {})
                assert [block.type for block in shot.content] == ["text", "image"]
                granted: Any = await client.call_tool("acquire_session", {"agent_id": "ann"})
                assert "granted: true" in granted.content[0].text
                clicked: Any = await client.call_tool("click_at", {"x": 9, "y": 9})
                assert "_gen: " in clicked.content[0].text

        asyncio.run(asyncio.wait_for(converse(), 60))

    def test_who_does_not_read_keeps_nobody_else_waiting(self, where: Where) -> None:
        with connected(where) as deaf, greeted(where) as other:
            shots = [call(number, "screenshot") for number in range(1, 30)]
            deaf.sendall(b"".join(map(line_of, opened(*shots))))
            assert "displays" in other.do("get_screen_info")


class TestWhoBegins:
    """Only JSON-RPC is spoken here."""

    @pytest.mark.parametrize("method", [b"GET / HTTP/1.1", b"POST / HTTP/1.1", b"\x16\x03\x01\x02", b"17"])
    def test_a_browser_is_shown_out_before_its_body_is_read(self, where: Where, method: bytes) -> None:
        body = opened(call(1, "acquire_session", agent_id="evil"), call(2, "session_status"))
        request = method + b"\r\nContent-Type: text/plain\r\n\r\n" + b"".join(map(line_of, body))
        answers = [json.loads(line) for line in said_to(where, request, half=False)]
        assert [answer["error"]["code"] in (-32700, -32600) for answer in answers] in ([True], [])
        with greeted(where) as caller:
            assert "evil" not in caller.do("session_status")

    def test_a_client_that_always_shows_a_token_is_welcome_where_none_is_wanted(self, where: Where) -> None:
        with Caller(where) as caller:
            assert caller.show("some token that nobody asks for")["result"] == {}
            assert "result" in caller.initialize()

    def test_programs_of_another_user_are_refused(self, port: Where, where: Where) -> None:
        if os.getuid() != 0:
            pytest.skip("only root can start a program of another user")
        assert isinstance(port, tuple)
        program = (
            "import os, socket, sys\n"
            "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
            f"it = socket.socket(); it.connect({port!r})\n"
            "it.sendall(sys.stdin.buffer.read())\n"
            "it.close() if sys.argv[1] == 'rush' else sys.stdout.buffer.write(it.makefile('rb').read())\n"
        )
        lines = b"".join(map(line_of, opened(call(1, "acquire_session", agent_id="stranger"))))
        run = [sys.executable, "-c", program]
        done = subprocess.run([*run, "wait"], input=lines, capture_output=True, check=True, timeout=30)
        assert json.loads(done.stdout)["error"]["message"].startswith("this server takes its own user's programs only")
        with greeted(port) as watching:
            for _ in range(10):
                subprocess.run([*run, "rush"], input=lines, capture_output=True, check=True, timeout=30)
            assert "stranger" not in watching.do("session_status")


@pytest.fixture
def sink(desktop: EmbeddedSession, platform: Platform) -> Iterator[XWindow]:
    """A window that takes every key."""
    with XWindow(desktop.environment, Rect(100, 100, 400, 300), title="sink") as window:
        eventually(lambda: (active := platform.windows.active()) and active.id == window.id, what="the keyboard")
        yield window


class TestTheSeat:
    """One for all who come."""

    def test_two_clients_take_turns(self, where: Where) -> None:
        with greeted(where) as ann, greeted(where) as bob:
            session = ann.acquire("ann")
            assert "granted: false" in bob.call("acquire_session", agent_id="bob", timeout=0)
            assert "agent 'ann' holds the seat" in bob.call("click_at", x=5, y=5)
            waiting = bob.start_call("acquire_session", agent_id="bob", timeout=50)
            eventually(lambda: "queue_length: 1" in ann.do("session_status"), what="a place in line")
            assert not ann.do("click_at", x=5, y=5).is_error
            ann.do("release_session", agent_id="ann", session_id=session)
            assert "granted: true" in reply_of(bob.answer(waiting))
            assert not bob.do("click_at", x=6, y=6).is_error
            assert ann.call("click_at", x=5, y=5).is_error

    @pytest.mark.parametrize("how", ["hangs up", "resets", "dies in its call"])
    def test_whoever_vanishes_gives_it_back_at_once(self, where: Where, how: str, sink: XWindow) -> None:
        with greeted(where) as other:
            ann = greeted(where)
            ann.acquire("ann")
            waiting = other.start_call("acquire_session", agent_id="bob", timeout=50)
            eventually(lambda: "queue_length: 1" in ann.do("session_status"), what="a place in line")
            if how == "dies in its call":
                ann.start_call("type_text_tool", text="AB" * 50_000)
                eventually(lambda: len(sink.listen().keys) > 100, what="the first keys")
            if how == "resets":
                ann.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            ann.close()
            assert "granted: true" in reply_of(other.answer(waiting, 20))
            assert "bob" in other.do("session_status")
        assert len(sink.listen().keys) < 190_000

    def test_whoever_vanishes_loses_the_place_in_line(self, where: Where) -> None:
        with greeted(where) as ann:
            ann.acquire("ann")
            bob = greeted(where)
            bob.start_call("acquire_session", agent_id="bob", timeout=50)
            eventually(lambda: "queue_length: 1" in ann.do("session_status"), what="a place in line")
            bob.close()
            eventually(lambda: "queue_length: 0" in ann.do("session_status"), what="an empty queue")

    def test_a_machine_that_vanishes_without_a_word_is_missed_within_two_minutes(self, server: Listening) -> None:
        assert isinstance(server.where, tuple)
        with greeted(server.where) as caller:
            ours = caller.socket.getsockname()[1]
            with open("/proc/net/tcp", encoding="ascii") as table:
                (end,) = [line.split() for line in table if line.split()[2].endswith(f":{ours:04X}")]
        timer, _, left = end[5].partition(":")
        assert timer == "02", "the system does not ask after a quiet client"
        assert int(left, 16) / os.sysconf("SC_CLK_TCK") <= 60

    def test_it_is_shared_with_other_servers(self, where: Where, client: Client) -> None:
        with greeted(where) as ann:
            ann.acquire("ann")
            assert "granted: false" in client.call("acquire_session", agent_id="bob", timeout=0)
        assert "granted: true" in client.call("acquire_session", agent_id="bob", timeout=20)

    def test_twenty_at_once_all_get_it_in_the_end(self, where: Where) -> None:
        callers = [greeted(where) for _ in range(20)]
        try:
            asked = [
                caller.start_call("acquire_session", agent_id=f"agent {at}", timeout=50)
                for at, caller in enumerate(callers)
            ]
            looks = [caller.start_call("get_screen_info") for caller in callers]
            for caller, look in zip(callers, looks, strict=True):
                assert "displays" in reply_of(caller.answer(look))
            left = dict(zip(callers, asked, strict=True))
            while left:
                (holder,) = eventually(lambda: [one for one in left if one.has_answer(left[one])], what="a holder")
                granted = reply_of(holder.answer(left.pop(holder)))
                assert granted.fields["granted"] == "true"
                assert not holder.do("click_at", x=7, y=7).is_error
                assert not any(other.has_answer(number) for other, number in left.items())
                holder.close()
        finally:
            for caller in callers:
                caller.close()


class TestTheEnd:
    """Of the server."""

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_nothing_is_left(
        self, desktop: EmbeddedSession, short_folder: Path, sink: XWindow, number: signal.Signals
    ) -> None:
        path = short_folder / "ending"
        with Listening("--port", "0", "--socket", str(path), environment=desktop.environment) as server:
            where = server.where
            with greeted(where) as caller, greeted(path) as idle:
                caller.acquire()
                caller.start_call("type_text_tool", text="AB" * 50_000)
                eventually(lambda: len(sink.listen().keys) > 100, what="the first keys")
                server.process.send_signal(number)
                assert server.process.wait(30) == 0
                for one in (caller, idle):
                    eventually(lambda one=one: one.is_over, what="the end of its connection")  # type: ignore[misc]
            assert "Traceback" not in server.stderr
        assert not path.exists()
        with pytest.raises(ConnectionRefusedError):
            connected(where)
        with OtherKeyboard(desktop.environment) as keyboard:
            assert (keyboard.down, keyboard.modifiers) == ([], (0, 0, 0))

    def test_the_port_can_be_used_again_at_once(self, desktop: EmbeddedSession) -> None:
        with Listening("--port", "0", environment=desktop.environment) as server:
            assert isinstance(server.where, tuple)
            number = str(server.where[1])
            caller = greeted(server.where)
            assert server.end() == 0
            caller.close()
        with Listening("--port", number, environment=desktop.environment) as server, greeted(server.where) as caller:
            assert "displays" in caller.do("get_screen_info")

    def test_standard_input_and_output_stay_out_of_it(self, server: Listening) -> None:
        assert server.process.poll() is None  # its input has been at its end from the first
