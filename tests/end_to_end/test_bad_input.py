"""Whatever a careless client sends, the server answers in words, goes on, and has changed nothing."""

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.surfaces.axi import Axi
from tests.support.client import Client, Reply, reply_of
from tests.support.wild import fitting, near_misses, nested

_TOOLS = {entry["name"]: entry["inputSchema"] for entry in Axi().listing()}
_quick = settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(scope="module")
def holder(desktop: EmbeddedSession) -> Iterator[Client]:
    """Has the seat, so that nothing the other one sends can do anything."""
    with Client(environment=desktop.environment) as client:
        client.initialize()
        client.acquire("holder", ttl=3600)
        yield client


@pytest.fixture(scope="module")
def stranger(holder: Client, desktop: EmbeddedSession) -> Iterator[Client]:
    """Has no seat."""
    with Client(environment=desktop.environment) as client:
        client.initialize()
        yield client
        assert "Traceback" not in client.stderr


def send(client: Client, name: Any, arguments: Any) -> Reply | None:
    """Call a tool; the reply, None where the protocol refuses it already."""
    answer = client.answer(client.send("tools/call", {"name": name, "arguments": arguments}), 30)
    if "error" in answer:
        assert answer["error"]["code"] in (-32602, -32600), answer
        assert "Traceback" not in json.dumps(answer)
        return None
    reply = reply_of(answer)
    assert "Traceback" not in reply
    assert "internal error" not in reply, client.stderr
    if reply.is_error:
        error, recovery = reply.split("\n")
        assert error.startswith("error: ")
        assert recovery.startswith("recovery: ")
    return reply


def quickly(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The same arguments, but for a wait in line that the test has no time for."""
    is_patient = isinstance(arguments.get("timeout", 30), int | float)
    return arguments | {"timeout": 0.01} if name == "acquire_session" and is_patient else arguments


@pytest.mark.parametrize("name", _TOOLS)
def test_whatever_fits_the_schema_is_answered(stranger: Client, name: str) -> None:
    @_quick
    @given(arguments=fitting(_TOOLS[name]))
    def check(arguments: dict[str, Any]) -> None:
        reply = send(stranger, name, quickly(name, arguments))
        assert reply is not None
        assert "Unknown parameter" not in reply
        assert "Input should" not in reply

    check()


@pytest.mark.parametrize("name", _TOOLS)
def test_near_misses_are_answered(stranger: Client, name: str) -> None:
    @_quick
    @given(arguments=near_misses(_TOOLS[name]))
    def check(arguments: dict[str, Any]) -> None:
        send(stranger, name, quickly(name, arguments))

    check()


def test_calls_that_are_refused_change_nothing(holder: Client) -> None:
    before = int(holder.do("key", keys="escape").fields["_gen"])
    for name, schema in _TOOLS.items():
        if name in ("acquire_session", "release_session", "extend_session"):
            continue
        for wrong in (
            {"no_such_parameter": 1},
            {parameter: nested(50) for parameter in schema["properties"]},
            dict.fromkeys(schema["properties"], math.nan),
            dict.fromkeys(schema["properties"], "\ud800"),
            {parameter: {"a": [None]} for parameter in schema["properties"]},
        ):
            reply = send(holder, name, wrong)
            assert reply is None or reply.is_error or not wrong, (name, wrong, reply)
    assert holder.do("key", keys="escape").fields["_gen"] == str(before + 1)
    assert holder.do("session_status").fields["agent_id"] == "holder"


@pytest.mark.parametrize("arguments", [[], [1], "text", 5, True, [["app_name", "x"]]])
def test_arguments_that_are_no_object_are_refused(stranger: Client, arguments: Any) -> None:
    assert send(stranger, "inspect_ui", arguments) is None
    assert send(stranger, "session_status", None) is not None


@pytest.mark.parametrize("name", ["", " ", "Screenshot", "a" * 10_000, "\ud800", "\x00\n", "screenshot ", "__init__"])
def test_names_that_are_no_tools_are_told(stranger: Client, name: str) -> None:
    reply = send(stranger, name, {})
    assert reply is None or "Unknown tool" in reply


def test_the_server_still_works_after_all_that(stranger: Client, holder: Client) -> None:
    for client in (stranger, holder):
        assert "displays[1]" in client.do("get_screen_info")
        assert client.do("session_status").fields["agent_id"] == "holder"
