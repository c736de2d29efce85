"""Acting on elements of real applications: what was done, the way it went, and an honest word on what came of it."""

from collections.abc import Callable, Iterator

import pytest

from deskhand.desktop.elements import acting
from deskhand.desktop.elements.acting import Acted, Target
from deskhand.model.effect import Effect, Route
from deskhand.model.element import State
from deskhand.model.errors import BadArguments, Cancelled, NotPossible
from deskhand.model.geometry import Rect
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.x11.windows import X11Windows
from tests.support.applications import Application, Applications, eventually
from tests.support.looks import titles
from tests.support.x_window import XWindow

_SECONDS = 2.0


@pytest.fixture
def turn() -> Iterator[Turn]:
    turn = Turn()
    yield turn
    turn.close()


def _target(app: Application, role: str | None, title: str | None = None) -> Target:
    return Target(app.find(role, title), app.running)


def _said(app: Application) -> str:
    return app.find("label", "said:").title


# ---------------------------------------------------------------- pressing


def test_a_button_is_pressed_without_the_pointer(controls: Application, platform: Platform, turn: Turn) -> None:
    pointer, before = platform.pointer.position(), _said(controls)
    acted = acting.press(platform, _target(controls, "button", "Press me"), turn, _SECONDS)
    assert (acted.effect, acted.route) == (Effect.CONFIRMED, Route.ACCESSIBILITY)
    assert acted.element is not None
    assert acted.element.title == "Press me"
    eventually(lambda: _said(controls) != before, what="the press")
    assert platform.pointer.position() == pointer


@pytest.mark.parametrize("action", ["press", "Press", "AXPress", "click", "(action 0)", "AXConfirm", "AXPick"])
def test_pressing_goes_by_many_names(action: str, controls: Application, platform: Platform, turn: Turn) -> None:
    before = _said(controls)
    acted = acting.perform(platform, _target(controls, "button", "Press me"), action, turn, _SECONDS)
    assert acted.effect is Effect.CONFIRMED
    eventually(lambda: _said(controls) != before, what="the press")


def test_an_action_that_it_does_not_have_is_refused_with_those_it_has(
    controls: Application, platform: Platform, turn: Turn
) -> None:
    before = _said(controls)
    for action in ("explode", "(action 7)", "AXIncrement"):
        with pytest.raises(NotPossible, match="it offers: Click"):
            acting.perform(platform, _target(controls, "button", "Press me"), action, turn)
    assert _said(controls) == before


def test_a_disabled_control_is_refused(controls: Application, platform: Platform, turn: Turn) -> None:
    target = _target(controls, "button", "Disabled")
    acts: list[Callable[[], Acted]] = [
        lambda: acting.press(platform, target, turn),
        lambda: acting.focus(platform, target, turn),
        lambda: acting.set_value(platform, target, "x", turn),
    ]
    for act in acts:
        with pytest.raises(NotPossible, match="'Disabled' is disabled"):
            act()


def test_what_has_no_action_is_pressed_by_the_pointer(controls: Application, platform: Platform, turn: Turn) -> None:
    before = _said(controls)
    acted = acting.press(platform, _target(controls, "label", "Pad"), turn, _SECONDS)
    assert acted.route is Route.POINTER
    assert acted.effect is Effect.CONFIRMED
    eventually(lambda: _said(controls) != before, what="the click")
    assert _said(controls).endswith("left")


def test_a_menu_is_asked_for_by_the_right_button_where_there_is_no_action_for_it(
    controls: Application, platform: Platform, turn: Turn
) -> None:
    acted = acting.perform(platform, _target(controls, "label", "Pad"), "AXShowMenu", turn, _SECONDS)
    assert acted.route is Route.POINTER
    eventually(lambda: _said(controls).endswith("right"), what="the click")


def test_a_press_that_changes_nothing_says_so(controls: Application, platform: Platform, turn: Turn) -> None:
    target = _target(controls, "label", "words")
    # The first presses may move the pointer off a button, raise the window, or meet what an earlier test still paints.
    eventually(lambda: acting.press(platform, target, turn).effect is Effect.NO_CHANGE, what="a press of no effect")


def test_an_application_is_raised(applications: Applications, platform: Platform, turn: Turn) -> None:
    editor, other = applications.start("mousepad"), applications.start("xterm", accessible=False)
    other.activate()
    acted = acting.perform(platform, _target(editor, "textbox"), "AXRaise", turn)
    assert acted.effect is Effect.CONFIRMED
    assert editor.running.app.active


def test_an_action_that_opens_a_dialog_is_confirmed_by_its_window(
    applications: Applications, platform: Platform, turn: Turn
) -> None:
    for app, role, title in (
        (applications.start("mousepad"), "menuitem", "Open..."),
        (applications.start("featherpad", "--standalone"), "button", "Open"),
    ):
        acted = acting.press(platform, _target(app, role, title), turn, _SECONDS)
        assert (acted.effect, acted.route) == (Effect.CONFIRMED, Route.ACCESSIBILITY)
        eventually(lambda app=app: "Cancel" in titles(app, "button"), what="the dialog")  # type: ignore[misc]
        acted = acting.press(platform, _target(app, "button", "Cancel"), turn, _SECONDS)
        assert acted.effect is Effect.CONFIRMED
        eventually(lambda app=app: "Cancel" not in titles(app, "button"), what="no dialog")  # type: ignore[misc]


def test_a_gtk_4_button_is_pressed(applications: Applications, platform: Platform, turn: Turn) -> None:
    sums = applications.start("gnome-calculator")
    for title in ("4", "+", "3", "="):
        acted = acting.press(platform, _target(sums, "button", title), turn, _SECONDS)
        assert acted.effect is Effect.CONFIRMED
    eventually(lambda: sums.text().strip() == "7", what="the sum")


# ---------------------------------------------------------------- covered and minimised


def test_a_covered_element_is_uncovered_for_a_click(
    controls: Application, desktop: EmbeddedSession, platform: Platform, turn: Turn
) -> None:
    controls.activate()
    frame = controls.running.windows[0].frame
    with XWindow(desktop.environment, frame, title="above") as above:
        platform.windows.activate(above.id)
        before = _said(controls)
        acted = acting.press(platform, _target(controls, "label", "Pad"), turn, _SECONDS)
        assert (acted.effect, acted.route) == (Effect.CONFIRMED, Route.POINTER)
        eventually(lambda: _said(controls) != before, what="the click")


def test_what_stays_covered_is_not_clicked_and_the_blocker_is_named(
    controls: Application, desktop: EmbeddedSession, platform: Platform, turn: Turn
) -> None:
    frame = controls.activate().running.windows[0].frame
    before = _said(controls)
    with XWindow(desktop.environment, frame, title="the blocker") as above:
        above.stay_on_top()
        with pytest.raises(NotPossible, match="covered by the window 'the blocker'"):
            acting.press(platform, _target(controls, "label", "Pad"), turn)
        # Without the pointer it works all the same.
        assert acting.press(platform, _target(controls, "button", "Press me"), turn).effect is Effect.CONFIRMED
    eventually(lambda: _said(controls) != before, what="the press")
    assert _said(controls).endswith("pressed")


def test_a_minimised_application_comes_back_for_a_click(controls: Application, platform: Platform, turn: Turn) -> None:
    target = _target(controls.activate(), "label", "Pad")
    assert isinstance(platform.windows, X11Windows)
    platform.windows.minimize(controls.running.windows[0].id)
    eventually(lambda: controls.running.app.hidden, what="a minimised window")
    before = _said(controls)
    acted = acting.press(platform, Target(target.element, controls.running), turn, _SECONDS)
    assert acted.effect is Effect.CONFIRMED
    eventually(lambda: _said(controls) != before, what="the click")
    assert not controls.running.app.hidden


# ---------------------------------------------------------------- the keyboard


def test_an_element_gets_the_keyboard_and_its_window_comes_forward(
    controls: Application, desktop: EmbeddedSession, platform: Platform, turn: Turn
) -> None:
    for role, title in (("textbox", "Name"), ("textbox", "Note"), ("button", "Press me"), ("checkbox", "Agree")):
        with XWindow(desktop.environment, Rect(10, 10, 100, 100)) as other:
            platform.windows.activate(other.id)
            before = _said(controls)
            acted = acting.focus(platform, _target(controls, role, title), turn, _SECONDS)
            assert acted.effect is Effect.CONFIRMED
            assert acted.element is not None
            assert acted.element.focused
            assert controls.running.app.active
            assert _said(controls) == before  # nothing was pressed


def test_what_does_not_take_the_keyboard_is_refused(controls: Application, platform: Platform, turn: Turn) -> None:
    before = _said(controls)
    with pytest.raises(NotPossible, match="does not take the keyboard"):
        acting.focus(platform, _target(controls, "label", "words"), turn)
    assert _said(controls) == before


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("text", ["plain", "Grüße, 漢字 😀", "", "x" * 3000])
def test_the_text_of_a_field_is_set_and_read_back(
    text: str, controls: Application, platform: Platform, turn: Turn
) -> None:
    acted = acting.set_value(platform, _target(controls, "textbox", "Name"), text, turn, _SECONDS)
    assert (acted.effect, acted.route) == (Effect.CONFIRMED, Route.ACCESSIBILITY)
    assert platform.accessibility.text(controls.find("textbox", "Name").node) == text


def test_whether_a_password_has_arrived_is_not_claimed(controls: Application, platform: Platform, turn: Turn) -> None:
    acted = acting.set_value(platform, _target(controls, "textbox", "Password"), "open sesame", turn, _SECONDS)
    assert acted.effect is Effect.UNVERIFIED
    assert acted.element is not None
    assert acted.element.value == "(hidden)"


@pytest.mark.parametrize("text", ["null\0character", "half \ud800 character"])
def test_what_no_text_can_hold_is_refused(text: str, controls: Application, platform: Platform, turn: Turn) -> None:
    with pytest.raises(BadArguments):
        acting.set_value(platform, _target(controls, "textbox", "Name"), text, turn)
    assert controls.find("textbox", "Name").role == "textbox"


def test_what_takes_no_text_is_refused_and_nothing_is_typed(
    controls: Application, platform: Platform, turn: Turn
) -> None:
    field = controls.focus("textbox", "Name")
    acting.set_value(platform, Target(field, controls.running), "stays", turn)
    for role, title in (("button", "Press me"), ("label", "words")):
        with pytest.raises(NotPossible, match="does not take text"):
            acting.set_value(platform, _target(controls, role, title), "typed", turn)
    assert platform.accessibility.text(field.node) == "stays"


@pytest.mark.parametrize(("value", "state"), [("checked", True), ("ON", True), ("unchecked", False), ("false", False)])
def test_a_box_is_checked_and_unchecked(
    value: str, state: bool, controls: Application, platform: Platform, turn: Turn
) -> None:
    acted = acting.set_value(platform, _target(controls, "checkbox", "Agree"), value, turn, _SECONDS)
    assert acted.effect is Effect.CONFIRMED
    assert bool(controls.find("checkbox", "Agree").states & State.CHECKED) is state
    again = acting.set_value(platform, _target(controls, "checkbox", "Agree"), value, turn, _SECONDS)
    assert again.effect is Effect.CONFIRMED
    assert bool(controls.find("checkbox", "Agree").states & State.CHECKED) is state


def test_a_value_of_another_kind_is_refused(controls: Application, platform: Platform, turn: Turn) -> None:
    for role, title, value in (("checkbox", "Agree", "perhaps"), ("slider", "Volume", "loud")):
        with pytest.raises(BadArguments, match=value):
            acting.set_value(platform, _target(controls, role, title), value, turn)


def test_a_number_is_set_and_one_out_of_range_is_not_claimed(
    controls: Application, platform: Platform, turn: Turn
) -> None:
    acted = acting.set_value(platform, _target(controls, "slider", "Volume"), "42", turn, _SECONDS)
    assert acted.effect is Effect.CONFIRMED
    acted = acting.set_value(platform, _target(controls, "slider", "Volume"), "500", turn, _SECONDS)
    assert acted.effect is Effect.UNVERIFIED
    assert acted.element is not None
    assert acted.element.value == "100"


def test_a_choice_is_made_by_its_words(controls: Application, platform: Platform, turn: Turn) -> None:
    for value in ("green", "BLUE", "red"):
        acted = acting.set_value(platform, _target(controls, "combobox", "Colour"), value, turn, _SECONDS)
        assert acted.effect is Effect.CONFIRMED
        assert acted.element is not None
        assert acted.element.value == value.lower()
    with pytest.raises(NotPossible, match="'pink' is not a choice") as raised:
        acting.set_value(platform, _target(controls, "combobox", "Colour"), "pink", turn)
    assert "'red', 'green', 'blue'" in raised.value.recovery


def test_qt_fields_boxes_and_choices_are_set(applications: Applications, platform: Platform, turn: Turn) -> None:
    qt = applications.start("featherpad", "--standalone").activate()
    assert _set(qt, "textbox", None, "Grüße 漢字", turn).effect is Effect.CONFIRMED
    assert qt.text() == "Grüße 漢字"
    assert _set(qt, "checkbox", "Match Case", "checked", turn).effect is Effect.CONFIRMED
    acting.press(platform, _target(qt, "menuitem", "Preferences"), turn, _SECONDS)
    eventually(lambda: "Close" in titles(qt, "button"), what="the dialog")
    assert _set(qt, "combobox", "Tab position", "South", turn).effect is Effect.CONFIRMED
    assert qt.find("combobox", "Tab position").value == "South"


def _set(app: Application, role: str, title: str | None, value: str, turn: Turn) -> Acted:
    return acting.set_value(app.platform, _target(app, role, title), value, turn, _SECONDS)


# ---------------------------------------------------------------- stopped


def test_a_call_that_nobody_wants_any_more_does_nothing(controls: Application, platform: Platform, turn: Turn) -> None:
    before = _said(controls)
    target = _target(controls, "button", "Press me")
    turn.cancel()
    with pytest.raises(Cancelled):
        acting.press(platform, target, turn)
    assert _said(controls) == before
