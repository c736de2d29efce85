"""What the policy denies is refused by every tool and every route, with real applications."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand.desktop import windows
from deskhand.desktop.gated import GatedAccessibility, GatedApps
from deskhand.desktop.guarded import (
    GuardedKeyboard,
    GuardedPointer,
    GuardedWindows,
)
from deskhand.model.geometry import Point
from deskhand.platforms import base
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, Applications, eventually
from tests.support.client import Client
from tests.support.denials import middle, refused
from tests.support.form import PROGRAM

_POLICY = """
denied_tools = ["scroll_at"]

[[denied_elements]]
app = "gnome-calculator"
role = "button"
title = "7"
reason = "seven is mine"

[[denied_elements]]
app = "mousepad"
role = "menu"
title = "Edit"

[[denied_elements]]
app = "form"
title = "Note"

[[denied_elements]]
app = "form"
role = "slider"

[[denied_elements]]
app = "form"
role = "button"
title = "Press me"
"""


@pytest.fixture(scope="module")
def apps(desktop: EmbeddedSession, platform: Platform) -> Iterator[Applications]:
    with Applications(desktop, platform) as started:
        yield started


@pytest.fixture(scope="module")
def calculator(apps: Applications) -> Application:
    return apps.start("gnome-calculator")


@pytest.fixture(scope="module")
def form(apps: Applications) -> Application:
    return apps.start("python", PROGRAM, "A form")


@pytest.fixture(scope="module")
def editor(apps: Applications) -> Application:
    return apps.start("mousepad")


@pytest.fixture(scope="module")
def prompt(apps: Applications) -> Application:
    """An application that goes by the name of the one that asks for the keyring's password."""
    return apps.start("python", PROGRAM, "Unlock", "program=gcr-prompter")


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notes") / "notes"


@pytest.fixture(scope="module")
def terminal(apps: Applications, notes: Path) -> Application:
    """A small window in a corner that writes down what is typed into it."""
    notes.touch()
    return apps.start("xterm", "-geometry", "20x4+1700+900", "-e", f"cat > {notes}", accessible=False)


@pytest.fixture(scope="module")
def agent(desktop: EmbeddedSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """An agent under a policy."""
    path = tmp_path_factory.mktemp("policy") / "policy.toml"
    path.write_text(_POLICY)
    with Client("--clicks-per-second", "0", "--policy", str(path), environment=desktop.environment) as client:
        client.initialize()
        client.acquire(ttl=3600)
        yield client


def last_line(kept: Path) -> dict[str, Any]:
    line: dict[str, Any] = json.loads((kept / "state" / "deskhand" / "audit.jsonl").read_bytes().splitlines()[-1])
    return line


class TestAnElement:
    """The button 7 of the calculator is denied."""

    def target(self, calculator: Application, title: str = "7") -> dict[str, str]:
        return {"app_name": str(calculator.pid), "role": "button", "title": title, "match": "exact"}

    @pytest.mark.parametrize("tool", ["ax_press", "interact", "click_at", "double_click_at", "ax_focus"])
    def test_no_tool_presses_it(self, agent: Client, calculator: Application, kept: Path, tool: str) -> None:
        calculator.activate()
        before = calculator.text()
        refused(agent.call(tool, **self.target(calculator)), by="[button, 7] in Calculator: seven is mine")
        assert calculator.text() == before
        entry = last_line(kept)
        assert (entry["tool"], entry["outcome"], entry["agent_id"]) == (tool, "denied", "tester")
        assert "denied_elements 1 of policy.toml" in entry["reason"]

    @pytest.mark.parametrize("tool", ["click_at", "double_click_at"])
    def test_no_click_at_its_place_does(self, agent: Client, calculator: Application, tool: str) -> None:
        calculator.activate()
        before = calculator.text()
        refused(agent.call(tool, **middle(calculator.find("button", "7"))), by="seven is mine")
        assert calculator.text() == before

    def test_neither_does_its_handle(self, agent: Client, calculator: Application) -> None:
        handle = agent.do("find_element", **self.target(calculator)).handle
        refused(agent.call("ax_press", handle_id=handle))
        refused(agent.call("ax_perform", handle_id=handle, action="click"))
        # What is denied makes no handle stale.
        refused(agent.call("click_at", handle_id=handle))

    def test_it_can_be_looked_at(self, agent: Client, calculator: Application) -> None:
        assert "found: true" in agent.do("find_element", **self.target(calculator))
        agent.do("ax_actions", **self.target(calculator))

    def test_the_button_beside_it_is_pressed(self, agent: Client, calculator: Application) -> None:
        calculator.activate()
        agent.do("ax_press", **self.target(calculator, "8"))
        agent.do("click_at", **middle(calculator.find("button", "8")))
        agent.do("double_click_at", **middle(calculator.find("button", "8")))
        eventually(lambda: calculator.text().endswith("8888"), what="four eights")

    def test_no_key_is_pressed_while_it_has_the_keyboard(
        self, agent: Client, form: Application, platform: Platform
    ) -> None:
        form.activate()
        button = form.find("button", "Press me").node
        platform.accessibility.focus(button)
        eventually(lambda: platform.accessibility.element(button).focused, what="the focus")
        refused(agent.call("key", keys="space"), by="pressing keys in [button, Press me]")
        refused(agent.call("type_text_tool", text=" "), by="typing into [button, Press me]")
        assert form.find("label", "said").title == "said: nothing"


class TestWhatIsInAnElement:
    """A denied element is denied with everything in it, and where it cannot be seen."""

    def test_the_items_of_a_denied_menu(self, agent: Client, editor: Application) -> None:
        for title in ("Select All", "Paste"):
            target = {"app_name": str(editor.pid), "role": "menuitem", "title": title}
            refused(agent.call("interact", **target), by="[menu, Edit]")

    def test_the_items_of_another_menu_are_not(self, agent: Client, editor: Application) -> None:
        agent.do("interact", app_name=str(editor.pid), role="menuitem", title="Line Numbers")

    def test_a_field_takes_no_text_by_any_route(self, agent: Client, form: Application) -> None:
        target = {"app_name": str(form.pid), "role": "textbox", "title": "Note"}
        refused(agent.call("fill", **target, text="x"), by="[Note]")
        refused(agent.call("ax_set_value", **target, value="x"))
        refused(agent.call("interact", **target, action="set_value", value="x"))
        form.focus("textbox", "Note")
        for text in ("x", "long " * 80):
            refused(agent.call("type_text_tool", text=text))
        refused(agent.call("key", keys="ctrl+v"))
        assert form.find("textbox", "Note").value == ""
        agent.do("fill", app_name=str(form.pid), title="Name", text="allowed")

    def test_a_slider_keeps_its_number(self, agent: Client, form: Application) -> None:
        refused(agent.call("ax_set_value", app_name=str(form.pid), title="Volume", value=40))
        assert form.find("slider", "Volume").value == "0"


class TestAnApplication:
    """The default policy denies what asks for passwords, and is in force beside the user's own."""

    @pytest.mark.parametrize(
        ("tool", "arguments"),
        [
            ("type_text_tool", {"text": "secret words"}),
            ("key", {"keys": "enter"}),
            ("click_at", {"x": 5, "y": 1000}),
        ],
    )
    def test_nothing_is_pressed_while_it_is_in_front(
        self, agent: Client, prompt: Application, kept: Path, tool: str, arguments: dict[str, Any]
    ) -> None:
        prompt.focus("textbox", "Name")
        reply = agent.call(tool, **arguments)
        refused(reply, by="the keyring is the user's own (denied_apps 1 of the default policy)")
        assert "app_activate" in reply
        assert prompt.find("textbox", "Name").value == ""
        entry = last_line(kept)
        assert (entry["tool"], entry["outcome"]) == (tool, "denied")
        assert "denied_apps 1 of the default policy" in entry["reason"]
        assert "secret" not in json.dumps(entry)

    def test_no_part_of_it_is_clicked_while_another_is_in_front(
        self, agent: Client, prompt: Application, terminal: Application, platform: Platform
    ) -> None:
        prompt.activate()
        terminal.activate()
        frame = prompt.running.windows[0].frame
        columns, rows = range(frame.x + 4, frame.x + frame.width, 40), range(frame.y + 4, frame.y + frame.height, 20)
        points = [Point(x, y) for y in rows for x in columns]
        seen = [one for one in points if (under := windows.at(platform, one)) and under.pid == prompt.pid]
        assert seen
        for point in (seen[0], seen[len(seen) // 2], seen[-1]):  # of its title bar too, which could close it
            refused(agent.call("click_at", x=point.x, y=point.y), by="clicking on")
        assert terminal.running.app.active
        assert prompt.find("label", "said").title == "said: nothing"

    def test_no_tool_brings_it_to_the_front(self, agent: Client, prompt: Application, editor: Application) -> None:
        editor.activate()
        name = {"app_name": str(prompt.pid)}
        for tool in ("app_activate", "ax_raise", "activate_and_inspect"):
            refused(agent.call(tool, **name), by="activating")
        assert editor.running.app.active

    def test_no_element_of_it_is_acted_on(self, agent: Client, prompt: Application, editor: Application) -> None:
        editor.activate()
        name = {"app_name": str(prompt.pid)}
        refused(agent.call("ax_press", **name, title="Press me"))
        refused(agent.call("interact", **name, title="Press me"))
        refused(agent.call("fill", **name, title="Name", text="x"))
        refused(agent.call("ax_set_value", **name, title="Agree", value="checked"))
        refused(agent.call("ax_focus", **name, title="Name"))
        assert prompt.find("label", "said").title == "said: nothing"

    def test_it_can_be_looked_at_and_left(self, agent: Client, prompt: Application, editor: Application) -> None:
        prompt.activate()
        assert "Press me" in agent.do("inspect_ui", app_name=str(prompt.pid))
        agent.do("app_activate", app_name=str(editor.pid))
        agent.do("key", keys="escape")

    def test_a_prompt_that_comes_while_a_text_is_typed_gets_none_of_the_rest(
        self, agent: Client, prompt: Application, terminal: Application, platform: Platform, notes: Path
    ) -> None:
        terminal.activate()
        typing = agent.start_call("type_text_tool", text="some words\n" * 3000)
        eventually(lambda: notes.stat().st_size, what="the first words")
        platform.windows.activate(prompt.running.windows[0].id)
        (reply,) = agent.replies([typing])
        assert reply.is_error
        # Whichever is noticed first: that another window has the keyboard, or that it is one that gets no text.
        assert "policy denied typing into" in reply or "took the keyboard in the middle of the text" in reply
        # What was under way when it came is all that it can have got.
        assert notes.stat().st_size + len(prompt.find("textbox", "Name").value or "") < 20_000


class TestATool:
    """A tool that is denied."""

    def test_it_is_refused_and_noted(self, agent: Client, kept: Path) -> None:
        refused(agent.call("scroll_at", x=5, y=5, dy=1), by="policy denied the tool scroll_at")
        assert last_line(kept)["agent_id"] == "tester"


def _names(words: str) -> set[str]:
    return set(words.split())


_GUARDED: dict[Any, tuple[type, set[str]]] = {
    base.Pointer: (GuardedPointer, {"position", "changes", "held", "move", "release", "release_all"}),
    base.Keyboard: (
        GuardedKeyboard,
        {"check", "check_chord", "hold", "release_all", "held_modifiers", "locks", "restore"},
    ),
    base.Windows: (
        GuardedWindows,
        {
            "all",
            "active",
            "events",
            "arrangement",
            "in_front",
            "before_a_press",
            "owner",
            "popups",
            "wait_until_handled",
            "manager_name",
        },
    ),
    base.Accessibility: (
        GatedAccessibility,
        _names("""
        apps tree search focused menu_bar shortcuts windows element glance lineage choices text offers events
        sends listen
        """),
    ),
    base.Apps: (GatedApps, {"installed"}),
}


@pytest.mark.parametrize("port", _GUARDED, ids=lambda port: port.__name__)
def test_whatever_a_port_can_do_is_guarded_or_known_to_look(port: Any) -> None:
    """A new method fails here until somebody has said which of the two it is."""
    guard, looks = _GUARDED[port]
    methods = {name for name, value in vars(port).items() if callable(value) and not name.startswith("_")}
    acts = {name for name, value in vars(guard).items() if callable(value) and not name.startswith("_")}
    assert methods == looks | acts
    assert not looks & acts
