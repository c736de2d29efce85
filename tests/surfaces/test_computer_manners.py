"""How the computer surface is served: beside another, in part, under the policy, at the pace, and in its own words."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from xcffib import keysymdef, xf86keysym

import deskhand
from deskhand.model.errors import DeskError
from deskhand.model.geometry import Point
from deskhand.model.keys import parse_chord
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.x11.keyboard import keysyms
from deskhand.surfaces.axi import Axi
from deskhand.surfaces.computer import Computer
from tests.support.applications import Application, eventually
from tests.support.client import Client, session_of
from tests.support.person import Person
from tests.support.seen import image, texts

_COMPUTER = [tool.name for tool in Computer().tools]
_AXI = [tool.name for tool in Axi.tools]


def names(client: Client) -> list[str]:
    return [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]


def instructions(client: Client) -> str:
    """What is told before the first call."""
    hello = client.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _INFO})
    said: str = hello["result"]["instructions"]
    return said


class TestBesideAnother:
    """Several surfaces of one server."""

    @pytest.mark.parametrize(
        ("surface", "listed"),
        [
            ("computer", _COMPUTER),
            ("axi,computer", [*_AXI, *(name for name in _COMPUTER if name not in _AXI)]),
            ("computer,axi", [*_COMPUTER, *(name for name in _AXI if name not in _COMPUTER)]),
            ("all", [*_AXI, *(name for name in _COMPUTER if name not in _AXI)]),
        ],
    )
    def test_each_name_is_listed_once(self, new_client: Callable[..., Client], surface: str, listed: list[str]) -> None:
        assert names(new_client("--surface", surface)) == listed

    def test_the_first_serves_a_name_that_both_have_and_each_keeps_its_manners(
        self, new_client: Callable[..., Client], editor: Application
    ) -> None:
        client = new_client("--surface", "axi,computer")
        told = instructions(client)
        assert "acquire_session" in told
        assert "computer_batch" in told
        assert client.do("screenshot").fields["scale"] == "1.5"
        assert len(client.do("computer", action="screenshot").blocks) == 1
        assert client.call("key", text="a").startswith("error: Unknown parameter: text\nrecovery: ")
        assert client.call("computer", action="key").startswith("Missing required parameter: text; check the tool")
        assert client.call("no_such").startswith("error: Unknown tool: no_such\nrecovery: ")

    @pytest.mark.parametrize(
        ("surface", "advice"),
        [
            ("axi,computer", "computer with the action screenshot"),
            ("computer,axi", "inspect_ui or screenshot_window"),
        ],
    )
    def test_whose_picture_coordinates_are_counted_in_is_told(
        self, new_client: Callable[..., Client], surface: str, advice: str
    ) -> None:
        first, second = instructions(new_client("--surface", surface)).split("\n\n")
        assert "another surface's" not in first
        assert "The tool screenshot here is another surface's" in second
        assert advice in second

    def test_where_only_one_has_a_picture_nothing_is_said(self, new_client: Callable[..., Client]) -> None:
        told = instructions(new_client("--surface", "axi,computer", "--tools", "computer,inspect_ui"))
        assert "another surface's" not in told

    def test_acts_make_handles_of_the_other_stale(self, new_client: Callable[..., Client], editor: Application) -> None:
        client = new_client("--surface", "axi,computer")
        editor.activate()
        client.acquire()
        handle = client.do("find_element", app_name=str(editor.pid), role="textbox").handle
        client.do("screenshot")
        client.do("ax_actions", handle_id=handle)
        client.do("mouse_move", coordinate=[5, 5])
        assert "error: " in client.call("ax_actions", handle_id=handle)

    @pytest.mark.parametrize(
        ("action", "arguments"),
        [
            ("hold_key", {"text": "shift", "duration": 60}),
            ("key", {"text": "shift " * 30, "repeat": 100}),
            ("left_click_drag", {"start_coordinate": [500, 700], "coordinate": [900, 700]}),
            (
                "computer_batch",
                {"actions": [{"action": "mouse_move", "coordinate": [9, 9]}, {"action": "wait", "duration": 90}]},
            ),
        ],
    )
    def test_so_do_those_that_are_stopped_on_the_way(
        self,
        new_client: Callable[..., Client],
        platform: Platform,
        desktop: EmbeddedSession,
        action: str,
        arguments: dict[str, Any],
    ) -> None:
        client = new_client("--surface", "computer,axi", "--grant-all")
        client.acquire()
        before = int(client.do("click_at", x=5, y=1000).fields["_gen"])
        with Person(desktop.environment) as person:
            number = client.start_call(action, **arguments)
            moved = Point(13, 13)
            eventually(lambda: person.down or person.buttons_down or platform.pointer.position() == moved, what="it")
            client.notify("notifications/cancelled", {"requestId": number})
        assert int(client.do("click_at", x=5, y=1000).fields["_gen"]) == before + 2

    def test_other_names_are_refused_at_the_start(self, desktop: EmbeddedSession) -> None:
        with Client("--surface", "computer,aix", environment=session_of(desktop.environment)) as client:
            assert client.process.wait(30) == 2
            eventually(lambda: "'aix' is none of axi, computer" in client.stderr, what="the reason")


_INFO = {"name": "test", "version": "1"}


class TestInPart:
    """Fewer tools by the wishes of a command line: none of them by another name either."""

    def test_what_is_left_out_cannot_be_done_by_the_one_tool(self, new_client: Callable[..., Client]) -> None:
        client = new_client("--surface", "computer", "--exclude-tools", "type,left_click")
        assert names(client) == [name for name in _COMPUTER if name not in ("type", "left_click")]
        schema = client.ask("tools/list")["result"]["tools"][0]["inputSchema"]
        assert not {"type", "left_click"} & set(schema["properties"]["action"]["enum"])
        assert client.call("computer", action="type", text="x").startswith("action: 'type' is not an action here")
        reply = client.call("computer_batch", actions=[{"action": "left_click"}])
        assert reply.startswith("actions.0: action: 'left_click' is not an action here")

    def test_the_one_tool_alone_does_everything(self, new_client: Callable[..., Client]) -> None:
        client = new_client("--surface", "computer", "--tools", "computer")
        assert names(client) == ["computer"]
        client.do("computer", action="mouse_move", coordinate=[30, 30])
        assert client.call("mouse_move", coordinate=[1, 1]).is_error

    def test_only_looking(self, new_client: Callable[..., Client]) -> None:
        client = new_client("--surface", "computer", "--read-only")
        listed = names(client)
        assert listed[:2] == ["computer", "screenshot"]
        assert not {"left_click", "type", "key", "computer_batch"} & set(listed)
        assert client.call("computer", action="key", text="a").startswith("action: 'key' is not an action here")
        assert image(client.do("computer", action="screenshot")).size == (1366, 768)
        (tool, *_) = client.ask("tools/list")["result"]["tools"]
        assert tool["annotations"]["readOnlyHint"] is True

    @pytest.mark.parametrize("denied", ["type", "computer"])
    def test_what_the_policy_denies_is_denied_by_every_name(
        self, new_client: Callable[..., Client], tmp_path: Path, denied: str
    ) -> None:
        policy = tmp_path / "policy.toml"
        policy.write_text(f'denied_tools = ["{denied}"]\n')
        client = new_client("--surface", "computer", "--policy", str(policy))
        assert client.call("computer", action="type", text="x").startswith("policy denied")
        reply = client.call("computer_batch", actions=[{"action": "mouse_move", "coordinate": [9, 9]}, _TYPE])
        assert reply.startswith("policy denied") == (denied == "type")


_TYPE = {"action": "type", "text": "x"}


class TestThePace:
    """Ten clicks a second, and no more."""

    def test_a_batch_waits_and_does_them_all(self, new_client: Callable[..., Client], form: Application) -> None:
        client = new_client("--surface", "computer", "--grant-all", "--clicks-per-second", "5")
        clicks = [{"action": "middle_click", "coordinate": [3, 3 + at]} for at in range(8)]
        reply = client.do("computer_batch", actions=clicks)
        assert len(texts(reply)) == 8

    def test_a_single_one_is_told_how_long_to_wait(self, new_client: Callable[..., Client]) -> None:
        client = new_client("--surface", "computer", "--grant-all", "--clicks-per-second", "1")
        client.do("middle_click", coordinate=[3, 3])
        reply = client.call("middle_click", coordinate=[3, 3])
        assert re.fullmatch(r"more than 1 clicks in one second; wait \d+ ms, then click again", reply)


class TestKeys:
    """Names of keys as xdotool has them, in any case."""

    @pytest.mark.parametrize(
        ("prefix", "kept", "table"), [("XK_", "", keysymdef), ("XF86XK_", "XF86", xf86keysym)], ids=("X", "XF86")
    )
    def test_every_name_of_x_is_known_whatever_its_case(self, prefix: str, kept: str, table: ModuleType) -> None:
        known = {kept + name.removeprefix(prefix): value for name, value in vars(table).items() if prefix in name[:7]}
        assert len(known) > 100
        for name, keysym in known.items():
            assert keysyms.keysym_of_key(parse_chord(name).key) == keysym or name in _OURS, name
            keysyms.keysym_of_key(parse_chord(name.upper()).key)
            keysyms.keysym_of_key(parse_chord(name.lower()).key)


# Where people mean another key than the one that X has under this name.
_OURS = {"Begin", "Break", "Meta_L", "downarrow", "leftarrow", "rightarrow", "uparrow"}


def _recoveries() -> Iterator[str]:
    """Every advice written below the surfaces."""
    source = Path(deskhand.__path__[0])
    for folder in ("model", "platforms", "guard", "desktop", "automation"):
        for file in (source / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                value = node.value if isinstance(node, ast.keyword) and node.arg == "recovery" else None
                if isinstance(node, ast.Assign) and any(getattr(one, "id", "") == "recovery" for one in node.targets):
                    value = node.value
                if isinstance(value, ast.Constant):
                    yield str(value.value)


def test_no_advice_names_a_tool_that_this_surface_lacks() -> None:
    surface = Computer()
    others = set(_AXI) - set(_COMPUTER) - {"fill"}
    found = list(_recoveries())
    assert len(found) > 50
    for recovery in found:
        said = surface.refuse(DeskError("It failed", recovery=recovery))["content"][0]["text"]
        assert said.startswith("It failed; ")
        assert not others & set(re.findall(r"[a-z_]+", said)), said
