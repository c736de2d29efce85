"""What lies over an element, in each toolkit: no click and no text meant for one thing lands on another."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand.model.geometry import Rect
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support import toolkits
from tests.support.applications import Application, Applications, eventually
from tests.support.client import Client, Reply
from tests.support.form import PROGRAM
from tests.support.moving import move
from tests.support.x_window import XWindow


class Agent:
    """A client with the seat, and the application it is about."""

    def __init__(self, client: Client, application: Application) -> None:
        self.client = client
        self.application = application
        self.app = {"app_name": str(application.pid)}

    def call(self, tool: str, **arguments: object) -> Reply:
        return self.client.call(tool, **self.app, **arguments)

    def do(self, tool: str, **arguments: object) -> Reply:
        return self.client.do(tool, **self.app, **arguments)

    def key(self, keys: str) -> None:
        self.client.do("key", keys=keys)

    def value(self, **which: str) -> str:
        return self.do("find_element", **which).fields["value"]

    def menu_opens(self) -> None:
        windows = self.application.platform.windows
        eventually(lambda: [one for one in windows.popups(self.window) if one.width > 20], what="the menu")

    @property
    def window(self) -> int:
        return self.application.running.windows[0].id

    def window_opens(self, title: str) -> None:
        windows = self.application.platform.windows
        eventually(lambda: (now := windows.active()) and title in now.title, what=f"the window {title}")


@pytest.fixture(scope="module")
def seated(desktop: EmbeddedSession) -> Iterator[Client]:
    with Client("--clicks-per-second", "0", environment=desktop.environment) as client:
        client.initialize()
        client.acquire(ttl=3600)
        yield client


@pytest.fixture
def editor_agent(seated: Client, editor: Application) -> Agent:
    return Agent(seated, editor.activate())


@pytest.fixture
def form_agent(seated: Client, applications: Applications) -> Agent:
    return Agent(seated, applications.start(sys.executable, PROGRAM, "A form").activate())


@pytest.fixture
def calculator(seated: Client, applications: Applications) -> Agent:
    return Agent(seated, applications.start("gnome-calculator").activate())


@pytest.fixture
def qt(seated: Client, applications: Applications, tmp_path: Path) -> Agent:
    return Agent(seated, applications.start(*toolkits.QT.command(tmp_path)).activate())


def is_covered(reply: Reply, by: str) -> bool:
    return reply.is_error and f"is covered by {by}" in reply


class TestDialogs:
    """Of the same application."""

    def test_a_click_does_not_land_on_a_dialog_over_the_element(self, editor_agent: Agent) -> None:
        editor_agent.client.do("type_text_tool", text="kept")
        editor_agent.key("Ctrl+S")
        editor_agent.window_opens("Save As")
        assert is_covered(editor_agent.call("click_at", role="menu", title="Edit"), "the window 'Save As'")
        assert is_covered(editor_agent.call("double_click_at", role="menu", title="Edit"), "the window 'Save As'")

    def test_another_document_is_brought_forward_for_a_click(self, editor_agent: Agent, platform: Platform) -> None:
        editor_agent.client.do("type_text_tool", text="first")
        editor_agent.key("Ctrl+Shift+N")
        editor_agent.window_opens("Untitled 2")
        [first] = [one for one in platform.windows.all() if "Untitled 1" in one.title]
        reply = editor_agent.do("find_elements", role="textbox")
        [handle] = [line.split('"')[1] for line in reply.splitlines() if ",first," in line]
        clicked = editor_agent.client.do("click_at", handle_id=handle)
        assert "Untitled 1" in clicked.fields["window"]
        active = platform.windows.active()
        assert active is not None
        assert active.id == first.id

    def test_in_gtk4(self, calculator: Agent) -> None:
        calculator.do("ax_press", title="Primary menu")
        calculator.menu_opens()
        calculator.do("click_at", title="Preferences", role="menuitem")
        calculator.window_opens("Preferences")
        assert is_covered(calculator.call("click_at", title="7", match="exact"), "the window 'Preferences'")

    @pytest.mark.parametrize(
        ("command", "keys", "role", "title"),
        [
            (("mousepad",), "ctrl+o", "menu", "Edit"),
            (("featherpad", "--standalone"), "ctrl+o", "menuitem", "Edit"),
            (("gtk4-widget-factory",), "F1", "tab", "Page 2"),
        ],
        ids=("gtk3", "qt", "gtk4"),
    )
    def test_a_dialog_beside_the_element_takes_its_clicks_all_the_same(
        self,
        seated: Client,
        applications: Applications,
        command: tuple[str, ...],
        keys: str,
        role: str,
        title: str,
    ) -> None:
        agent = Agent(seated, applications.start(*command).activate())
        windows = agent.application.platform.windows
        before = {one.id for one in windows.all()}
        agent.key(keys)
        eventually(lambda: (now := windows.active()) is not None and now.id not in before, what="the dialog")
        dialog = windows.active()
        assert dialog is not None
        move(applications.desktop, agent.application, 1850, 500)
        reply = agent.call("click_at", role=role, title=title, match="exact")
        assert reply.is_error
        assert f"is covered by the dialog {dialog.title!r}, which must be answered first" in reply
        agent.key("escape")
        eventually(lambda: dialog.id not in {one.id for one in windows.all()}, what="the end of the dialog")
        agent.do("click_at", role=role, title=title, match="exact")


class TestMenus:
    """And lists, of the same application."""

    def test_what_lies_under_an_open_menu_is_not_clicked(self, editor_agent: Agent) -> None:
        editor_agent.do("click_at", role="menu", title="Edit")
        editor_agent.menu_opens()
        assert is_covered(editor_agent.call("click_at", role="textbox"), "an open menu or list of Mousepad")
        editor_agent.do("click_at", role="menuitem", title="Select All")

    def test_what_lies_under_an_open_list_is_not_clicked(self, form_agent: Agent) -> None:
        form_agent.do("ax_press", title="Colour")
        form_agent.menu_opens()
        assert is_covered(form_agent.call("click_at", title="Press me"), "an open menu or list of form")
        form_agent.do("click_at", title="blue")
        eventually(lambda: form_agent.value(title="Colour") == "blue", what="the choice")

    def test_what_lies_under_a_menu_of_gtk4_is_not_clicked(self, calculator: Agent) -> None:
        calculator.do("ax_press", title="Primary menu")
        calculator.menu_opens()
        assert is_covered(calculator.call("click_at", title="9", match="exact"), "an open menu or list of Calculator")

    def test_a_click_beside_an_open_menu_says_that_it_may_only_have_closed_it(self, form_agent: Agent) -> None:
        form_agent.do("ax_press", title="Colour")
        form_agent.menu_opens()
        assert "a menu or list was open" in form_agent.do("click_at", title="Name").fields["warning"]
        assert "warning" not in form_agent.do("click_at", title="Name").fields

    def test_no_text_is_typed_into_a_menu(self, editor_agent: Agent) -> None:
        editor_agent.client.do("type_text_tool", text="kept")
        editor_agent.do("click_at", role="menu", title="Edit")
        editor_agent.menu_opens()
        refused = editor_agent.client.call("type_text_tool", text="Zebra")
        assert "error: a menu or list is open" in refused
        assert editor_agent.application.text() == "kept"

    def test_no_text_is_typed_into_a_menu_of_qt(self, qt: Agent) -> None:
        qt.do("click_at", role="textbox")
        qt.do("click_at", title="File", role="menuitem")
        qt.menu_opens()
        assert "error: a menu or list is open" in qt.client.call("type_text_tool", text="hello")
        assert len(qt.application.running.windows) == 1

    def test_an_entry_of_an_open_list_of_qt_is_clicked(self, qt: Agent) -> None:
        qt.do("ax_press", title="Preferences")
        qt.window_opens("Preferences")
        qt.do("click_at", title="Tab position")
        qt.menu_opens()
        eventually(lambda: not qt.call("click_at", title="South").is_error, what="the list")
        eventually(lambda: qt.value(title="Tab position") == "South", what="the choice")

    def test_a_choice_is_made_while_the_list_is_open_already(self, qt: Agent) -> None:
        qt.do("ax_press", title="Preferences")
        qt.window_opens("Preferences")
        qt.do("click_at", title="Tab position")
        qt.menu_opens()
        assert qt.do("ax_set_value", title="Tab position", value="West").fields["effect"] == "confirmed"
        qt.window_opens("Preferences")


def test_what_is_disabled_is_not_clicked(form_agent: Agent) -> None:
    assert "is disabled" in form_agent.call("click_at", title="Disabled")
    assert "is disabled" in form_agent.call("double_click_at", title="Disabled")


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_a_slider_takes_only_numbers(form_agent: Agent, number: str) -> None:
    assert "holds a number" in form_agent.call("ax_set_value", title="Volume", value=number)
    assert form_agent.value(title="Volume") == '"0"'


class TestWhatTakesAValue:
    """A row or group has the name of the field in it; the field is meant."""

    @pytest.fixture
    def preferences(self, calculator: Agent) -> Agent:
        calculator.do("ax_press", title="Primary menu")
        calculator.menu_opens()
        calculator.do("click_at", title="Preferences", role="menuitem")
        calculator.window_opens("Preferences")
        return calculator

    def test_a_number_in_a_row(self, preferences: Agent) -> None:
        reply = preferences.do("ax_set_value", title="Number of decimals", value=5)
        assert (reply.fields["role"], reply.fields["value"]) == ("spinbutton", '"5"')

    def test_a_box_in_a_row(self, preferences: Agent) -> None:
        reply = preferences.do("interact", title="Trailing zeroes", action="set_value", value="on")
        assert (reply.fields["role"], reply.fields["value"]) == ("checkbox", "checked")

    def test_a_choice_in_a_row_is_one_of_the_whole_list(self, preferences: Agent) -> None:
        refused = preferences.call("ax_set_value", title="Word size", value="77-bit")
        assert "'8-bit', '16-bit', '32-bit'" in refused
        windows = preferences.application.platform.windows
        eventually(lambda: not windows.popups(preferences.window), what="the list closed again")
        assert preferences.do("ax_set_value", title="Word size", value="32-bit").fields["effect"] == "unverified"


def test_the_rest_of_a_text_is_not_typed_into_a_window_that_comes_between(
    seated: Client, editor: Application, desktop: EmbeddedSession, platform: Platform
) -> None:
    with XWindow(desktop.environment, Rect(50, 50, 300, 100), title="meant") as meant:
        eventually(lambda: (now := platform.windows.active()) and now.id == meant.id, what="the window in front")
        number = seated.start_call("type_text_tool", text="w" * 20_000)
        eventually(lambda: meant.listen().keys, what="the first keys")
        editor.activate()
        [reply] = seated.replies([number])
        assert "took the keyboard in the middle of the text" in reply
        assert len(editor.text()) < 1000
