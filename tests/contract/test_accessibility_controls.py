"""Controls of real toolkits: read right, set without the pointer, and called as people call them."""

import pytest

from deskhand.desktop.elements import looking
from deskhand.model.element import Query, State
from deskhand.platforms.base import Platform
from tests.support.applications import Application, Applications, eventually
from tests.support.looks import key, press, titles

_WORDS = "Grüße, 漢字 😀 end"


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("fixture", ["controls", "factory", "qt"])
@pytest.mark.parametrize("text", ["plain words", _WORDS, "", "x" * 5000])
def test_a_field_takes_a_text_and_gives_it_back(fixture: str, text: str, request: pytest.FixtureRequest) -> None:
    app: Application = request.getfixturevalue(fixture)
    node = app.find("textbox", "Name" if fixture == "controls" else None).node
    accessibility = app.platform.accessibility
    assert accessibility.set_text(node, text)
    assert accessibility.text(node) == text
    value = accessibility.element(node).value
    assert value is not None
    assert value.startswith(text[:400])
    assert ("5000 characters" in value) == (len(text) == 5000)


@pytest.mark.parametrize("fixture", ["controls", "factory"])
def test_a_text_goes_in_where_the_caret_is(fixture: str, request: pytest.FixtureRequest) -> None:
    app: Application = request.getfixturevalue(fixture)
    node = app.find("textbox", "Name" if fixture == "controls" else None).node
    accessibility = app.platform.accessibility
    assert accessibility.set_text(node, "")
    assert accessibility.insert_text(node, "漢字")
    assert accessibility.insert_text(node, " and 😀")
    assert accessibility.insert_text(node, "!")
    assert accessibility.text(node) == "漢字 and 😀!"


def test_a_text_goes_in_place_of_what_is_selected(controls: Application, platform: Platform) -> None:
    field = controls.focus("textbox", "Name")
    assert platform.accessibility.set_text(field.node, "one two")
    key(platform, "ctrl+a")
    assert platform.windows.wait_until_handled(controls.running.windows[0].id, 10)
    assert platform.accessibility.insert_text(field.node, "three")
    assert platform.accessibility.text(field.node) == "three"


def test_qt_does_not_take_a_text_where_the_caret_is(qt: Application, platform: Platform) -> None:
    node = qt.find("textbox").node
    assert platform.accessibility.set_text(node, "stays")
    assert not platform.accessibility.insert_text(node, "gone")
    assert platform.accessibility.text(node) == "stays"


@pytest.mark.parametrize("fixture", ["controls", "factory"])
def test_a_password_is_never_told(fixture: str, request: pytest.FixtureRequest) -> None:
    app: Application = request.getfixturevalue(fixture)
    accessibility = app.platform.accessibility
    view = looking.look(app.platform, app.running, full=True, limit=2000)
    node = next(row.element.node for row in view.shown if row.element.native_role == "password text")
    assert accessibility.set_text(node, "open sesame")
    assert accessibility.text(node) is None
    assert accessibility.element(node).value == "(hidden)"
    for full in (False, True):
        view = looking.look(app.platform, app.running, full=full, limit=2000)
        assert "open sesame" not in str(view)
    assert "open sesame" not in str(accessibility.offers(node))


@pytest.mark.parametrize("fixture", ["controls", "factory"])
def test_a_slider_takes_a_number(fixture: str, request: pytest.FixtureRequest) -> None:
    app: Application = request.getfixturevalue(fixture)
    accessibility = app.platform.accessibility
    slider = app.find("slider")
    for number in (30.0, 70.0):
        assert accessibility.set_number(slider.node, number)
        assert accessibility.element(slider.node).value == f"{number:g}"


def test_a_spin_button_takes_a_number(factory: Application, platform: Platform) -> None:
    spin = factory.find("spinbutton")
    assert platform.accessibility.set_number(spin.node, 66)
    assert platform.accessibility.element(spin.node).value == "66"


def test_states_are_told_in_words(factory: Application) -> None:
    view = looking.look(factory.platform, factory.running, full=False)
    values = {(row.element.role, row.title, row.element.value, row.element.enabled) for row in view.shown}
    for enabled in (True, False):
        assert {("checkbox", "checkbutton", value, enabled) for value in ("checked", "unchecked", "mixed")} <= values
        assert ("button", "togglebutton", "pressed", enabled) in values
        assert ("button", "togglebutton", None, enabled) in values
    assert ("tab", "Page 1", "selected", True) in values
    assert ("tab", "Page 2", None, True) in values
    assert {"0.5", "2"} <= {row.element.value for row in view.shown if row.element.role in ("progressbar", "slider")}


def test_a_check_box_is_checked_by_its_action(controls: Application, platform: Platform) -> None:
    box = controls.find("checkbox", "Agree")
    for value in ("checked", "unchecked") if box.value == "unchecked" else ("unchecked", "checked"):
        assert platform.accessibility.perform(box.node, 0)
        eventually(lambda value=value: platform.accessibility.element(box.node).value == value)  # type: ignore[misc]


def test_the_choices_of_a_closed_combo_box_are_told(controls: Application, platform: Platform) -> None:
    box = controls.find("combobox", "Colour")
    choices = platform.accessibility.choices(box.node)
    assert [choice.title for choice in choices] == ["red", "green", "blue"]
    assert platform.accessibility.perform(choices[2].node, 0)
    eventually(lambda: platform.accessibility.element(box.node).value == "blue", what="the choice")
    assert platform.accessibility.element(box.node).title == "Colour"


def test_a_long_text_is_cut_in_the_tree_and_whole_when_read(factory: Application, platform: Platform) -> None:
    view = looking.look(platform, factory.running, full=False)
    row = next(row for row in view.shown if row.element.states & State.MULTI_LINE)
    text = platform.accessibility.text(row.element.node)
    assert text is not None
    assert len(text) > 400
    assert row.element.value == f"{text[:400]}… ({len(text)} characters)"


# ---------------------------------------------------------------- names


def test_a_field_is_called_as_its_author_called_it_and_a_description_is_beside(controls: Application) -> None:
    view = looking.find(controls.platform, controls.running, Query("textbox", description="what else"), limit=5)
    assert [(row.title, row.element.description) for row in view.shown] == [("Note", "what else there is to say")]


def test_an_icon_is_found_by_its_tooltip(qt: Application) -> None:
    assert qt.find("checkbox", "whole word").title == ""
    assert qt.find("checkbox", "Match Case").description == "Match Case (F5)"


def test_a_combo_box_is_called_by_its_label_and_holds_what_is_chosen(applications: Applications) -> None:
    editor = applications.start("mousepad")
    assert press(editor, "menuitem", "Open...")
    eventually(lambda: "Encoding" in titles(editor, "combobox"), what="the dialog")
    assert editor.find("combobox", "Encoding").value == "Default (UTF-8)"
