"""An agent that speaks the computer surface alone: it fills a page's form and saves a document, looking at each step.

It is told where things are, as a model would read it off the picture; what came of its acts the applications tell.
"""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from deskhand.desktop.elements import looking
from deskhand.model.element import Query
from deskhand.model.geometry import Rect, Size
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support import toolkits
from tests.support.applications import Application, Applications, eventually
from tests.support.client import Client
from tests.support.form import PROGRAM
from tests.support.seen import image, in_picture

_SHOT = Size(1366, 768)
_MOST_PICTURES = 60


class Agent:
    """What it sees, and what it does."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.seen: list[Image.Image] = [image(client.do("computer", action="screenshot"))]

    def look(self) -> None:
        """Take a picture."""
        self.seen.append(image(self.client.do("computer", action="screenshot")))

    def sees_still(self, app: Application, role: str, title: str) -> bool:
        """Whether an element stays where it is: a bar that comes late moves a whole page down."""
        before = place(app, role, title)
        self.client.do("computer", action="wait", duration=1)
        return place(app, role, title) == before

    def act(self, action: str, **arguments: object) -> str:
        """Do something and look; again where a browser on a busy machine has not begun to draw: it must change."""
        before = self.seen[-1]
        reply = self.client.do("computer", action=action, observe="screenshot", **arguments)
        self.seen.append(image(reply))
        while not _differ(before, self.seen[-1]):
            assert len(self.seen) < _MOST_PICTURES, (action, reply)
            self.client.do("computer", action="wait", duration=0.1)
            self.look()
        return reply


def _differ(before: Image.Image, after: Image.Image) -> bool:
    changed = ImageChops.difference(before.convert("L"), after.convert("L")).point(lambda shade: shade > 16)
    return changed.getbbox() is not None


@pytest.fixture
def agent(desktop: EmbeddedSession) -> Iterator[Agent]:
    with Client("--surface", "computer", "--grant-all", environment=desktop.environment) as client:
        client.initialize("2024-11-05")
        yield Agent(client)


def place(app: Application, role: str, title: str) -> list[int]:
    """Where an element is in the picture."""
    bounds = app.find(role, title).bounds
    assert bounds is not None
    return in_picture(bounds, _SHOT)


def text_of(app: Application, title: str) -> str | None:
    """The whole text of a field."""
    return app.platform.accessibility.text(app.find("textbox", title).node)


@pytest.mark.parametrize("toolkit", [toolkits.CHROMIUM, toolkits.FIREFOX], ids=str)
def test_a_form_in_a_browser_is_filled(
    agent: Agent, applications: Applications, tmp_path: Path, toolkit: toolkits.Toolkit
) -> None:
    browser = applications.start(*toolkit.command(tmp_path), seconds=60)
    query = Query("textbox", "Name")
    eventually(lambda: looking.find(browser.platform, browser.running, query, 1).shown, seconds=60, what="the page")
    browser.activate()
    eventually(lambda: agent.sees_still(browser, "textbox", "Name"), what="a page that stays where it is")
    agent.look()

    agent.act("triple_click", coordinate=place(browser, "textbox", "Name"))
    agent.act("type", text="Grace Hopper")
    eventually(lambda: browser.find("textbox", "Name").value == "Grace Hopper", what="the name")

    agent.act("left_click", coordinate=place(browser, "checkbox", "Gift wrap"))
    eventually(lambda: browser.find("checkbox", "Gift wrap").value == "checked", what="the mark")

    agent.act("triple_click", coordinate=place(browser, "spinbutton", "Amount"))
    agent.act("type", text="7")
    eventually(
        lambda: browser.find("spinbutton", "Amount").value == "7",
        what=f"the amount {browser.find('spinbutton', 'Amount')}",
    )

    agent.act("left_click", coordinate=place(browser, "textbox", "Notes"))
    agent.client.do("key", text="ctrl+End")
    agent.act("type", text="\nsecond line")
    eventually(lambda: text_of(browser, "Notes") == "line one\nsecond line", what="the notes")

    agent.act("left_click", coordinate=place(browser, "button", "Press me"))
    eventually(lambda: any("pressed" in one.title for one in browser.running.windows), what="the button")

    agent.act("scroll", scroll_direction="down", scroll_amount=100)
    eventually(lambda: browser.find("button", "Far below").bounds, what="the end of the page")


def test_a_document_is_written_and_saved(agent: Agent, applications: Applications, tmp_path: Path) -> None:
    editor = applications.start("mousepad")
    editor.activate()
    agent.look()
    agent.act("left_click", coordinate=place(editor, "textbox", ""))
    agent.act("type", text="Dear Ada,\n\n\tthe engine works: ½ + ½ = 1 🙂\n")
    agent.act("key", text="ctrl+shift+s")
    path = tmp_path / "letter.txt"
    name = [{"action": "key", "text": "ctrl+a"}, {"action": "type", "text": str(path)}]
    assert image(agent.client.do("computer_batch", actions=name)).size == _SHOT
    # The dialog looks into the folder first; its button is grey until then.
    eventually(lambda: editor.find("button", "Save").enabled, what="the button")
    agent.act("key", text="Return")
    eventually(path.exists, what="the file")
    assert path.read_text(encoding="utf-8") == "Dear Ada,\n\n\tthe engine works: ½ + ½ = 1 🙂\n"
    eventually(lambda: "letter.txt" in editor.running.windows[0].title, what="the title")


def test_a_browser_opens_on_a_desktop_of_ones_own_without_a_question() -> None:
    """Where a keyring is installed, Chromium would have it ask for a new password before it shows anything."""
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed")
    with Client("--embedded", "1366x768", "--surface", "computer") as client:
        client.initialize("2024-11-05")
        said = client.do("open_application", app="chromium")
        assert said.endswith(" was started and is in front.")
        client.do("computer", action="key", text="ctrl+l", observe="screenshot")
        assert client.do("key", text="Escape").endswith("Chromium'.")


class TestAtTwiceTheSize:
    """Applications that draw everything twice as large: a click lands on the pixel that the picture shows."""

    def test_gtk(self, agent: Agent, applications: Applications) -> None:
        form = applications.start(sys.executable, PROGRAM, "Large", environment={"GDK_SCALE": "2"})
        form.activate()
        window = form.running.windows[0].bounds
        assert window.width >= 840, "it is not drawn twice as large"
        agent.look()
        pad = Rect(window.x + window.width // 2, window.bottom - 60, 2, 2)
        agent.act("left_click", coordinate=in_picture(pad, _SHOT))
        eventually(lambda: form.find("label", "said").title == "said: left", what="the click")

    def test_qt(self, agent: Agent, applications: Applications) -> None:
        editor = applications.start("featherpad", "--standalone", environment={"QT_SCALE_FACTOR": "2"})
        editor.activate()
        agent.look()
        agent.act("key", text="ctrl+f")
        window = editor.running.windows[0].bounds
        agent.act("left_click", coordinate=in_picture(window, _SHOT))
        agent.act("type", text="written in the middle")
        eventually(lambda: editor.text("textbox") == "written in the middle", what="the text")
