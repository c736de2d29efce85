"""The tools of the hotkey index, in real applications."""

from collections.abc import Callable

import pytest

from tests.support.applications import Applications
from tests.support.client import Client
from tests.support.world import World, rows


class TestLooking:
    """Without a session."""

    def test_the_index_can_be_searched(self, client: Client) -> None:
        found = rows(client.do("list_hotkeys", app="mousepad", query="replace"), "hotkeys")
        assert found == [
            {
                "app": "Mousepad", "key": "mousepad.search.find_and_replace", "chord": "ctrl+r",
                "label": "Find and Replace", "kind": "modal", "source": "shipped",
            }
        ]  # fmt: skip
        assert all(row["kind"] == "toggle" for row in rows(client.do("list_hotkeys", kind="toggle"), "hotkeys"))

    def test_an_empty_search_says_so(self, client: Client) -> None:
        reply = client.do("list_hotkeys", app="mousepad", query="no such thing")
        assert "count: 0" in reply
        assert "empty: No hotkey matching [mousepad, no such thing]" in reply

    def test_more_than_can_be_shown_is_counted(self, client: Client) -> None:
        reply = client.do("list_hotkeys")
        assert int(reply.fields["count"]) > int(reply.fields["shown"]) == len(rows(reply, "hotkeys")) == 200
        assert "narrow it down" in reply

    def test_the_apps_are_listed_and_counted(self, client: Client) -> None:
        listed = {row["app"]: int(row["entries"]) for row in rows(client.do("list_hotkey_apps"), "apps")}
        assert {"Mousepad", "Calculator", "Firefox", "Chromium", "LibreOffice Writer", "Files"} <= set(listed)
        counted = client.do("capabilities").fields
        assert (int(counted["apps"]), int(counted["entries"])) == (len(listed), sum(listed.values()))


class TestJumping:
    """Firing one."""

    def test_it_needs_the_seat(self, client: Client) -> None:
        assert client.call("hotkey_jump", key="mousepad.file.new").startswith("error: no agent holds the seat")

    def test_it_goes_to_its_app_and_keeps_handles(self, world: World) -> None:
        handle = world.client.do("find_element", app_name=str(world.editor.pid), role="textbox").handle
        world.form.activate()
        reply = world.client.do("hotkey_jump", key="mousepad.search.find_and_replace")
        try:
            assert (reply.fields["app"], reply.fields["chord"], reply.fields["kind"]) == ("Mousepad", "ctrl+r", "modal")
            assert (reply.fields["window"], reply.fields["effect"]) == ("Find and Replace", "unverified")
            assert "_gen" not in reply
            assert not world.client.call("ax_actions", handle_id=handle).is_error
        finally:
            world.client.do("key", keys="escape")

    def test_what_cannot_be_fired_is_told(self, world: World) -> None:
        assert world.client.call("hotkey_jump", key="vscode.view.terminal").startswith("error: App not found")
        assert world.client.call("hotkey_jump", key="no.such").startswith("error: no hotkey is called 'no.such'\nrecovery: call list_hotkeys")  # fmt: skip
        assert "belongs to several apps: Mousepad, form" in world.client.call("hotkey_jump", key="shared.end")


class TestLearning:
    """From what an application shows."""

    def test_a_gtk3_editor(self, client: Client, world: World) -> None:
        reply = client.do("hotkey_rescan", app_name="mousepad")
        assert int(reply.fields["learned"]) > 30
        found = rows(client.do("list_hotkeys", app="mousepad", query="transpose"), "hotkeys")
        assert [(row["key"], row["chord"], row["source"]) for row in found] == [
            ("mousepad.edit.convert.transpose", "ctrl+t", "learned")
        ]

    def test_a_qt_editor_and_it_can_be_fired(self, world: World, applications: Applications) -> None:
        client = world.client
        featherpad = applications.start("featherpad", "--standalone")
        client.do("hotkey_rescan", app_name=str(featherpad.pid))
        client.do("hotkey_jump", key="featherpad.help.help")
        reply = client.do("list_hotkeys", app="featherpad")
        chords = {row["key"]: row["chord"] for row in rows(reply, "hotkeys")}
        assert chords["featherpad.file.save_as"] == "ctrl+shift+s"
        assert not any(chord.startswith("alt+") and len(chord) == 5 for chord in chords.values())

    def test_what_shows_none_says_so(self, client: Client, world: World) -> None:
        reply = client.do("hotkey_rescan", app_name=str(world.form.pid))
        assert reply.fields["learned"] == "0"
        assert "form shows no shortcuts" in reply
        assert client.call("hotkey_rescan", app_name="no such app").startswith("error: App not found")


class TestRegistering:
    """By an agent."""

    def test_it_is_there_at_once_and_for_the_next_server(
        self, client: Client, new_client: Callable[..., Client]
    ) -> None:
        entry = {"key": "tool.go", "chord": "ctrl+g", "label": "Go", "kind": "view"}
        bad = entry | {"key": "tool.bad", "kind": "window"}
        reply = client.do("hotkey_register", manifest={"app": "Tool", "app_version": "2", "entries": [entry, bad]})
        assert reply.fields["registered"] == "1"
        assert "entry 2: the kind 'window' is none of action, view, panel, modal, toggle" in reply
        for one in (client, new_client()):
            assert rows(one.do("list_hotkeys", app="Tool"), "hotkeys")[0]["source"] == "registered"
        client.do("hotkey_register", manifest={"app": "Tool", "entries": []})
        assert "empty: No hotkey matching [Tool]" in client.do("list_hotkeys", app="Tool")

    @pytest.mark.parametrize(
        ("manifest", "problem"),
        [
            ({}, 'manifest: it has no text "app"'),
            ({"app": "Tool"}, 'manifest: it has no list "entries"'),
            ({"app": "Tool", "entries": [1]}, "manifest: entry 1: it is not an object"),
            ("text", "manifest: Input should be a valid dictionary"),
        ],
    )
    def test_a_bad_one_is_refused(self, manifest: object, problem: str, client: Client) -> None:
        assert client.call("hotkey_register", manifest=manifest).startswith(f"error: {problem}\nrecovery: ")
