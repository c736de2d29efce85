"""The conversation over standard input and output: nothing is lost, nothing else is said, nobody blocks anybody."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand.model.geometry import Rect
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, eventually
from tests.support.client import Client, reply_of, session_of
from tests.support.lines import COMMAND, INITIALIZE, Answered, call, converse, line_of, opened, request
from tests.support.other_keyboard import OtherKeyboard
from tests.support.x_window import XWindow


@pytest.fixture
def surroundings(desktop: EmbeddedSession) -> dict[str, str]:
    """What a server needs to find the test desktop."""
    return session_of(desktop.environment)


class TestTheEndOfTheInput:
    """Everything is answered before the end."""

    def test_a_pipe_that_ends_gets_all_its_answers(self, surroundings: dict[str, str]) -> None:
        answered = converse(opened(call(1, "get_screen_info"), call(2, "app_list"), request(3, "ping")), surroundings)
        assert answered.of(0)["result"]["serverInfo"]["name"] == "deskhand"
        assert "displays[1]" in answered.text(1)
        assert "apps" in answered.text(2)
        assert answered.of(3)["result"] == {}
        assert answered.code == 0

    def test_so_does_a_file(self, surroundings: dict[str, str], tmp_path: Path) -> None:
        messages = opened(call(1, "get_screen_info"), call(2, "capabilities"))
        answered = converse(messages, surroundings, file=tmp_path / "lines")
        assert "displays[1]" in answered.text(1)
        assert "tool_count" in answered.text(2)
        assert answered.code == 0

    def test_slow_calls_are_waited_for(self, surroundings: dict[str, str]) -> None:
        messages = opened(
            call(1, "acquire_session", agent_id="ann", ttl=60),
            call(2, "acquire_session", agent_id="bob", timeout=0),
            call(3, "screenshot"),
            call(4, "session_status"),
        )
        answered = converse(messages, surroundings)
        assert "granted: true" in answered.text(1)
        assert len(answered.messages) == 5

    def test_a_wait_for_the_seat_is_answered_too(self, client: Client, surroundings: dict[str, str]) -> None:
        client.acquire()
        answered = converse(opened(call(1, "acquire_session", agent_id="bob", timeout=1.5)), surroundings)
        assert "granted: false" in answered.text(1)
        assert "agent 'tester' holds it" in answered.text(1)

    def test_a_wait_for_events_is_over_when_nobody_can_ask_for_more(
        self, surroundings: dict[str, str], form: Application
    ) -> None:
        app = str(form.pid)
        start = time.monotonic()
        answered = converse(
            opened(call(1, "ax_watch", app_name=app), call(2, "ax_events", wait_ms=60_000)), surroundings
        )
        assert time.monotonic() - start < 20
        assert "count: 0" in answered.text(2)
        assert answered.code == 0

    def test_but_what_the_last_act_sets_in_motion_is_still_waited_for(self, client: Client, form: Application) -> None:
        app = str(form.pid)
        client.acquire()
        client.do("ax_watch", app_name=app)
        wait = client.start_call("ax_events", app_name=app, wait_ms=60_000)
        act = client.start_call("fill", app_name=app, role="textbox", text="told")
        assert client.process.stdin is not None
        client.process.stdin.close()
        events, filled = client.replies([wait, act])
        assert filled.fields["effect"] == "confirmed"
        assert "count: 0" not in events

    def test_the_last_line_needs_no_end(self, surroundings: dict[str, str]) -> None:
        answered = converse(opened(call(1, "session_status")), surroundings, cut=1)
        assert "current_session: null" in answered.text(1)

    def test_a_cut_last_line_is_told(self, surroundings: dict[str, str]) -> None:
        answered = converse(opened(call(1, "session_status")), surroundings, cut=5)
        assert answered.errors == [(None, -32700)]

    def test_no_input_at_all_is_no_error(self, surroundings: dict[str, str]) -> None:
        answered = converse([], surroundings)
        assert (answered.code, answered.messages, answered.stderr) == (0, [], "")

    def test_requests_with_one_number_are_all_answered(self, surroundings: dict[str, str]) -> None:
        messages = [INITIALIZE, *(call(0, "session_status") for _ in range(5)), call(0, "screenshot")]
        answered = converse(messages, surroundings)
        assert [message["id"] for message in answered.messages] == [0] * 7
        assert sum("tools" in str(message["result"].get("capabilities")) for message in answered.messages) == 1


@pytest.fixture(scope="module")
def refused(desktop: EmbeddedSession) -> Answered:
    """What came of lines that are no messages."""
    return converse(
        opened(*(line for line, _, _ in _BAD), call("last", "session_status")), session_of(desktop.environment)
    )


class TestLinesThatAreNoMessages:
    """Each gets its error, and the conversation goes on."""

    def test_each_is_answered_with_its_error(self, refused: Answered) -> None:
        assert refused.errors == [(number, code) for _, number, code in _BAD]

    def test_the_server_goes_on(self, refused: Answered) -> None:
        assert "current_session" in refused.text("last")
        assert refused.code == 0
        assert "Traceback" not in refused.stderr


_BAD: list[tuple[bytes, Any, int]] = [
    (b"{", None, -32700),
    (b"hello", None, -32700),
    (b'{"jsonrpc": "2.0", "id": 7', None, -32700),
    (b"\xff\xfe\xfa", None, -32700),
    (b'{"jsonrpc": "2.0", "id": 8, "method": "\xc3\x28"}', None, -32700),
    (b"[" * 100_000, None, -32700),
    (b"9" * 5000, None, -32700),
    (b"[]", None, -32600),
    (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', None, -32600),
    (b"null", None, -32600),
    (b'"ping"', None, -32600),
    (b"17", None, -32600),
    (b'{"id": 9, "method": "ping"}', 9, -32600),
    (b'{"jsonrpc": "1.0", "id": 10, "method": "ping"}', 10, -32600),
    (b'{"jsonrpc": "2.0", "id": 11}', 11, -32600),
    (b'{"jsonrpc": "2.0", "id": 12, "method": 5}', 12, -32600),
    (b'{"jsonrpc": "2.0", "id": 13, "method": "ping", "params": [1]}', 13, -32600),
    (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', None, -32600),
    (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, -32600),
    (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', None, -32600),
    (b'{"jsonrpc": "2.0", "id": 14, "method": "ping\\ud800"}', 14, -32601),
]


class TestLines:
    """The form of the lines."""

    def test_windows_line_ends_and_empty_lines_are_taken(self, surroundings: dict[str, str]) -> None:
        messages = [json.dumps(one).encode() + b"\r" for one in opened(call(1, "session_status"))]
        answered = converse([b"", b"\r", *messages, b"   "], surroundings)
        assert "current_session" in answered.text(1)
        assert answered.errors == []

    def test_numbers_can_be_text(self, surroundings: dict[str, str]) -> None:
        answered = converse(opened(call("a-1", "session_status"), call("7", "session_status")), surroundings)
        assert "current_session" in answered.text("a-1")
        assert "current_session" in answered.text("7")

    def test_a_line_of_ten_megabytes_is_taken(self, surroundings: dict[str, str]) -> None:
        big = call(1, "session_status", junk="x" * 10_000_000)
        answered = converse(opened(big, call(2, "session_status")), surroundings)
        assert "error: Unknown parameter: junk" in answered.text(1)
        assert "current_session" in answered.text(2)

    def test_a_number_of_a_cancelled_request_that_is_none_is_passed_over(self, surroundings: dict[str, str]) -> None:
        strange: list[Any] = [[], {}, None, True, 1.5, "x", 99]
        cancels = [
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
            for number in strange
        ]
        answered = converse(opened(*cancels, call(1, "screenshot"), *cancels), surroundings)
        assert "scale: " in answered.text(1)
        assert "Exception" not in answered.stderr

    def test_nothing_but_messages_is_written_to_standard_output(
        self, surroundings: dict[str, str], tmp_path: Path
    ) -> None:
        # What a library prints while it loads, and while it works: from Python, and past it.
        (tmp_path / "sitecustomize.py").write_text(
            "import atexit, os, sys, threading\n"
            "def say():\n    print('chatter'); sys.stdout.flush(); os.write(1, b'more chatter\\n')\n"
            "class Loud:\n"
            "    def find_spec(self, name, *_):\n"
            "        if name.startswith(('deskhand.desktop', 'mcp.server.lowlevel', 'PIL')): say()\n"
            "sys.meta_path.insert(0, Loud())\n"
        )
        answered = converse(
            opened(call(1, "screenshot")), surroundings | {"PYTHONPATH": str(tmp_path)}
        )  # `Answered` has read each line as JSON
        assert answered.of(1)["result"]["content"][1]["type"] == "image"
        assert "more chatter" in answered.stderr


class TestAClientThatDoesNotRead:
    """It can slow down nobody but itself."""

    @pytest.fixture
    def server(self, surroundings: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
        process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **surroundings}
        )
        yield process
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()

    def test_its_answers_wait_and_its_calls_are_still_done(
        self, server: "subprocess.Popen[bytes]", platform: Platform
    ) -> None:
        assert server.stdin is not None
        assert server.stdout is not None
        shots = [call(number, "screenshot") for number in range(1, 60)]
        act = [call("seat", "acquire_session", agent_id="ann"), call("click", "click_at", x=123, y=45)]
        server.stdin.write(b"".join(map(line_of, opened(*shots, *act))))
        server.stdin.flush()
        # Its answers fill the pipe many times over; the click happens though nobody reads.
        eventually(lambda: tuple(platform.pointer.position()) == (123, 45), seconds=40, what="the click")
        server.stdin.close()
        lines = server.stdout.readlines()
        numbers = {json.loads(line)["id"] for line in lines}
        assert numbers == {0, "seat", "click", *range(1, 60)}
        assert server.wait(30) == 0

    def test_the_server_can_be_ended_all_the_same(self, server: "subprocess.Popen[bytes]") -> None:
        assert server.stdin is not None
        shots = [call(number, "screenshot") for number in range(1, 20)]
        server.stdin.write(b"".join(map(line_of, opened(*shots))))
        server.stdin.flush()
        time.sleep(1.5)
        server.terminate()
        assert server.wait(20) == 0

    def test_a_client_that_has_closed_its_ears_ends_the_server(self, server: "subprocess.Popen[bytes]") -> None:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"".join(map(line_of, opened())))
        server.stdin.flush()
        server.stdout.readline()
        server.stdout.close()
        server.stdin.write(line_of(request(1, "ping")))
        server.stdin.flush()
        assert server.wait(20) == 0


def test_a_socket_that_does_not_block_will_do(surroundings: dict[str, str]) -> None:
    """What some clients give their servers for standard input and output."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    end, environment = theirs.fileno(), {**os.environ, **surroundings}
    with ours, theirs, subprocess.Popen(COMMAND, stdin=end, stdout=end, env=environment) as it:
        shots = [call(number, "screenshot") for number in range(1, 13)]
        ours.sendall(b"".join(map(line_of, opened(*shots))))
        time.sleep(1.0)
        with ours.makefile("rb") as answers:
            numbers = {json.loads(answers.readline())["id"] for _ in range(13)}
        assert numbers == set(range(13))
        ours.shutdown(socket.SHUT_WR)
        assert it.wait(20) == 0


class TestManyCallsAtOnce:
    """Order where it matters, and no waiting where it does not."""

    def test_two_hundred_calls_in_flight_are_all_answered(self, client: Client, editor: Application) -> None:
        names = ("session_status", "app_list", "get_screen_info", "list_windows_tool", "system_state", "nonsense")
        numbers = [client.start_call(names[at % len(names)]) for at in range(160)]
        numbers += [client.start_call("inspect_ui", app_name="mousepad") for _ in range(40)]
        replies = client.replies(numbers)
        assert sum(reply.is_error for reply in replies) == sum(at % len(names) == 5 for at in range(160))

    def test_acts_happen_in_the_order_of_their_arrival(self, client: Client, editor: Application) -> None:
        editor.focus()
        client.acquire()
        text = "0123456789" * 6
        numbers = [client.start_call("type_text_tool", text=digit) for digit in text]
        looks = [client.start_call("inspect_ui", app_name="mousepad") for _ in range(10)]
        assert not any(reply.is_error for reply in client.replies([*numbers, *looks]))
        assert editor.text() == text

    def test_releasing_the_session_waits_for_the_acts_before_it(self, client: Client, editor: Application) -> None:
        editor.focus()
        session_id = client.acquire("ann")
        acts = [client.start_call("type_text_tool", text=digit) for digit in "0123456789"]
        release = client.start_call("release_session", agent_id="ann", session_id=session_id)
        after = client.start_call("type_text_tool", text="x")
        *replies, released, late = client.replies([*acts, release, after])
        assert not any(reply.is_error for reply in [*replies, released])
        assert late.is_error
        assert editor.text() == "0123456789"

    def test_a_look_at_one_app_does_not_wait_for_one_that_hangs(
        self, client: Client, editor: Application, form: Application
    ) -> None:
        for app in (editor, form):
            client.do("inspect_ui", app_name=str(app.pid))
        os.kill(editor.pid, signal.SIGSTOP)
        try:
            stuck = [client.start_call("inspect_ui", app_name=str(editor.pid)) for _ in range(3)]
            start = time.monotonic()
            seen = client.do("inspect_ui", app_name=str(form.pid))
            assert time.monotonic() - start < 2.0
            assert "Press me" in seen
            assert len(client.replies(stuck)) == 3
        finally:
            os.kill(editor.pid, signal.SIGCONT)

    def test_very_many_who_wait_for_the_seat_keep_nobody_from_looking(
        self, client: Client, new_client: Callable[..., Client]
    ) -> None:
        holder = new_client()
        session_id = holder.acquire("first")
        waits = [client.start_call("acquire_session", agent_id=f"agent {at}", timeout=50) for at in range(60)]
        eventually(lambda: "queue_length: 60" in client.do("session_status"), what="the line")
        assert "displays" in client.do("get_screen_info")
        assert "apps" in client.do("app_list")
        holder.do("release_session", agent_id="first", session_id=session_id)
        replies = client.replies(waits)
        assert {reply.fields["granted"] for reply in replies} == {"true"}
        assert len({reply.fields["session_id"] for reply in replies}) == 1


@pytest.fixture
def sink(desktop: EmbeddedSession, platform: Platform) -> Iterator[XWindow]:
    """A window that takes every key, one by one."""
    with XWindow(desktop.environment, Rect(100, 100, 400, 300), title="sink") as window:
        eventually(lambda: (active := platform.windows.active()) and active.id == window.id, what="the keyboard")
        yield window


class TestCancelling:
    """Whoever no longer wants a call need not wait for it."""

    def test_typing_stops_soon_and_leaves_nothing_pressed(
        self, client: Client, sink: XWindow, desktop: EmbeddedSession
    ) -> None:
        client.acquire()
        typing = client.start_call("type_text_tool", text="Ab" * 50_000)
        eventually(lambda: len(sink.listen().keys) > 100, what="the first keys")
        client.notify("notifications/cancelled", {"requestId": typing})
        done = client.do("key", keys="escape")
        assert done.fields["_gen"] == "3"  # what has been typed is an act too
        with OtherKeyboard(desktop.environment) as keyboard:
            assert keyboard.down == []
            assert keyboard.modifiers == (0, 0, 0)
        assert len(sink.listen().keys) < 150_000

    def test_a_call_that_has_not_begun_does_not_begin(self, client: Client, sink: XWindow) -> None:
        client.acquire()
        typing = client.start_call("type_text_tool", text="a" * 20_000)
        queued = [client.start_call("type_text_tool", text="b") for _ in range(5)]
        for number in queued:
            client.notify("notifications/cancelled", {"requestId": number})
        assert not reply_of(client.answer(typing)).is_error
        client.do("key", keys="c")
        eventually(lambda: sink.listen().keys[-1:] == [(False, 54, 0)], seconds=30, what="the last key")
        assert [keycode for pressed, keycode, _ in sink.keys if pressed] == [38] * 20_000 + [54]

    def test_a_cancelled_call_is_not_waited_for_at_the_end(self, client: Client, sink: XWindow) -> None:
        client.acquire()
        for number in (client.start_call("type_text_tool", text="ab" * 40_000) for _ in range(3)):
            client.notify("notifications/cancelled", {"requestId": str(number)})
        assert client.close() == 0

    def test_a_session_that_runs_out_stops_its_act(
        self, client: Client, sink: XWindow, desktop: EmbeddedSession
    ) -> None:
        client.acquire(ttl=1)
        reply = client.call("type_text_tool", text="Ab" * 50_000)
        said, recovery = reply.splitlines()
        assert said.startswith("error: the session ended while this act was going on; it was stopped (typed ")
        assert recovery == "recovery: call acquire_session first"
        with OtherKeyboard(desktop.environment) as keyboard:
            assert keyboard.down == []
        assert len(sink.listen().keys) < 300_000
        assert client.call("key", keys="escape").is_error

    def test_waiting_for_the_seat_can_be_cancelled(self, client: Client, new_client: Callable[..., Client]) -> None:
        holder = new_client()
        holder.acquire("first")
        wait = client.start_call("acquire_session", agent_id="second", timeout=60)
        eventually(lambda: "queue_length: 1" in client.do("session_status"), what="a place in line")
        client.notify("notifications/cancelled", {"requestId": wait})
        eventually(lambda: "queue_length: 0" in client.do("session_status"), what="leaving the line")
