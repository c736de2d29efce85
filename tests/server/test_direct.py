"""Calls that go round the SDK are answered as the SDK answers them, and have its manners."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from deskhand.server.direct import Direct, Report
from tests.support.client import META_VERSION, MODERN, Client

_BY_THE_SDK = {"progressToken": 1.5}
"""An odd token: the SDK hears of every call that has one."""


pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """The event loop that the server has."""
    return "asyncio"


class Written:
    """What was written, by whom it was asked for."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def write(self, line: bytes) -> None:
        self.lines.append(json.loads(line))

    async def drain(self) -> None:
        return


class Tools:
    """One tool that is brief; it reports, waits until it may go on, and says what it was given."""

    def __init__(self) -> None:
        self.may_go_on = asyncio.Event()
        self.begun: list[Mapping[str, Any]] = []

    def is_brief(self, name: str) -> bool:
        return name == "brief"

    async def call(self, name: str, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
        self.begun.append(arguments)
        await asyncio.to_thread(report, "begun")  # calls run in threads
        await self.may_go_on.wait()
        return {"content": [{"type": "text", "text": str(arguments)}], "isError": False}


def request(number: Any = 7, name: Any = "brief", **parameters: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, **parameters}}


def of_a_session(meta: Mapping[str, Any] | None = None) -> tuple[Direct, Written, Tools]:
    """A session whose SDK has let a call with such a `_meta` through."""
    written, tools = Written(), Tools()
    direct = Direct(written)
    direct.learn({"name": "brief"} if meta is None else {"name": "brief", "_meta": meta}, tools)
    return direct, written, tools


class TestWhatIsTaken:
    """No more than what the SDK has nothing new to say about."""

    @pytest.mark.parametrize(
        "message",
        [
            request(),
            request("seven", arguments={"x": 1}),
            request(arguments={}, _meta={}),
            request(_meta={"progressToken": "p", "somebody/trace": 5}),
        ],
    )
    async def test_a_plain_call_is(self, message: dict[str, Any]) -> None:
        direct, written, tools = of_a_session()
        tools.may_go_on.set()
        assert direct.takes(message)
        await direct.until_idle()
        assert written.lines[-1]["id"] == message["id"]
        assert "result" in written.lines[-1]

    @pytest.mark.parametrize(
        "message",
        [
            None,
            [request()],
            request(None),
            request(True),
            request(1.5),
            request(name=["brief"]),
            request(name="waiting"),
            request(arguments=[1]),
            request(arguments=None),
            request(_meta=None),
            request(_meta=_BY_THE_SDK),
            request(_meta=MODERN),
            request(requestState="a"),
            request() | {"jsonrpc": "1.0"},
            request() | {"method": "tools/list"},
            request() | {"more": 1},
            {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "brief"}},
        ],
    )
    async def test_anything_unusual_is_not(self, message: Any) -> None:
        direct, written, tools = of_a_session()
        assert not direct.takes(message)
        assert (direct.running, written.lines, tools.begun) == (0, [], [])

    async def test_nothing_is_before_the_sdk_has_let_a_call_through(self) -> None:
        assert not Direct(Written()).takes(request())

    async def test_what_was_agreed_on_must_be_the_same(self) -> None:
        direct, _, tools = of_a_session(MODERN)
        tools.may_go_on.set()
        assert direct.takes(request(1, _meta=MODERN))
        for other in (
            {},
            {**MODERN, META_VERSION: "2099-01-01"},
            {**MODERN, "io.modelcontextprotocol/logLevel": "info"},
        ):
            assert not direct.takes(request(2, _meta=other))
        await direct.until_idle()

    async def test_a_number_that_is_in_use_is_not(self) -> None:
        direct, _, _ = of_a_session()
        assert direct.takes(request(7))
        assert not direct.takes(request("7"))
        await direct.close()


class TestWhileItRuns:
    """Progress and cancelling."""

    async def test_progress_is_told_before_the_answer_to_who_wants_it(self) -> None:
        direct, written, tools = of_a_session()
        tools.may_go_on.set()
        assert direct.takes(request(1, _meta={"progressToken": "p"}))
        await direct.until_idle()
        assert direct.takes(request(2))
        await direct.until_idle()
        told, first, second = written.lines
        assert told["params"] == {"progressToken": "p", "progress": 1.0, "message": "begun"}
        assert (first["id"], second["id"]) == (1, 2)

    async def test_what_is_cancelled_is_heard_of_no_more(self) -> None:
        direct, written, tools = of_a_session()
        assert direct.takes(request(1, _meta={"progressToken": "p"}))
        await asyncio.sleep(0)  # it begins, and reports while it is cancelled
        assert tools.begun
        assert direct.cancel("1")
        assert not direct.cancel(2)
        await direct.until_idle()
        assert written.lines == []


@pytest.mark.parametrize("meta", [{}, MODERN], ids=["legacy", "modern"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("capabilities", {}),
        ("get_screen_info", {}),
        ("app_list", {"no_such": 1}),
        ("ax_press", {"handle_id": "aa"}),
        ("screenshot", {"x": 0, "y": 0, "width": 40, "height": 30}),
    ],
)
def test_both_ways_answer_the_same(
    new_client: Callable[..., Client], meta: dict[str, Any], name: str, arguments: dict[str, Any]
) -> None:
    client = new_client()
    parameters = {"name": name, "arguments": arguments, "_meta": meta}
    first, second = client.ask("tools/call", parameters), client.ask("tools/call", parameters)
    assert first.pop("id") != second.pop("id")
    assert first == second


def test_no_call_overtakes_one_that_the_sdk_has(client: Client) -> None:
    client.do("session_status")
    taken, clicked = client.start_call("acquire_session", agent_id="ann"), client.start_call("click_at", x=5, y=5)
    granted, done = client.replies([taken, clicked])
    assert granted.fields["granted"] == "true"
    assert not done.is_error
