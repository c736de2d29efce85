"""However a server ends, nothing of it is left: no process, no file, no pressed key, no taken seat."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from deskhand.model.errors import PermissionMissing
from deskhand.model.geometry import Rect, Size
from deskhand.platforms.awaited import AwaitedSession
from deskhand.platforms.base import Platform, Session
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.surfaces.axi import Axi
from tests.support.applications import Application, eventually
from tests.support.client import Client, session_of
from tests.support.lines import COMMAND, call, converse, line_of, opened, request
from tests.support.other_keyboard import OtherKeyboard
from tests.support.x_window import XWindow


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime directory of this test's own, with a path short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="dh-"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def number_of(end: int | socket.socket) -> int:
    """The descriptor of one end of a pipe or of a pair of sockets."""
    return end if isinstance(end, int) else end.fileno()


def close(end: int | socket.socket) -> None:
    """Close it."""
    if isinstance(end, int):
        os.close(end)
    else:
        end.close()


def end(client: Client, how: str) -> int:
    """End a server; its exit code."""
    if how == "the end of the input":
        return client.close()
    client.process.send_signal({"SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT, "SIGKILL": signal.SIGKILL}[how])
    return client.process.wait(30)


@pytest.mark.parametrize("how", ["the end of the input", "SIGTERM", "SIGINT", "SIGKILL"])
def test_an_embedded_desktop_ends_with_its_server(runtime: Path, how: str) -> None:
    with Client("--embedded", "800x600") as client:
        client.initialize()
        client.acquire()
        client.do("get_screen_info")
        if shutil.which("mousepad"):
            assert client.do("app_activate", bundle_id="org.xfce.mousepad").fields["launched"] == "true"
        processes = psutil.Process(client.process.pid).children(recursive=True)
        assert len(processes) > 4
        assert list(runtime.glob("deskhand-*"))
        code = end(client, how)
        assert code == (-signal.SIGKILL if how == "SIGKILL" else 0)
        eventually(lambda: not any(map(psutil.Process.is_running, processes)), seconds=20, what="the end of all")
        eventually(lambda: not list(runtime.glob("deskhand-*")), seconds=20, what="the end of its directory")
        assert not list((runtime / "deskhand").glob("wait-*"))
        assert "Traceback" not in client.stderr


def test_a_server_that_is_ended_while_its_desktop_starts_leaves_nothing(runtime: Path) -> None:
    with Client("--embedded") as client:
        eventually(lambda: psutil.Process(client.process.pid).children(), what="its desktop's keeper")
        processes = psutil.Process(client.process.pid).children(recursive=True)
        client.process.terminate()
        assert client.process.wait(30) == 0
        eventually(lambda: not any(map(psutil.Process.is_running, processes)), seconds=20, what="the end of all")
        eventually(lambda: not list(runtime.glob("deskhand-*")), seconds=20, what="the end of its directory")


def test_a_conversation_without_any_look_at_the_desktop_ends_soon_and_well(runtime: Path) -> None:
    answered = converse(opened(request(1, "tools/list")), {}, "--embedded")
    assert len(answered.of(1)["result"]["tools"]) == len(Axi.tools)
    assert (answered.code, answered.stderr) == (0, "")
    assert not list(runtime.glob("deskhand-*"))


@pytest.fixture
def sink(desktop: EmbeddedSession, platform: Platform) -> Iterator[XWindow]:
    """A window that takes every key."""
    with XWindow(desktop.environment, Rect(100, 100, 400, 300), title="sink") as window:
        eventually(lambda: (active := platform.windows.active()) and active.id == window.id, what="the keyboard")
        yield window


class TestTheUsersOwnDesktop:
    """It goes on, as it was."""

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    def test_nothing_stays_pressed_when_a_server_is_ended_while_it_types(
        self, desktop: EmbeddedSession, sink: XWindow, number: signal.Signals
    ) -> None:
        with Client(environment=desktop.environment) as client:
            client.initialize()
            client.acquire()
            client.start_call("type_text_tool", text="AB" * 50_000)
            eventually(lambda: len(sink.listen().keys) > 100, what="the first keys")
            client.process.send_signal(number)
            assert client.process.wait(30) == 0
            assert "Traceback" not in client.stderr
        with OtherKeyboard(desktop.environment) as keyboard:
            assert keyboard.down == []
            assert keyboard.modifiers == (0, 0, 0)
        assert len(sink.listen().keys) < 190_000

    @pytest.mark.parametrize("pair", [os.pipe, socket.socketpair], ids=["pipes", "sockets"])
    def test_nothing_stays_pressed_when_a_client_dies_while_a_key_is_held(
        self, desktop: EmbeddedSession, sink: XWindow, pair: Callable[[], Any]
    ) -> None:
        """All that a server hears of it is that nobody writes to it, and nobody reads what it writes, any more."""
        (read, asking), (hearing, write) = pair(), pair()
        command = [*COMMAND, "--surface", "computer", "--grant-all"]
        surroundings = {**os.environ, **session_of(desktop.environment)}
        server = subprocess.Popen(command, stdin=read, stdout=write, env=surroundings)
        for end_of_server in (read, write):
            close(end_of_server)
        held = call(1, "hold_key", text="shift+x", duration=200)
        os.write(number_of(asking), b"".join(map(line_of, opened(held))))
        try:
            with OtherKeyboard(desktop.environment) as keyboard:
                eventually(lambda: keyboard.modifiers == (1, 0, 0), what="the keys")
                for end_of_client in (asking, hearing):
                    close(end_of_client)
                assert server.wait(10) == 0
                assert keyboard.down == []
                assert keyboard.modifiers == (0, 0, 0)
        finally:
            server.terminate()
            server.wait(30)

    @pytest.mark.parametrize("how", ["the end of the input", "SIGTERM", "SIGKILL"])
    def test_the_seat_is_free_at_once(
        self, desktop: EmbeddedSession, new_client: Callable[..., Client], how: str
    ) -> None:
        other = new_client()
        with Client(environment=desktop.environment) as client:
            client.initialize()
            client.acquire("first")
            waiting = other.start_call("acquire_session", agent_id="second", timeout=50)
            eventually(lambda: "queue_length: 1" in client.do("session_status"), what="a place in line")
            end(client, how)
        assert other.answer(waiting, 20)["result"]["isError"] is False
        assert "second" in other.do("session_status")

    def test_the_layout_of_the_keyboard_is_as_it_was(self, desktop: EmbeddedSession, editor: Application) -> None:
        editor.focus()
        keys = range(8, 256)

        def type_with_a_server(text: str) -> None:
            with Client(environment=desktop.environment) as client:
                client.initialize()
                client.acquire()
                client.do("type_text_tool", text=text)
                typed_on.append(keyboard.symbols_of(keys))

        typed_on: list[object] = []
        with OtherKeyboard(desktop.environment) as keyboard:
            type_with_a_server("世")  # takes back also what servers have left that were killed
            before = keyboard.symbols_of(keys)
            type_with_a_server("界 ü")
            assert typed_on[1] != before
            assert keyboard.symbols_of(keys) == before
        assert editor.text() == "世界 ü"

    def test_a_lost_display_ends_no_server(self, runtime: Path) -> None:
        own = EmbeddedSession(Size(800, 600))
        try:
            with Client(environment=own.environment) as client:
                client.initialize()
                client.acquire()
                client.do("click_at", x=5, y=5)
                own.close()
                lost = client.call("click_at", x=5, y=5)
                assert lost.is_error
                assert "recovery: " in lost
                assert client.call("get_screen_info").is_error
                assert "current_session" in client.do("session_status")
                assert client.close() == 0
                assert "Traceback" not in client.stderr
        finally:
            own.close()


class TestWithoutADesktop:
    """It is told, in words."""

    def test_a_session_of_another_kind_is_told_at_each_call_and_on_standard_error(self) -> None:
        environment = {"WAYLAND_DISPLAY": "wayland-9", "XDG_SESSION_TYPE": "wayland"}
        answered = converse(opened(call(1, "app_list"), call(2, "session_status")), environment)
        for number in (1, 2):
            assert answered.of(number)["result"]["isError"]
            assert "this is a Wayland session" in answered.text(number)
            assert "recovery: start it with --embedded" in answered.text(number)
        assert "this is a Wayland session" in answered.stderr
        assert "Traceback" not in answered.stderr
        assert answered.code == 0

    def test_a_desktop_that_comes_later_is_found_then(self, desktop: EmbeddedSession) -> None:
        there = False

        def look() -> Session:
            if not there:
                raise PermissionMissing("nobody has logged in")
            return desktop

        session = AwaitedSession(look)
        assert isinstance(session.lack, PermissionMissing)
        with pytest.raises(PermissionMissing):
            session.connect()
        there = True
        platform = session.connect()
        assert platform.screen.size() == Size(1920, 1080)
        platform.close()
        assert session.environment == desktop.environment

    def test_a_display_that_there_is_not_is_told_at_each_call(self) -> None:
        environment = {**os.environ, "DISPLAY": ":4711"}
        answered = converse(
            opened({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "app_list"}}), environment
        )
        assert answered.of(1)["result"]["isError"]
        assert answered.text(1).startswith("error: ")
        assert answered.code == 0

    @pytest.mark.parametrize("closed", [0, 1, 2])
    def test_a_standard_stream_that_is_closed_is_survived(self, closed: int, desktop: EmbeddedSession) -> None:
        code = f"import os; os.close({closed}); os.execv({sys.executable!r}, {list(COMMAND)!r})"
        ended = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "DISPLAY": desktop.environment["DISPLAY"]},
            input=b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n',
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert "Traceback" not in ended.stderr.decode()
        assert ended.returncode == 0
        assert (b'"id":1' in ended.stdout) == (closed == 2)
