"""Menus and dialogs of real toolkits, and windows that move, are drawn larger, or look alike."""

import time
from sys import executable

import pytest

from deskhand.desktop import pointer
from deskhand.desktop.elements import looking
from deskhand.model.element import Query
from deskhand.model.geometry import Point
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support import form
from tests.support.applications import Application, Applications, eventually
from tests.support.looks import at_rest, click, key, press, press_without_waiting, titles
from tests.support.moving import move

_WORDS = "Grüße, 漢字 😀 end"


def test_the_menu_bar_is_told_with_closed_menus_and_shortcuts(applications: Applications) -> None:
    editor = applications.start("mousepad")
    view = looking.menus(editor.platform, editor.running)
    rows = {row.title: (row.depth, row.element.role, row.element.description) for row in view.shown}
    assert rows["File"] == (1, "menu", "")
    assert rows["Save"] == (2, "menuitem", "ctrl+s")
    assert rows["Save As..."] == (2, "menuitem", "ctrl+shift+s")
    assert rows["Quit"][0] == 2
    assert rows["Bookmark"][1] == "menuitem" if "Bookmark" in rows else True
    assert view.shown[0].element.role == "menubar"
    assert not view.warnings


def test_an_application_without_menus_has_no_menu_bar(controls: Application) -> None:
    assert looking.menus(controls.platform, controls.running).shown == ()


def test_items_of_closed_menus_are_found(applications: Applications) -> None:
    editor = applications.start("mousepad")
    visible = looking.look(editor.platform, editor.running, full=True)
    assert "Preferences..." not in [row.title for row in visible.shown]
    view = looking.find(editor.platform, editor.running, Query("menuitem", "preferences"), limit=5)
    assert [row.title for row in view.shown] == ["Preferences..."]
    many = looking.find(editor.platform, editor.running, Query("menuitem"), limit=5)
    assert len(many.shown) == 5
    assert many.total > 50
    assert many.truncated


def test_what_is_called_exactly_so_is_found_first(applications: Applications) -> None:
    editor = applications.start("mousepad")
    for title in ("Save", "save all", "Paste"):
        assert editor.find("menuitem", title).title.casefold() == title.casefold()


def test_a_menu_that_is_open_shows_its_items_where_they_are(qt: Application, platform: Platform) -> None:
    qt.activate()
    file = qt.find("menuitem", "File")
    pointer.click(platform, pointer.place_of(platform, file, qt.running))
    eventually(lambda: "Quit" in titles(qt, "menuitem"), what="the menu")
    edit = qt.find("menuitem", "Edit")
    assert edit.bounds is not None
    pointer.move(platform, edit.bounds.center)
    eventually(lambda: "Delete" in titles(qt, "menuitem"), what="the other menu")
    key(platform, "escape")
    eventually(lambda: "Delete" not in titles(qt, "menuitem"), what="no menu")


def test_a_context_menu_stands_by_itself(applications: Applications, platform: Platform) -> None:
    editor = applications.start("mousepad").activate()
    editor.focus()
    key(platform, "shift+f10")
    eventually(lambda: "Select All" in titles(editor, "menuitem"), what="the menu")
    view = looking.look(platform, editor.running, full=False)
    menu = next(index for index, row in enumerate(view.shown) if row.element.role == "menu" and row.depth == 0)
    items = view.shown[menu + 1 :]
    assert {row.depth for row in items} == {1}
    bounds = view.shown[menu].element.bounds
    assert bounds is not None
    assert all(row.element.bounds and row.element.bounds.intersection(bounds) == row.element.bounds for row in items)
    key(platform, "escape")


def test_the_menu_of_a_gtk_4_window_is_where_it_says_also_after_a_move(
    applications: Applications, desktop: EmbeddedSession, platform: Platform
) -> None:
    sums = applications.start("gnome-calculator").activate()
    for place, choice in (((400, 200), "Scientific"), ((900, 90), "Fixed")):
        move(desktop, sums, *place)
        click(sums, "button", "Primary menu")
        click(sums, "menuitemradio", choice)
        eventually(lambda: _no_menu(sums), what="no menu")
        click(sums, "button", "Primary menu")
        assert at_rest(sums, "menuitemradio", choice).value == "checked"
        key(platform, "escape")
        pointer.move(platform, Point(10, 10))  # away from the button, which would show its tooltip
        eventually(lambda: _no_menu(sums), what="no menu")


def _no_menu(app: Application) -> bool:
    return not titles(app, "menuitemradio") and not app.platform.windows.popups(app.running.windows[0].id)


# ---------------------------------------------------------------- dialogs


def test_a_gtk_3_application_goes_on_while_an_action_has_a_dialog_open(
    applications: Applications, platform: Platform
) -> None:
    editor = applications.start("mousepad").activate()
    assert platform.accessibility.set_text(editor.find("textbox").node, _WORDS)
    # Its answer may come only when the dialog is closed; and a key pressed meanwhile must not make it hang.
    start = time.monotonic()
    press_without_waiting(lambda: press(editor, "menuitem", "Save As..."))
    eventually(lambda: "Cancel" in titles(editor, "button"), what="the dialog")
    for chord in ("a", "b", "backspace"):
        key(platform, chord)
        assert platform.windows.wait_until_handled(editor.running.windows[0].id, 10)
        assert "Cancel" in titles(editor, "button")
    press_without_waiting(lambda: press(editor, "button", "Cancel"))
    eventually(lambda: "Cancel" not in titles(editor, "button"), what="no dialog")
    assert editor.text() == _WORDS
    assert time.monotonic() - start < 30


def test_a_qt_application_goes_on_while_an_action_has_a_dialog_open(qt: Application, platform: Platform) -> None:
    qt.activate()
    for _ in range(2):
        press_without_waiting(lambda: press(qt, "button", "Open"))
        eventually(lambda: "Cancel" in titles(qt, "button"), what="the dialog")
        key(platform, "a")
        eventually(lambda: qt.find("textbox", "File name").value == "a", what="typed text")
        press_without_waiting(lambda: press(qt, "button", "Cancel"))
        eventually(lambda: "Cancel" not in titles(qt, "button"), what="no dialog")


# ---------------------------------------------------------------- larger, and twice


@pytest.mark.parametrize("command", [(executable, form.PROGRAM, "Large"), ("gnome-calculator",)])
def test_places_are_right_where_everything_is_drawn_twice_as_large(
    command: tuple[str, ...], applications: Applications, platform: Platform
) -> None:
    app = applications.start(*command, environment={"GDK_SCALE": "2"}).activate()
    window = app.running.windows[0]
    if command[0] == "gnome-calculator":
        button = app.find("button", "7")
        pointer.click(platform, pointer.place_of(platform, button, app.running))
        eventually(lambda: app.text() == "7", what="the click")
    else:
        button = app.find("checkbox", "Agree")
        pointer.click(platform, pointer.place_of(platform, button, app.running))
        eventually(lambda: app.find("checkbox", "Agree").value == "checked", what="the click")
    assert button.bounds is not None
    assert button.bounds.intersection(window.frame) == button.bounds
    assert platform.accessibility.element(button.node).bounds == button.bounds


def test_two_gtk_4_windows_of_one_name_and_size_are_told_apart(
    applications: Applications, desktop: EmbeddedSession, platform: Platform
) -> None:
    sums = applications.start("gnome-calculator").activate()
    move(desktop, sums, 100, 100)
    key(platform, "ctrl+n")
    eventually(lambda: len(sums.running.windows) == 2, what="a second window")
    move(desktop, sums, 1200, 400)
    eventually(lambda: titles(sums, "button").count("7") == 2, what="both windows in the tree")
    view = looking.find(platform, sums.running, Query("button", "7", exact=True), limit=5)
    places = [row.element.bounds for row in view.shown]
    frames = [window.frame for window in sums.running.windows]
    for place in places:
        assert place is not None
        assert sum(place.intersection(frame) == place for frame in frames) == 1
    assert len(set(places)) == 2
    assert [platform.accessibility.element(row.element.node).bounds for row in view.shown] == places
