"""Both eras of the protocol are spoken, with raw lines and with the SDK's own client."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mcp import Client as SdkClient
from mcp import StdioServerParameters

from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.surfaces.axi import Axi
from tests.support.client import META_VERSION, MODERN, Client, reply_of, session_of

_LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@pytest.fixture
def stranger(desktop: EmbeddedSession) -> Iterator[Client]:
    """A client that has not said anything yet."""
    with Client(environment=desktop.environment) as opened:
        yield opened


def modern(**parameters: Any) -> dict[str, Any]:
    return {**parameters, "_meta": MODERN}


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    return modern(name=name, arguments=arguments)


class TestTheLegacyEra:
    """A handshake first."""

    @pytest.mark.parametrize("version", _LEGACY)
    def test_each_version_is_spoken(self, stranger: Client, version: str) -> None:
        result = stranger.initialize(version)["result"]
        assert result["protocolVersion"] == version
        assert result["serverInfo"]["name"] == "deskhand"
        assert "tools" in result["capabilities"]
        assert "acquire_session" in result["instructions"]
        tools = stranger.ask("tools/list")["result"]["tools"]
        assert len(tools) == len(Axi.tools)
        assert "displays[1]" in stranger.do("get_screen_info")

    def test_a_version_that_nobody_knows_is_answered_with_the_newest(self, stranger: Client) -> None:
        assert stranger.initialize("1999-12-31")["result"]["protocolVersion"] == _LEGACY[-1]

    def test_a_question_without_a_handshake_is_answered_all_the_same(self, stranger: Client) -> None:
        assert len(stranger.ask("tools/list")["result"]["tools"]) == len(Axi.tools)
        assert stranger.ask("tools/lost")["error"]["code"] == -32601
        assert "displays[1]" in stranger.do("get_screen_info")

    def test_a_handshake_may_come_late(self, stranger: Client) -> None:
        assert stranger.ask("ping")["result"] == {}
        assert "tools" in stranger.ask("tools/list")["result"]
        assert stranger.initialize()["result"]["protocolVersion"] == "2025-06-18"
        assert "displays[1]" in stranger.do("get_screen_info")

    def test_what_there_is_not_is_told(self, client: Client) -> None:
        for method in ("tools/lost", "resources/list", "resources/templates/list", "prompts/list", ""):
            assert client.ask(method)["error"]["code"] == -32601
        assert client.ask("tools/call", {"arguments": {}})["error"]["code"] == -32602
        assert client.ask("tools/call", {"name": "app_list", "arguments": [1]})["error"]["code"] == -32602
        assert client.ask("ping")["result"] == {}
        reply = client.call("no_such_tool")
        assert reply.is_error
        assert reply == "error: Unknown tool: no_such_tool\nrecovery: call tools/list to see available tools"


class TestTheModernEra:
    """Every request carries what a handshake would have agreed on."""

    def test_the_server_tells_of_itself(self, stranger: Client) -> None:
        result = stranger.ask("server/discover", modern())["result"]
        assert result["resultType"] == "complete"
        assert "2026-07-28" in result["supportedVersions"]
        assert "acquire_session" in result["instructions"]

    def test_tools_are_listed_and_called_without_a_handshake(self, stranger: Client) -> None:
        listed = stranger.ask("tools/list", modern())["result"]
        assert len(listed["tools"]) == len(Axi.tools)
        assert listed["resultType"] == "complete"
        called = stranger.ask("tools/call", tool("get_screen_info"))
        assert "displays[1]" in reply_of(called)
        assert called["result"]["resultType"] == "complete"
        assert called["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "deskhand"

    def test_both_eras_list_the_same_tools(self, stranger: Client, client: Client) -> None:
        assert stranger.ask("tools/list", modern())["result"]["tools"] == client.ask("tools/list")["result"]["tools"]

    def test_a_session_lasts_over_many_requests(self, stranger: Client) -> None:
        granted = reply_of(stranger.ask("tools/call", tool("acquire_session", agent_id="ann")))
        assert granted.fields["granted"] == "true"
        clicked = reply_of(stranger.ask("tools/call", tool("click_at", x=5, y=5)))
        assert clicked.fields["_gen"] == "2"
        failed = reply_of(stranger.ask("tools/call", tool("click_at", x=5)))
        assert failed.is_error

    def test_a_version_of_tomorrow_is_refused(self, stranger: Client) -> None:
        answer = stranger.ask("tools/list", {"_meta": {**MODERN, META_VERSION: "2099-01-01"}})
        assert answer["error"]["code"] == -32022
        assert "2026-07-28" in answer["error"]["data"]["supported"]

    def test_a_method_that_there_is_not_is_told(self, stranger: Client) -> None:
        assert stranger.ask("tools/lost", modern())["error"]["code"] == -32601


class TestFromOneEraToTheOther:
    """A client may ask first and then prefer the handshake."""

    def test_discovering_first_and_then_shaking_hands_works(self, stranger: Client) -> None:
        assert "result" in stranger.ask("server/discover", modern())
        assert stranger.initialize()["result"]["protocolVersion"] == "2025-06-18"
        stranger.acquire()
        assert stranger.do("click_at", x=5, y=5).fields["_gen"] == "2"

    def test_both_at_once_works_too(self, stranger: Client) -> None:
        asked = stranger.send("server/discover", modern())
        assert stranger.initialize()["result"]["protocolVersion"] == "2025-06-18"
        assert "result" in stranger.answer(asked)
        assert len(stranger.ask("tools/list")["result"]["tools"]) == len(Axi.tools)

    def test_shaking_hands_in_the_middle_of_a_modern_conversation_is_refused(self, stranger: Client) -> None:
        stranger.ask("tools/list", modern())
        assert stranger.initialize()["error"]["code"] == -32022
        assert "result" in stranger.ask("tools/list", modern())

    def test_a_modern_question_in_a_legacy_conversation_is_refused(self, client: Client) -> None:
        assert client.ask("tools/list", modern())["error"]["code"] == -32600
        assert "result" in client.ask("tools/list")


class TestProgress:
    """Whoever waits hears what for."""

    @pytest.mark.parametrize("era", ["legacy", "modern"])
    def test_waiting_for_the_seat_tells_the_place_in_line(
        self, stranger: Client, new_client: Callable[..., Client], era: str
    ) -> None:
        holder = new_client()
        holder.acquire("first")
        meta: dict[str, Any] = {"progressToken": "tok"}
        if era == "legacy":
            stranger.initialize()
        else:
            meta |= MODERN
        arguments = {"agent_id": "second", "timeout": 0.5}
        answer = stranger.ask("tools/call", {"name": "acquire_session", "arguments": arguments, "_meta": meta})
        assert "granted: false" in reply_of(answer)
        heard = [one["params"] for one in stranger.notifications if one["method"] == "notifications/progress"]
        assert [(one["progressToken"], one["message"]) for one in heard] == [
            ("tok", "waiting for the seat: number 1 in line")
        ]

    def test_nobody_is_told_who_has_not_asked(self, client: Client, new_client: Callable[..., Client]) -> None:
        new_client().acquire("first")
        client.call("acquire_session", agent_id="second", timeout=0.2)
        assert client.notifications == []


class TestTheClientOfTheSdk:
    """What most clients are built on."""

    @pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
    def test_it_lists_and_calls(self, desktop: EmbeddedSession, mode: Any) -> None:
        async def converse() -> None:
            async with SdkClient(server_on(desktop), mode=mode) as client:
                assert len((await client.list_tools()).tools) == len(Axi.tools)
                shot = await client.call_tool("screenshot", {})
                assert [block.type for block in shot.content] == ["text", "image"]
                wrong = await client.call_tool("inspect_ui", {})
                assert wrong.is_error
                assert text_of(wrong).startswith("error: Missing required parameter: app_name")
                await client.call_tool("acquire_session", {"agent_id": "ann"})
                assert "_gen: 2" in text_of(await client.call_tool("click_at", {"x": 9, "y": 9}))

        asyncio.run(asyncio.wait_for(converse(), 60))

    def test_cancelling_a_call_of_it_ends_the_wait(
        self, desktop: EmbeddedSession, new_client: Callable[..., Client]
    ) -> None:
        new_client().acquire("first")

        async def converse() -> None:
            async with SdkClient(server_on(desktop), mode="legacy") as client:
                waiting = asyncio.create_task(client.call_tool("acquire_session", {"agent_id": "ann", "timeout": 50}))
                while "queue_length: 1" not in text_of(await client.call_tool("session_status", {})):
                    await asyncio.sleep(0.05)
                waiting.cancel()
                while "queue_length: 1" in text_of(await client.call_tool("session_status", {})):
                    await asyncio.sleep(0.05)

        asyncio.run(asyncio.wait_for(converse(), 60))


def server_on(desktop: EmbeddedSession) -> StdioServerParameters:
    # The SDK's client gives its server hardly any of its own environment.
    kept = {name: value for name, value in os.environ.items() if name.startswith("XDG_")}
    arguments = ["-m", "deskhand", "mcp"]
    return StdioServerParameters(command=sys.executable, args=arguments, env=kept | session_of(desktop.environment))


def text_of(result: Any) -> str:
    return str(result.content[0].text)
