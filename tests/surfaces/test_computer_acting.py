"""The actions of the computer surface on real applications, by the one tool and action by action."""

import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from deskhand.model.geometry import Rect, Size
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, Applications, eventually
from tests.support.client import Client, Reply
from tests.support.form import PROGRAM
from tests.support.person import Person
from tests.support.seen import image, images, in_picture, texts
from tests.support.x_window import XWindow

_SHOT = Size(1366, 768)


@dataclass
class Seat:
    """A client that sees a form by its picture."""

    client: Client
    form: Application
    editor: Application
    steps: Iterator[int] = field(default_factory=lambda: cycle(range(-180, 180, 15)))

    def at(self, title: str) -> list[int]:
        bounds = self.form.find(title=title).bounds
        assert bounds is not None
        return in_picture(bounds, _SHOT)

    def pad(self) -> list[int]:
        """A point of the form's pad, which is in front then; another each time, so that two clicks are not a double."""
        self.form.activate()
        bounds = self.form.find(title="Pad").bounds
        assert bounds is not None
        return in_picture(bounds.moved(next(self.steps), 0), _SHOT)

    def said(self) -> list[str]:
        return self.form.find("label", "said").title.removeprefix("said: ").split(", ")


@pytest.fixture(scope="module")
def seat(desktop: EmbeddedSession, platform: Platform) -> Iterator[Seat]:
    options = ("--surface", "computer", "--clicks-per-second", "0", "--grant-all")
    with Applications(desktop, platform) as applications:
        form = applications.start(sys.executable, PROGRAM, "A form")
        editor = applications.start("mousepad")
        with Client(*options, environment=desktop.environment) as client:
            client.initialize("2024-11-05")
            client.do("screenshot")
            yield Seat(client, form, editor)


@pytest.fixture(params=["tool", "composite"])
def do(request: pytest.FixtureRequest, seat: Seat) -> Any:
    """Does an action by the tool of its name, or by `computer`."""

    def by_tool(action: str, **arguments: Any) -> Reply:
        return seat.client.call(action, **arguments)

    def by_composite(action: str, **arguments: Any) -> Reply:
        return seat.client.call("computer", action=action, **arguments)

    return by_tool if request.param == "tool" else by_composite


class TestThePointer:
    """Clicks land where the picture shows their place."""

    @pytest.mark.parametrize(
        ("action", "arrives"),
        [("left_click", ["left"]), ("right_click", ["right"]), ("middle_click", ["middle"])],
    )
    def test_a_click(self, do: Any, seat: Seat, action: str, arrives: list[str]) -> None:
        point = seat.pad()
        reply = do(action, coordinate=point)
        assert not reply.is_error
        assert f"({point[0]}, {point[1]})" in reply
        assert "in 'A form'" in reply
        eventually(lambda: seat.said()[-1:] == arrives, what="the click")

    @pytest.mark.parametrize(("action", "arrives"), [("double_click", 1), ("triple_click", 1)])
    def test_several_clicks(self, do: Any, seat: Seat, action: str, arrives: int) -> None:
        point = seat.pad()
        do("left_click", coordinate=seat.pad(), text="ctrl")
        eventually(lambda: seat.said()[-1] == "ctrl+left", what="a mark")
        assert not do(action, coordinate=point).is_error
        presses = {"double_click": 2, "triple_click": 4}[action]  # GTK tells of the third twice
        eventually(
            lambda: (
                (since := seat.said()[::-1][: seat.said()[::-1].index("ctrl+left")]).count("left") == presses
                and since.count("double") == arrives
            ),
            what=action,
        )

    @pytest.mark.parametrize(("text", "arrives"), [("shift", "shift+left"), ("Ctrl+ALT", "ctrl+alt+left")])
    def test_modifiers_are_held(self, do: Any, seat: Seat, platform: Platform, text: str, arrives: str) -> None:
        do("left_click", coordinate=seat.pad(), text=text)
        eventually(lambda: seat.said()[-1] == arrives, what="the click")
        assert platform.keyboard.held_modifiers() == []

    def test_what_is_held_may_be_called_key(self, seat: Seat) -> None:
        seat.client.do("computer", action="left_click", coordinate=seat.pad(), key="shift")
        eventually(lambda: seat.said()[-1] == "shift+left", what="the click")

    def test_without_a_place_it_is_where_the_cursor_is(self, do: Any, seat: Seat) -> None:
        point = seat.pad()
        assert not do("mouse_move", coordinate=point).is_error
        assert do("cursor_position") == f"X={point[0]},Y={point[1]}"
        do("middle_click")
        eventually(lambda: seat.said()[-1] == "middle", what="the click")

    @pytest.mark.parametrize("direction", ["up", "down", "left", "right"])
    def test_the_wheel_turns_by_notches(self, do: Any, seat: Seat, direction: str) -> None:
        do("right_click", coordinate=seat.pad())
        eventually(lambda: seat.said()[-1] == "right", what="a mark")
        do("scroll", coordinate=seat.pad(), scroll_direction=direction, scroll_amount=5)
        eventually(lambda: seat.said()[-6:] == ["right", *[direction] * 5], what="the wheel")

    def test_no_notch_at_all_turns_nothing(self, do: Any, seat: Seat) -> None:
        do("middle_click", coordinate=seat.pad())
        eventually(lambda: seat.said()[-1] == "middle", what="a mark")
        assert not do("scroll", scroll_direction="down", scroll_amount=0).is_error
        do("right_click", coordinate=seat.pad())
        eventually(lambda: seat.said()[-2:] == ["middle", "right"], what="the click")

    def test_halves_of_pixels_are_taken(self, do: Any, seat: Seat) -> None:
        x, y = seat.pad()
        do("middle_click", coordinate=[x + 0.5, float(y)])
        eventually(lambda: seat.said()[-1] == "middle", what="the click")

    def test_a_drag_selects(self, do: Any, seat: Seat) -> None:
        seat.form.focus(title="Name")
        do("key", text="ctrl+a")
        do("type", text="words to drag over")
        bounds = seat.form.find(title="Name").bounds
        assert bounds is not None
        start = in_picture(Rect(bounds.x + 10, bounds.y, 2, bounds.height), _SHOT)
        end = in_picture(Rect(bounds.right - 12, bounds.y, 2, bounds.height), _SHOT)
        assert not do("left_click_drag", start_coordinate=start, coordinate=end).is_error
        do("type", text="gone")
        eventually(lambda: seat.form.find(title="Name").value == "gone", what="the drag")

    def test_a_drag_that_something_holds_back_is_let_go(
        self, do: Any, seat: Seat, desktop: EmbeddedSession, platform: Platform
    ) -> None:
        with XWindow(desktop.environment, Rect(600, 300, 200, 100), managed=False) as window:
            window.grab_pointer()
            reply = do("left_click_drag", start_coordinate=[450, 240], coordinate=[900, 240])
        assert reply.is_error
        assert "another program holds it (the button was let go on the way); " in reply
        with Person(desktop.environment) as person:
            assert person.buttons_down == 0

    def test_a_button_is_held_from_call_to_call(self, do: Any, seat: Seat) -> None:
        seat.form.focus(title="Note")
        do("key", text="ctrl+a")
        do("type", text="held down")
        bounds = seat.form.find(title="Note").bounds
        assert bounds is not None
        do("mouse_move", coordinate=in_picture(Rect(bounds.x + 10, bounds.y, 2, bounds.height), _SHOT))
        assert do("left_mouse_down") == "The left button is down."
        assert "is held down; let it go with left_mouse_up first" in do("left_click")
        assert "is held down" in do("left_mouse_down")
        do("mouse_move", coordinate=in_picture(Rect(bounds.right - 12, bounds.y, 2, bounds.height), _SHOT))
        assert do("left_mouse_up") == "The left button is up."
        assert do("left_mouse_up") == "The left button was up already."
        do("type", text="x")
        eventually(lambda: seat.form.find(title="Note").value == "x", what="the selection")


class TestTheKeyboard:
    """Text and keys arrive."""

    def test_text_arrives(self, do: Any, seat: Seat) -> None:
        seat.editor.focus()
        do("key", text="ctrl+a")
        assert not do("type", text="Grüße, 世界 🙂\nsecond line\ttab").is_error
        eventually(lambda: seat.editor.text() == "Grüße, 世界 🙂\nsecond line\ttab", what="the text")

    def test_text_that_leads_from_field_to_field_is_not_called_missing(self, do: Any, seat: Seat) -> None:
        """What agents fill forms with."""
        seat.form.focus(title="Name")
        do("key", text="ctrl+a Delete")
        start = time.monotonic()
        reply = do("type", text="Ada\tcounts\n")
        assert reply == "Typed 11 characters in 'A form'; look at what Enter or Tab has done."
        assert time.monotonic() - start < 0.8
        eventually(lambda: seat.form.find(title="Name").value == "Ada", what="the first field")
        eventually(lambda: seat.form.find(title="Note").value == "counts", what="the second field")

    def test_keys_go_one_after_the_other(self, do: Any, seat: Seat) -> None:
        seat.editor.focus()
        do("key", text="CTRL+a Delete")
        do("key", text="a", repeat=3)
        do("key", text="Left Left b RETURN")
        eventually(lambda: seat.editor.text() == "ab\naa", what="the keys")
        assert do("key", text="BackSpace", repeat=100).startswith("Pressed BackSpace 100 times")
        eventually(lambda: seat.editor.text() == "aa", what="the keys")

    def test_a_key_is_held(self, do: Any, seat: Seat, platform: Platform) -> None:
        seat.editor.focus()
        do("key", text="ctrl+a Delete")
        start = time.monotonic()
        assert do("hold_key", text="z", duration=1.2) == "Held z for 1.2 s."
        assert time.monotonic() - start >= 1.2
        eventually(lambda: seat.editor.text() != "", what="the key")
        assert set(seat.editor.text()) == {"z"}
        before = seat.editor.text()
        do("hold_key", text="shift+ctrl", duration=0)
        assert platform.keyboard.held_modifiers() == []
        assert seat.editor.text() == before

    def test_a_key_is_let_go_when_another_window_takes_the_keyboard(self, do: Any, seat: Seat) -> None:
        seat.editor.focus()
        do("key", text="ctrl+a Delete")
        number = seat.client.start_call("hold_key", text="z", duration=60)
        eventually(lambda: "z" in seat.editor.text(), what="the key")
        seat.form.activate()
        result = seat.client.answer(number)["result"]
        assert result["isError"]
        assert result["content"][0]["text"].startswith("the window 'A form' took the keyboard after ")
        assert set(seat.editor.text()) == {"z"}

    @pytest.mark.parametrize(
        ("action", "arguments", "words"),
        [
            ("key", {"text": "ctrl+foo+a"}, "text: 'foo' in 'ctrl+foo+a' is not a modifier"),
            ("key", {"text": "nokey"}, "text: there is no key called 'nokey'"),
            ("key", {"text": "a", "repeat": 101}, "repeat: "),
            ("hold_key", {"text": "a b", "duration": 1}, "text: only one group of keys"),
            ("hold_key", {"text": "a", "duration": 301}, "duration: "),
            ("wait", {"duration": -1}, "duration: "),
            ("type", {}, "Missing required parameter: text"),
            ("left_click", {"coordinate": [1]}, "coordinate: "),
            ("left_click", {"coordinate": ["a", 1]}, "coordinate.0: "),
            ("left_click", {"coordinate": [1, 1], "text": "x"}, "text: 'x' is not a modifier"),
            ("left_click", {"coordinate": [1366, 0]}, "(1366, 0) is outside the screenshot, which is 1366x768"),
            ("mouse_move", {"coordinate": [-1, 5]}, "(-1, 5) is outside the screenshot, which is 1366x768"),
            ("zoom", {"region": [0, 0, 1367, 10]}, "(1366, 9) is outside the screenshot"),
            ("zoom", {"region": [0, 0, 1366.5, 10]}, "(1366, 9) is outside the screenshot"),
            ("zoom", {"region": [10, 10, 10, 20]}, "region: it is empty"),
            ("scroll", {"scroll_direction": "in"}, "scroll_direction: "),
            ("scroll", {"scroll_direction": "up", "scroll_amount": -1}, "scroll_amount: "),
            ("screenshot", {"text": "x"}, "Unknown parameter: text"),
        ],
    )
    def test_what_is_wrong_is_said_in_words(self, do: Any, action: str, arguments: dict[str, Any], words: str) -> None:
        reply = do(action, **arguments)
        assert reply.is_error
        assert [block["type"] for block in reply.blocks] == ["text"]
        assert reply.startswith(words)
        assert "; " in reply


class TestThePicture:
    """What is seen."""

    def test_a_screenshot_is_one_picture(self, do: Any) -> None:
        reply = do("screenshot")
        assert [block["type"] for block in reply.blocks] == ["image"]
        assert reply.blocks[0]["mimeType"] == "image/jpeg"
        assert image(reply).size == _SHOT

    def test_it_can_be_kept(self, do: Any, kept: Path) -> None:
        reply = do("screenshot", save_to_disk=True)
        path = Path(reply.removeprefix("Saved to "))
        assert path.is_relative_to(kept)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert path.read_bytes()[:3] == b"\xff\xd8\xff"
        assert image(reply).size == _SHOT

    def test_a_zoom_shows_all_pixels_and_changes_no_coordinates(self, do: Any, seat: Seat) -> None:
        point = seat.pad()
        assert image(do("zoom", region=[0, 0, 683, 384])).size == pytest.approx((960, 540), abs=1)
        assert image(do("zoom", region=[0, 0, 1366, 768])).size == (1429, 804)
        do("middle_click", coordinate=point)
        eventually(lambda: seat.said()[-1] == "middle", what="the click")

    def test_a_wait_takes_its_time(self, do: Any) -> None:
        start = time.monotonic()
        assert do("wait", duration=0.4) == "Waited 0.4 s."
        assert time.monotonic() - start >= 0.4

    def test_an_act_can_be_observed(self, seat: Seat) -> None:
        before = image(seat.client.do("screenshot"))
        x, y = seat.at("Agree")
        seat.form.activate()
        was = seat.form.find(title="Agree").value
        reply = seat.client.do("computer", action="left_click", coordinate=[x - 60, y], observe="screenshot")
        assert [block["type"] for block in reply.blocks] == ["text", "image"]
        assert seat.form.find(title="Agree").value != was
        assert image(reply).size == before.size


class TestTheOneTool:
    """What only `computer` is asked."""

    def test_an_action_is_needed(self, seat: Seat) -> None:
        assert seat.client.call("computer").startswith("Missing required parameter: action; name one of screenshot, ")
        assert seat.client.call("computer", action="fly").startswith("action: 'fly' is not an action here; name one of")
        assert seat.client.call("computer", action=7).is_error
        assert seat.client.call("computer", action="wait", duration=0, observe="film").is_error
        reply = seat.client.call("computer", action="left_click", key="shift", text="ctrl")
        assert reply == "key: text says something else; give only one of them"


class TestAText:
    """What of it did not arrive."""

    @pytest.fixture
    def short(self, seat: Seat, applications: Applications) -> Application:
        """A form whose note takes 5 characters."""
        form = applications.start(sys.executable, PROGRAM, "A short form", "limit=5")
        form.focus("textbox", "Note")
        return form

    def test_what_a_field_does_not_take_is_named(self, seat: Seat, short: Application) -> None:
        reply = seat.client.do("type", text="abcdefgh")
        assert short.find(title="Note").value == "abcde"
        assert reply == "Only 5 of 8 characters are in the field in 'A short form': missing is 'fgh' at 5."
        assert "missing is 'z' at 0" in seat.client.do("type", text="z")


class TestABatch:
    """Several actions in one call."""

    def test_they_are_done_in_order_and_end_with_a_picture(self, seat: Seat) -> None:
        seat.form.activate()
        reply = seat.client.do(
            "computer_batch",
            actions=[
                {"action": "left_click", "coordinate": seat.at("Name")},
                {"action": "key", "text": "ctrl+a"},
                {"action": "type", "text": "Ada"},
                {"action": "key", "text": "Tab"},
                {"action": "type", "text": "Lovelace"},
            ],
        )
        assert [block["type"] for block in reply.blocks] == ["text"] * 5 + ["image"]
        assert texts(reply)[2] == "3 type: Typed 3 characters in 'A form'."
        assert seat.form.find(title="Name").value == "Ada"
        assert "Lovelace" in (seat.form.find(title="Note").value or "")

    def test_one_that_ends_with_a_picture_gets_no_other(self, seat: Seat) -> None:
        actions = [{"action": "wait", "duration": 0}, {"action": "screenshot"}]
        assert len(images(seat.client.do("computer_batch", actions=actions))) == 1

    def test_it_stops_at_the_first_failure(self, seat: Seat) -> None:
        seat.form.activate()
        reply = seat.client.call(
            "computer_batch",
            actions=[
                {"action": "middle_click", "coordinate": seat.pad()},
                {"action": "left_mouse_down"},
                {"action": "right_click", "coordinate": seat.pad()},
                {"action": "wait", "duration": 100},
                {"action": "key", "text": "Escape"},
            ],
        )
        seat.client.do("left_mouse_up")
        assert reply.is_error
        first, second, third, *rest = texts(reply)
        assert first.startswith("1 middle_click: Clicked")
        assert second == "2 left_mouse_down: The left button is down."
        assert third == "3 right_click: the left button is held down; let it go with left_mouse_up first"
        assert rest == ["Not executed: an earlier computer action in this turn failed."] * 2
        assert image(reply).size == _SHOT
        eventually(lambda: seat.said()[-2:] == ["middle", "left"], what="what came before the failure")

    @pytest.mark.parametrize(
        ("second", "words"),
        [
            ({"action": "fly"}, "actions.1: action: 'fly' is not an action here; none was done; "),
            ({"action": "type"}, "actions.1: Missing required parameter: text; none was done; "),
            ({"action": "key", "text": "a", "repeat": 0}, "actions.1: repeat: "),
            ({"action": "computer_batch", "actions": []}, "actions.1: action: 'computer_batch'"),
            ({"action": "wait", "duration": 0, "observe": "screenshot"}, "actions.1: observe: "),
            ({}, "actions.1: Missing required parameter: action"),
            ("screenshot", "actions.1: "),
            (
                {"action": "key", "text": "ctrl+nonsense"},
                "actions.1: text: there is no key called 'nonsense'; none was",
            ),
            ({"action": "hold_key", "text": "a b+c", "duration": 0}, "actions.1: text: 'b' in 'b+c' is not a modifier"),
            ({"action": "mouse_move", "coordinate": [5000, 5]}, "actions.1: (5000, 5) is outside the screenshot"),
            ({"action": "zoom", "region": [9, 9, 9, 9]}, "actions.1: region: it is empty; none was done; "),
            ({"action": "scroll", "scroll_direction": "up", "text": "a"}, "actions.1: text: 'a' is not a modifier"),
        ],
    )
    def test_it_is_read_whole_before_the_first(self, seat: Seat, second: Any, words: str) -> None:
        seat.client.do("right_click", coordinate=seat.pad())
        first = {"action": "left_click", "coordinate": seat.pad()}
        reply = seat.client.call("computer_batch", actions=[first, second])
        assert reply.is_error
        assert reply.startswith(words)
        seat.client.do("middle_click", coordinate=seat.pad())
        eventually(lambda: seat.said()[-2:] == ["right", "middle"], what="the click, and none before it")

    @pytest.mark.parametrize("count", [0, 101])
    def test_it_has_at_least_one_and_at_most_a_hundred(self, seat: Seat, count: int) -> None:
        reply = seat.client.call("computer_batch", actions=[{"action": "wait", "duration": 0}] * count)
        assert reply.is_error
        assert reply.startswith("actions: ")

    def test_a_hundred_are_done(self, seat: Seat) -> None:
        reply = seat.client.do("computer_batch", actions=[{"action": "wait", "duration": 0}] * 100)
        assert len(texts(reply)) == 100
