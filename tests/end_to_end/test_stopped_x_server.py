"""An X server that stops answering keeps nobody for ever, and costs nothing that was there."""

import time
from collections.abc import Iterator

import psutil
import pytest

from tests.support.applications import eventually
from tests.support.client import Client
from tests.support.freezing import frozen
from tests.support.own_desktops import OwnDesktop, own_desktop

_LONGEST = 20.0
"""Seconds after which a call that should have ended after 5 s hangs, also on a busy machine."""


@pytest.fixture
def own() -> Iterator[OwnDesktop]:
    with own_desktop() as opened:
        yield opened


def _x_server(own: OwnDesktop) -> int:
    """The process of the desktop's X server."""
    display = own.environment["DISPLAY"]
    named = (
        process.pid
        for process in psutil.process_iter(["name", "cmdline"])
        if process.info["name"] == "Xvfb" and _is_of(process, own.environment["XAUTHORITY"], display)
    )
    return next(named)


def _is_of(process: psutil.Process, authority: str, display: str) -> bool:
    words = process.info["cmdline"] or []
    return authority in words or display in words


def test_calls_say_that_it_does_not_answer_and_go_on_when_it_does(own: OwnDesktop) -> None:
    with Client("--clicks-per-second", "0", environment=own.environment) as client:
        client.initialize()
        client.acquire()
        client.do("click_at", x=5, y=5)
        client.do("list_windows_tool")
        with frozen(_x_server(own)):
            for tool, arguments in (
                ("click_at", {"x": 5, "y": 5}),
                ("list_windows_tool", {}),
                ("screenshot", {}),  # its thread is not connected yet
            ):
                start = time.monotonic()
                reply = client.call(tool, **arguments)
                assert "the X server does not answer" in reply
                assert "recovery: wait a moment" in reply
                assert time.monotonic() - start < _LONGEST
            assert "current_session" in client.do("session_status")
        eventually(lambda: not client.call("click_at", x=5, y=5).is_error, what="a click")
        client.do("list_windows_tool")
        client.do("screenshot")
        assert client.close() == 0
        assert "Traceback" not in client.stderr


def test_a_server_ends_also_while_it_is_stopped(own: OwnDesktop) -> None:
    client = Client(environment=own.environment)
    client.initialize()
    client.do("list_windows_tool")
    with frozen(_x_server(own)):
        assert client.close() == 0
