"""Acting on a web page: the page itself hears of it, and says so in its title."""

from collections.abc import Iterator

import pytest

from deskhand.desktop.elements import acting, looking
from deskhand.desktop.elements.acting import Acted, Target
from deskhand.model.effect import Effect, Route
from deskhand.model.element import Query, State
from deskhand.model.errors import NotPossible
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support import toolkits
from tests.support.applications import Application, Applications, eventually
from tests.support.looks import press
from tests.support.toolkits import Toolkit

_SECONDS = 1.0
_PAGE = "Order form"


@pytest.fixture(scope="module", params=[toolkits.CHROMIUM, toolkits.FIREFOX], ids=str)
def toolkit(request: pytest.FixtureRequest) -> Toolkit:
    toolkit: Toolkit = request.param
    return toolkit


@pytest.fixture(scope="module")
def browser(
    toolkit: Toolkit, desktop: EmbeddedSession, platform: Platform, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Application]:
    """A browser with the page, for all tests of this file."""
    with Applications(desktop, platform) as started:
        application = started.start(*toolkit.command(tmp_path_factory.mktemp(toolkit.name)), seconds=90)
        eventually(
            lambda: looking.find(platform, application.running, Query("button", "Press me"), 1).shown, seconds=60
        )
        yield application


@pytest.fixture(autouse=True)
def page(browser: Application) -> None:
    """The page as it is at first."""
    browser.activate()
    if not _title(browser).startswith(_PAGE):
        _reload(browser)
        eventually(lambda: _title(browser).startswith(_PAGE), seconds=30, what="the page")
    eventually(lambda: _visible(browser, "button", "Vanish"), seconds=30, what="its elements")


def _reload(browser: Application) -> None:
    assert press(browser, "button", "Reload")


@pytest.fixture
def turn() -> Iterator[Turn]:
    turn = Turn()
    yield turn
    turn.close()


def _title(browser: Application) -> str:
    return browser.running.windows[0].title


def _visible(browser: Application, role: str, title: str) -> bool:
    view = looking.find(browser.platform, browser.running, Query(role, title), limit=1)
    return bool(view.shown and view.shown[0].element.bounds)


def _target(browser: Application, role: str, title: str) -> Target:
    return Target(browser.find(role, title), browser.running)


def _set(browser: Application, role: str, title: str, value: str, turn: Turn) -> Acted:
    return acting.set_value(browser.platform, _target(browser, role, title), value, turn, _SECONDS)


def _page_says(browser: Application, words: str) -> None:
    eventually(lambda: _title(browser).startswith(words), what=f"{words!r} from the page")


def test_a_button_is_pressed(browser: Application, platform: Platform, turn: Turn) -> None:
    acted = acting.press(platform, _target(browser, "button", "Press me"), turn, _SECONDS)
    assert (acted.effect, acted.route) == (Effect.CONFIRMED, Route.ACCESSIBILITY)
    _page_says(browser, "pressed")


def test_a_link_is_followed(browser: Application, platform: Platform, turn: Turn) -> None:
    assert acting.press(platform, _target(browser, "link", "terms"), turn, _SECONDS).effect is Effect.CONFIRMED
    _page_says(browser, "at #read")


def test_a_button_that_only_takes_the_keyboard_has_not_done_its_work(
    browser: Application, platform: Platform, turn: Turn
) -> None:
    # The first time, Firefox builds parts of its tree.
    for _ in range(2):
        acting.focus(platform, _target(browser, "checkbox", "Gift wrap"), turn, _SECONDS)
        acted = acting.press(platform, _target(browser, "button", "Idle"), turn, _SECONDS)
    assert acted.element is not None
    assert (acted.element.focused, acted.effect is Effect.CONFIRMED) == (True, False)


def test_a_text_is_typed_over_the_old_one(browser: Application, turn: Turn) -> None:
    acted = _set(browser, "textbox", "Name", "Grüße 漢字", turn)
    assert (acted.effect, acted.route) == (Effect.CONFIRMED, Route.KEYBOARD)
    assert acted.element is not None
    assert acted.element.value == "Grüße 漢字"
    _page_says(browser, "name Grüße 漢字")


def test_a_password_is_typed_and_never_told(browser: Application, turn: Turn) -> None:
    acted = _set(browser, "textbox", "Password", "open sesame", turn)
    assert acted.effect is Effect.UNVERIFIED
    _page_says(browser, "secret of 11")
    assert "open sesame" not in str(looking.look(browser.platform, browser.running, full=True))
    assert browser.platform.accessibility.text(browser.find("textbox", "Password").node) is None


def test_a_box_is_checked(browser: Application, turn: Turn) -> None:
    for value, words in (("checked", "gift true"), ("unchecked", "gift false")):
        acted = _set(browser, "checkbox", "Gift wrap", value, turn)
        assert acted.effect is Effect.CONFIRMED
        _page_says(browser, words)


def test_a_radio_button_that_cannot_be_unchecked_is_not_said_to_be(browser: Application, turn: Turn) -> None:
    assert _set(browser, "radio", "Large", "checked", turn).effect is Effect.CONFIRMED
    assert browser.find("radio", "Small").value == "unchecked"
    acted = _set(browser, "radio", "Large", "unchecked", turn)
    assert acted.effect is not Effect.CONFIRMED
    assert browser.find("radio", "Large").value == "checked"


def test_a_choice_is_made_and_the_page_hears_of_it(browser: Application, turn: Turn) -> None:
    for value in ("Blue", "green"):
        acted = _set(browser, "combobox", "Colour", value, turn)
        assert acted.effect is Effect.CONFIRMED
        assert acted.element is not None
        assert acted.element.value == value.capitalize()
        _page_says(browser, f"colour {value.capitalize()}")
    with pytest.raises(NotPossible) as raised:
        _set(browser, "combobox", "Colour", "Pink", turn)
    assert "'Red', 'Green', 'Blue'" in raised.value.recovery


def test_numbers_are_set_and_the_page_hears_of_it(browser: Application, turn: Turn) -> None:
    assert _set(browser, "spinbutton", "Amount", "7", turn).effect is Effect.CONFIRMED
    _page_says(browser, "amount 7")
    assert _set(browser, "slider", "Volume", "75", turn).effect is Effect.CONFIRMED
    _page_says(browser, "volume 75")


def test_the_keyboard_goes_to_an_element(browser: Application, platform: Platform, turn: Turn) -> None:
    for role, title in (("textbox", "Notes"), ("button", "Press me"), ("combobox", "Colour")):
        acted = acting.focus(platform, _target(browser, role, title), turn, _SECONDS)
        assert acted.effect is Effect.CONFIRMED
        inside = browser.running.accessible
        assert inside is not None
        focused = platform.accessibility.focused(inside)
        assert focused is not None
        assert focused.title == title
    assert _title(browser).startswith(_PAGE)


def test_an_element_that_vanishes_by_its_own_action_is_told_as_gone(
    browser: Application, platform: Platform, turn: Turn
) -> None:
    acted = acting.press(platform, _target(browser, "button", "Vanish"), turn, _SECONDS)
    assert acted.effect is Effect.CONFIRMED
    eventually(lambda: not looking.find(platform, browser.running, Query("button", "Vanish"), 1).shown, what="its end")
    _reload(browser)


def test_what_is_scrolled_out_of_sight_is_found_and_pressed_but_has_no_place(
    browser: Application, platform: Platform, turn: Turn
) -> None:
    rows = looking.look(platform, browser.running, full=False).shown
    assert "Far below" not in [row.title for row in rows]
    far = browser.find("button", "Far below")
    assert far.bounds is None
    assert not far.states & State.SHOWING


def test_windows_that_are_not_on_the_screen_are_not_shown(browser: Application, platform: Platform) -> None:
    view = looking.look(platform, browser.running, full=False)
    assert [row.element.role for row in view.shown if row.depth == 0] == ["window"]
    assert [row.title for row in view.shown if row.element.role == "document"] == [_PAGE]


def test_a_first_look_is_complete(browser: Application, toolkit: Toolkit, desktop: EmbeddedSession) -> None:
    fresh = desktop.connect()
    app = Application(fresh, browser.pid, browser.name).running
    view = looking.look(fresh, app, full=False)
    fresh.close()
    found = {(row.element.role, row.title, row.element.value) for row in view.shown}
    assert ("textbox", "Name", "Ada") in found
    assert all(row.element.bounds for row in view.shown)
