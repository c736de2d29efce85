"""The tools agents see, held still: a change here is a change to the product.

To accept one: `UPDATE=1 pytest tests/surfaces/test_listing.py`, and read the diff.
"""

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from deskhand.surfaces.axi import Axi
from deskhand.surfaces.computer import Computer
from deskhand.surfaces.surface import Surface
from tests.support.applications import Application
from tests.support.client import Client


def _names(text: str) -> list[str]:
    return text.split()


_LISTING = Axi().listing()
_SURFACES: list[Surface] = [Axi(), Computer()]
_EVERY_TOOL = [(surface.name, tool) for surface in _SURFACES for tool in surface.listing()]

_ORDER = _names("""
screenshot screenshot_window get_screen_info list_windows_tool inspect_ui find_element find_elements ax_focused
ax_menu_bar app_list app_frontmost app_activate clipboard_read system_state ax_watch ax_unwatch ax_events ax_press
ax_set_value ax_focus ax_raise ax_actions ax_perform ax_cache click_at double_click_at type_text_tool key scroll_at
run_applescript_tool acquire_session release_session extend_session session_status list_hotkeys list_hotkey_apps hotkey_jump hotkey_rescan
hotkey_register audio_devices speak voice_list now_playing record_start record_stop record_list capabilities
navigate interact fill activate_and_inspect
""")
_LOOKS = _names("""
screenshot screenshot_window get_screen_info list_windows_tool inspect_ui find_element find_elements ax_focused
ax_menu_bar app_list app_frontmost clipboard_read system_state ax_events ax_actions session_status list_hotkeys
list_hotkey_apps audio_devices voice_list now_playing record_list capabilities
""")
_ACTS = _names("""
ax_press ax_set_value ax_focus ax_raise ax_perform click_at double_click_at type_text_tool key scroll_at
run_applescript_tool app_activate hotkey_jump navigate interact fill activate_and_inspect
""")
_REPEATABLE = ["ax_watch", "ax_unwatch", "ax_cache", "release_session", "hotkey_rescan", "hotkey_register"]
_NEED_THE_SEAT = [*_ACTS, "ax_actions", "ax_cache", "speak", "record_start", "record_stop", "record_list"]


def tokens(value: Any) -> int:
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it opens its vocabulary in an old way
        import bpe_openai
    return len(bpe_openai.get_encoding("o200k_base").encode(text))


@pytest.mark.parametrize("surface", _SURFACES, ids=lambda surface: surface.name)
def test_the_listing_is_as_agreed(surface: Surface) -> None:
    agreed = Path(__file__).parent / f"{surface.name}.tools.json"
    listing = json.dumps(surface.listing(), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE"):
        agreed.write_text(listing)
    assert listing == agreed.read_text()


def test_a_server_lists_the_same_in_the_same_order(client: Client) -> None:
    listed = client.ask("tools/list")["result"]["tools"]
    assert listed == _LISTING
    assert [tool["name"] for tool in listed] == _ORDER


@pytest.mark.parametrize(("surface", "most"), [(Axi(), 5000), (Computer(), 2500)], ids=("axi", "computer"))
def test_a_listing_costs_a_model_no_more_than_so_many_tokens(surface: Surface, most: int) -> None:
    seen = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in surface.listing()]
    assert tokens(seen) <= most


@pytest.mark.parametrize("surface", _SURFACES, ids=lambda surface: surface.name)
def test_what_is_told_before_the_first_call_is_short(surface: Surface) -> None:
    assert 50 <= len(surface.instructions.split()) <= 150


def test_an_editor_looked_into_costs_no_more_than_700_tokens(client: Client, editor: Application) -> None:
    assert tokens(str(client.do("inspect_ui", app_name=str(editor.pid)))) <= 700


@pytest.mark.parametrize("tool", [tool for _, tool in _EVERY_TOOL], ids=[f"{a}-{b['name']}" for a, b in _EVERY_TOOL])
class TestEachTool:
    """What holds for every entry."""

    def test_it_says_what_it_does(self, tool: dict[str, Any]) -> None:
        assert 10 <= len(tool["description"]) <= 120
        assert tool["description"].endswith(".")

    def test_its_schema_is_one_that_every_client_takes(self, tool: dict[str, Any]) -> None:
        schema = tool["inputSchema"]
        jsonschema.Draft202012Validator.check_schema(schema)
        # Anthropic's and OpenAI's interfaces refuse combinations at the top, and references anywhere.
        assert set(schema) <= {"type", "properties", "required", "additionalProperties"}
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert set(schema.get("required", ())) <= set(schema["properties"])
        assert "$ref" not in json.dumps(schema)
        assert "deskhand" not in json.dumps(schema)

    def test_each_parameter_has_a_type(self, tool: dict[str, Any]) -> None:
        for entry in tool["inputSchema"]["properties"].values():
            assert "type" in entry or all("type" in one for one in entry["anyOf"])
            assert entry.get("type") != "null"

    def test_its_name_is_one_that_every_client_takes(self, tool: dict[str, Any]) -> None:
        assert tool["name"].replace("_", "").isalnum()
        assert len(tool["name"]) <= 64


@pytest.mark.parametrize("tool", _LISTING, ids=lambda tool: tool["name"])
class TestEachAxiTool:
    """What only these promise."""

    def test_its_annotations_say_what_it_leaves_behind(self, tool: dict[str, Any]) -> None:
        name = tool["name"]
        assert tool["annotations"] == {
            "readOnlyHint": name in _LOOKS,
            "destructiveHint": name in _ACTS,
            "idempotentHint": (name in _LOOKS and name != "ax_events") or name in _REPEATABLE,
            "openWorldHint": False,
        }

    def test_it_takes_a_session_where_it_needs_one(self, tool: dict[str, Any]) -> None:
        takes_one = "session_id" in tool["inputSchema"]["properties"]
        assert takes_one == (tool["name"] in [*_NEED_THE_SEAT, "release_session", "extend_session"])


class TestChosenTools:
    """Fewer tools, by the wishes of a command line."""

    def names(self, client: Client) -> list[str]:
        return [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]

    def test_only_some(self, new_client: Callable[..., Client]) -> None:
        client = new_client("--tools", "screenshot, app_list,click_at")
        assert self.names(client) == ["screenshot", "app_list", "click_at"]
        assert client.call("get_screen_info") == (
            "error: Unknown tool: get_screen_info\nrecovery: call tools/list to see available tools"
        )
        assert "help[" not in client.do("app_list")  # all its hints name tools that are not served

    def test_all_but_some(self, new_client: Callable[..., Client]) -> None:
        client = new_client("--exclude-tools", "screenshot,key")
        assert self.names(client) == [name for name in _ORDER if name not in ("screenshot", "key")]
        assert client.do("capabilities").fields["tool_count"] == str(len(_ORDER) - 2)

    def test_only_those_that_change_nothing(self, new_client: Callable[..., Client]) -> None:
        client = new_client("--read-only")
        assert self.names(client) == [name for name in _ORDER if name in _LOOKS and name not in _NEED_THE_SEAT]
        assert "acquire_session" not in client.do("capabilities")
        assert client.call("acquire_session", agent_id="ann").is_error
