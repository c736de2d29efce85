"""The tools that act: what each does to real applications, what it answers, and what each parameter changes."""

import math
import re
from typing import Any

import pytest

from deskhand.model.effect import Effect
from tests.support.applications import Application, eventually
from tests.support.world import World, rows


class TestActingOnElements:
    """Through the accessibility tree."""

    def test_ax_press(self, world: World) -> None:
        reply = world.client.do("ax_press", **world.target("Press me"))
        assert (reply.fields["title"], reply.fields["effect"]) == ("Press me", "confirmed")
        assert reply.fields["route"] == "accessibility"
        assert world.said() == "pressed"

    @pytest.mark.parametrize(
        ("title", "value", "shown"),
        [
            ("Name", "Grüße, 世界", "Grüße, 世界"),
            ("Name", 12345678901234567890, "12345678901234567890"),
            ("Name", 2.5, "2.5"),
            ("Name", 7.0, "7"),
            ("Volume", "42", "42"),
            ("Volume", 43, "43"),
            ("Agree", "checked", "checked"),
            ("Agree", "unchecked", "unchecked"),
            ("Colour", "blue", "blue"),
        ],
    )
    def test_ax_set_value(self, world: World, title: str, value: Any, shown: str) -> None:
        reply = world.client.do("ax_set_value", **world.target(title), value=value)
        assert (reply.fields["value"].strip('"'), reply.fields["effect"]) == (shown, "confirmed")
        assert world.value(title) == shown

    def test_ax_set_value_refuses_what_does_not_fit(self, world: World) -> None:
        for title, value in (("Volume", "loud"), ("Agree", "perhaps"), ("Colour", "ultraviolet"), ("Press me", "x")):
            assert world.client.call("ax_set_value", **world.target(title), value=value).is_error

    def test_ax_focus(self, world: World) -> None:
        reply = world.client.do("ax_focus", **world.target("Note"))
        assert (reply.fields["title"], reply.fields["focused"], reply.fields["effect"]) == ("Note", "true", "confirmed")
        assert world.client.do("ax_focused").fields["title"] == "Note"

    def test_ax_raise(self, world: World) -> None:
        for name, title in (("mousepad", "Mousepad"), (str(world.form.pid), "A form")):
            reply = world.client.do("ax_raise", app_name=name)
            assert reply.fields["active"] == "true"
            assert title in reply.fields["window"]
            assert title in world.client.do("app_frontmost").fields["window"]

    def test_ax_actions(self, world: World) -> None:
        reply = world.client.do("ax_actions", **world.target("Press me"))
        assert reply.startswith("actions[1]: Click")
        assert "toolkit: gtk" in reply
        assert "Value" in world.client.do("ax_actions", **world.target("Volume"))

    def test_ax_perform(self, world: World) -> None:
        world.client.do("ax_set_value", **world.target("Agree"), value="unchecked")
        reply = world.client.do("ax_perform", **world.target("Agree"), action="click")
        assert (reply.fields["value"], reply.fields["effect"]) == ("checked", "confirmed")
        world.client.do("ax_perform", **world.target("Press me"), action="AXPress")
        assert world.said() == "pressed"
        refused = world.client.call("ax_perform", **world.target("Press me"), action="explode")
        assert "it offers: Click" in refused

    def test_ax_cache(self, world: World) -> None:
        reply = world.client.do("ax_cache", **world.target("Note"))
        assert re.fullmatch(r"g\d+:\d+", reply.handle)
        assert world.client.do("fill", handle_id=reply.handle, text="cached").fields["title"] == "Note"
        assert world.value("Note") == "cached"

    def test_what_is_disabled_is_not_acted_on(self, world: World) -> None:
        for name, more in (("ax_press", {}), ("interact", {}), ("ax_perform", {"action": "click"}), ("ax_focus", {})):
            assert "is disabled" in world.client.call(name, **world.target("Disabled"), **more)


_TARGETED: dict[str, dict[str, Any]] = {
    "ax_press": {},
    "ax_set_value": {"value": "5"},
    "ax_focus": {},
    "ax_actions": {},
    "ax_perform": {"action": "press"},
    "ax_cache": {},
    "click_at": {},
    "double_click_at": {},
    "interact": {"action": "focus"},
    "fill": {"text": "5"},
}


@pytest.mark.parametrize("name", _TARGETED)
class TestWhichElement:
    """Every tool with a target finds it in the same ways."""

    def landed(self, world: World, name: str, **which: Any) -> str:
        """The title of the element that a call was for."""
        world.form.activate()
        reply = world.client.do(name, **which, **_TARGETED[name])
        if name == "ax_actions":
            return "Volume" if "Value" in reply else "Note"
        if name.endswith("click_at"):
            [hit] = [
                title
                for title in ("Name", "Note", "Volume")
                if world.place(title).center == (int(reply.fields["x"]), int(reply.fields["y"]))
            ]
            return hit
        return reply.fields["title"]

    def test_by_title_role_or_description(self, world: World, name: str) -> None:
        assert self.landed(world, name, **world.app, title="note") == "Note"
        assert self.landed(world, name, **world.app, role="slider") == "Volume"
        assert self.landed(world, name, **world.app, description="else there") == "Note"

    def test_by_a_handle(self, world: World, name: str) -> None:
        for more in ({}, world.app):
            handle = world.client.do("find_element", **world.target("Volume")).handle
            assert self.landed(world, name, handle_id=handle, **more) == "Volume"

    def test_exactly_or_not(self, world: World, name: str) -> None:
        assert self.landed(world, name, **world.app, title="Vol") == "Volume"
        reply = world.client.call(name, **world.app, title="Vol", match="exact", **_TARGETED[name])
        assert reply.startswith("error: No element matching [Vol] in form")

    def test_a_handle_goes_with_nothing_that_contradicts_it(self, world: World, name: str) -> None:
        handle = world.client.do("find_element", **world.target("Note")).handle
        assert "either a handle" in world.client.call(name, handle_id=handle, title="Volume", **_TARGETED[name])
        other = world.client.call(name, handle_id=handle, app_name="mousepad", **_TARGETED[name])
        assert "that element is not in Mousepad" in other

    def test_without_a_target_it_asks_for_one(self, world: World, name: str) -> None:
        for which in ({}, world.app, {"title": "Note"}, {"role": "slider"}):
            assert "Missing required parameter" in world.client.call(name, **which, **_TARGETED[name])


class TestPointerAndKeyboard:
    """Input as a person gives it."""

    def test_click_at(self, world: World) -> None:
        pad = world.pad()
        reply = world.client.do("click_at", **pad)
        assert {name: int(reply.fields[name]) for name in ("x", "y")} == pad
        assert reply.fields["window"] == "A form"
        assert (reply.fields["effect"], reply.fields["route"]) == ("unverified", "pointer")
        eventually(lambda: world.said() == "left", what="the click")

    @pytest.mark.parametrize("button", ["left", "right", "middle"])
    def test_click_at_with_another_button(self, world: World, button: str) -> None:
        world.client.do("click_at", **world.pad(), button=button)
        eventually(lambda: world.said() == button, what="the click")

    @pytest.mark.parametrize(
        ("held", "arrives"),
        [(["ctrl"], "ctrl+left"), (["shift", "Alt"], "shift+alt+left"), (["cmd"], "ctrl+left"), ([], "left")],
    )
    def test_click_at_with_modifiers(self, world: World, held: list[str], arrives: str) -> None:
        world.client.do("click_at", **world.pad(), modifiers=held)
        eventually(lambda: world.said() == arrives, what="the click")

    def test_double_click_at(self, world: World) -> None:
        world.client.do("double_click_at", **world.pad())
        eventually(lambda: world.said() == "double", what="the double click")

    @pytest.mark.parametrize(
        ("turned", "arrives"),
        [
            ({"dy": 2}, ["down"] * 2),
            ({"dy": -1}, ["up"]),
            ({"dx": 2}, ["right"] * 2),
            ({"dx": -1}, ["left"]),
            ({"direction": "up"}, ["up"] * 3),
            ({"direction": "left", "amount": 2}, ["left"] * 2),
        ],
    )
    def test_scroll_at(self, world: World, turned: dict[str, Any], arrives: list[str]) -> None:
        world.client.do("click_at", **world.pad(), button="middle")
        eventually(lambda: world.said() == "middle", what="a mark")
        reply = world.client.do("scroll_at", **world.pad(), **turned)
        assert reply.fields["window"] == "A form"
        eventually(
            lambda: world.form.find("label", "said").title.split(", ")[-len(arrives) - 1 :] == ["middle", *arrives],
            what="the wheel",
        )

    def test_scroll_at_needs_one_way(self, world: World) -> None:
        for wrong in ({}, {"dy": 1, "direction": "up"}, {"amount": 2}, {"dy": 1, "amount": 2}, {"dy": 101}):
            assert world.client.call("scroll_at", x=5, y=5, **wrong).is_error

    def test_type_text_tool(self, world: World) -> None:
        world.client.do("fill", **world.target("Name"), text="")
        world.form.focus("textbox", "Name")
        reply = world.client.do("type_text_tool", text="Aé ß€ 世界!")
        assert world.value("Name") == "Aé ß€ 世界!"
        assert [reply.fields[name] for name in ("characters", "arrived", "effect", "into")] == [
            "9", "9", "confirmed", "textbox Name"
        ]  # fmt: skip

    def test_a_text_longer_than_any_other_argument_is_typed(self, world: World) -> None:
        world.editor.focus()
        world.client.do("fill", app_name="mousepad", role="textbox", text="x" * 50_000)
        assert len(world.editor.text()) == 50_000
        assert world.client.do("type_text_tool", text="y" * 20_000).fields["arrived"] == "20000"
        world.client.do("fill", app_name="mousepad", role="textbox", text="")

    def test_key(self, world: World) -> None:
        world.client.do("fill", **world.target("Name"), text="abc")
        world.form.focus("textbox", "Name")
        reply = world.client.do("key", keys="cmd+a")
        assert (reply.fields["keys"], reply.fields["window"]) == ("cmd+a", "A form")
        world.client.do("key", keys="shift+x")
        eventually(lambda: world.value("Name") == "X", what="the key")
        refused = world.client.call("key", keys="hyper+x")
        assert "'hyper' in 'hyper+x' is not a modifier" in refused

    @pytest.mark.parametrize("name", ["click_at", "double_click_at", "scroll_at"])
    def test_places_outside_every_display_are_refused(self, world: World, name: str) -> None:
        # Turning up or down over the bare desktop would change the workspace.
        more = {"dx": 1} if name == "scroll_at" else {}
        for x, y in ((1920, 5), (5, 1080), (-1, 5), (5, -1), (1e12, 5), (5, -1e300)):
            reply = world.client.call(name, x=x, y=y, **more)
            assert "is outside every display: display 0 is 1920x1080 at 0,0" in reply
            assert "recovery: call get_screen_info to see the displays" in reply
        for x, y in ((1919, 1079), (0, 0), (0.4, 0.4)):
            world.client.do(name, x=x, y=y, **more)
            position = world.form.platform.pointer.position()
            assert tuple(position) == (math.floor(x + 0.5), math.floor(y + 0.5))

    def test_a_place_or_an_element_but_not_both(self, world: World) -> None:
        for name in ("click_at", "double_click_at"):
            assert "give either coordinates or an element" in world.client.call(name, x=5, y=5, **world.target("Note"))
            assert "Missing required parameter: x and y" in world.client.call(name, x=5)
            assert world.client.call(name, x=5, y=5, title="Note").is_error
        assert "is none of ctrl, alt, shift, super" in world.client.call("click_at", x=5, y=5, modifiers=["hyper"])


class TestCompound:
    """Several steps in one call."""

    def test_navigate(self, world: World) -> None:
        reply = world.client.do("navigate", key="editor.replace")
        try:
            assert (reply.fields["chord"], reply.fields["label"]) == ("ctrl+r", "Find and Replace")
            assert reply.fields["app"] == "Mousepad"
            assert "Replace" in reply
            assert rows(reply, "elements")
        finally:
            world.client.do("key", keys="escape")

    def test_navigate_asks_for_the_app_where_several_have_the_key(self, world: World) -> None:
        assert "belongs to several apps" in world.client.call("navigate", key="shared.end")
        assert world.client.do("navigate", key="shared.end", app="form").fields["app"] == "form"
        assert "no hotkey is called 'no.such'" in world.client.call("navigate", key="no.such")

    def test_interact(self, world: World) -> None:
        assert world.client.do("interact", **world.target("Press me")).fields["effect"] == "confirmed"
        assert world.said() == "pressed"
        focused = world.client.do("interact", **world.target("Note"), action="focus")
        assert focused.fields["focused"] == "true"
        set_to = world.client.do("interact", **world.target("Volume"), action="set_value", value=12)
        assert set_to.fields["value"].strip('"') == "12"
        assert world.client.do("interact", **world.target("Press me"), action="click").fields["title"] == "Press me"
        assert "Missing required parameter: value" in world.client.call(
            "interact", **world.target("Note"), action="set_value"
        )
        assert "only the action set_value takes one" in world.client.call(
            "interact", **world.target("Note"), action="focus", value="x"
        )

    def test_fill(self, world: World) -> None:
        for text in ("first", "zweiter, mit Komma: [x]", ""):
            reply = world.client.do("fill", **world.target("Name"), text=text)
            assert (reply.fields["matched"], reply.fields["effect"]) == ("true", "confirmed")
            assert world.value("Name") == text

    def test_activate_and_inspect(self, world: World) -> None:
        reply = world.client.do("activate_and_inspect", app_name="form")
        assert (reply.fields["app"], reply.fields["launched"]) == ("form", "false")
        assert "Press me" in reply
        assert world.client.do("app_frontmost").fields["name"] == "form"
        assert world.client.do("activate_and_inspect", bundle_id="org.xfce.mousepad").fields["app"] == "Mousepad"
        assert "Missing required parameter" in world.client.call("activate_and_inspect")
        assert "either" in world.client.call("activate_and_inspect", app_name="form", bundle_id="form")

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("navigate", {"key": "shared.end", "app": "form"}),
            ("interact", {"title": "Press me"}),
            ("fill", {"title": "Name", "text": "settled"}),
            ("activate_and_inspect", {}),
        ],
    )
    def test_settle_ms_is_the_longest_wait(self, world: World, name: str, arguments: dict[str, Any]) -> None:
        which = {} if name == "navigate" else world.app
        assert int(world.client.do(name, **which, **arguments, settle_ms=0).fields["settled_ms"]) == 0
        assert int(world.client.do(name, **which, **arguments, settle_ms=2000).fields["settled_ms"]) > 0
        assert world.client.call(name, **which, **arguments, settle_ms=10_001).is_error


def test_every_acting_tool_advances_the_generation(world: World) -> None:
    acting: dict[str, dict[str, Any]] = {
        "ax_press": world.target("Press me"),
        "ax_set_value": world.target("Name") | {"value": "x"},
        "ax_focus": world.target("Name"),
        "ax_raise": world.app,
        "ax_perform": world.target("Press me") | {"action": "click"},
        "click_at": {"x": 5, "y": 5},
        "double_click_at": {"x": 5, "y": 5},
        "type_text_tool": {"text": "x"},
        "key": {"keys": "escape"},
        "scroll_at": {"x": 5, "y": 5, "dx": 1},
        "app_activate": world.app,
        "navigate": {"key": "shared.end", "app": "form"},
        "interact": world.target("Press me"),
        "fill": world.target("Name") | {"text": "y"},
        "activate_and_inspect": world.app,
    }
    generation = int(world.client.do("key", keys="escape").fields["_gen"])
    for name, arguments in acting.items():
        world.client.do("ax_focus", **world.target("Name"))
        generation += 2
        fields = world.client.do(name, **arguments).fields
        assert int(fields["_gen"]) == generation, name
        assert fields["effect"] in tuple(Effect), name


class TestOneTitle:
    """Qt's icon buttons have no name of their own: they go by their tooltip, in every reply alike."""

    @pytest.mark.parametrize(
        ("name", "title", "more"),
        [
            ("ax_press", "Match Case (F5)", {}),
            ("ax_perform", "Match Case (F5)", {"action": "AXPress"}),
            ("ax_set_value", "Match Case (F5)", {"value": "checked"}),
            ("ax_focus", "Search...", {}),
            ("interact", "Match Case (F5)", {}),
            ("interact", "Match Case (F5)", {"action": "set_value", "value": "unchecked"}),
            ("ax_cache", "Match Case (F5)", {}),
            ("fill", "Search...", {"text": "words"}),
        ],
    )
    def test_an_element_is_called_what_it_is_found_by(
        self, world: World, qt: Application, name: str, title: str, more: dict[str, str]
    ) -> None:
        client, app = world.client, {"app_name": str(qt.pid)}
        assert qt.find(title=title).title == "", "this is about an element without a name of its own"
        found = client.do("find_element", **app, title=title)
        assert found.fields["title"] == title
        assert client.do(name, handle_id=found.handle, **more).fields["title"] == title
        by_criteria = client.do(name, **app, title=title, **more)
        assert by_criteria.fields["title"] == title
        assert client.do("ax_cache", handle_id=by_criteria.handle).fields["title"] == title

    def test_so_it_is_where_it_is_refused(self, world: World, qt: Application) -> None:
        refused = world.client.call("ax_focus", app_name=str(qt.pid), title="Match Case (F5)")
        assert "the checkbox 'Match Case (F5)' does not take the keyboard" in refused
