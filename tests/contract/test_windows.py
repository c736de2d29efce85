"""What every list of windows must get right: all of them in order, the active one, and verified activation."""

import os
import signal
from collections.abc import Callable, Iterator

import pytest

from deskhand.desktop import keyboard, windows
from deskhand.model.errors import NotFound, NotPossible
from deskhand.model.geometry import Point, Rect
from deskhand.model.keys import parse_chord
from deskhand.model.window import Window, WindowKind
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, eventually
from tests.support.freezing import frozen
from tests.support.own_desktops import OPENBOX, OwnDesktop, own_desktop
from tests.support.x_window import XWindow

FIRST, SECOND = Rect(100, 120, 300, 200), Rect(250, 200, 320, 220)


@pytest.fixture(scope="module", params=["xfwm4", "openbox", "no window manager"])
def any_desktop(request: pytest.FixtureRequest) -> Iterator[OwnDesktop]:
    """A desktop with each window manager, and with none."""
    commands = {"xfwm4": None, "openbox": OPENBOX, "no window manager": ()}
    with own_desktop(commands[request.param]) as own:
        yield own


@pytest.fixture(scope="module", params=["xfwm4", "openbox"])
def managed(request: pytest.FixtureRequest) -> Iterator[OwnDesktop]:
    """A desktop with each window manager."""
    with own_desktop({"xfwm4": None, "openbox": OPENBOX}[request.param]) as own:
        yield own


@pytest.fixture
def first(any_desktop: OwnDesktop) -> Iterator[XWindow]:
    with XWindow(any_desktop.environment, FIRST, title="first ✓ 漢字") as window:
        listed(any_desktop.platform, window)
        yield window


@pytest.fixture
def second(any_desktop: OwnDesktop, first: XWindow) -> Iterator[XWindow]:
    with XWindow(any_desktop.environment, SECOND, title="second") as window:
        listed(any_desktop.platform, window)
        yield window


def found(platform: Platform, window: XWindow) -> Window | None:
    """The window as the port tells of it."""
    return next((one for one in platform.windows.all() if one.id == window.id), None)


def listed(platform: Platform, window: XWindow, fits: Callable[[Window], bool] = lambda _: True) -> Window:
    """The window as the port tells of it, once it is in the list and as it should be."""

    def look() -> Window | None:
        one = found(platform, window)
        return one if one is not None and fits(one) else None

    one = eventually(look, what="the window in the list")
    assert one is not None
    return one


def titles(platform: Platform) -> list[str]:
    return [window.title for window in platform.windows.all()]


# ---------------------------------------------------------------- all


def test_a_window_is_told_as_it_is(any_desktop: OwnDesktop, first: XWindow) -> None:
    window = found(any_desktop.platform, first)
    assert window is not None
    assert (window.title, window.app, window.pid) == ("first ✓ 漢字", "XWindow", os.getpid())
    assert window.bounds == first.place
    assert window.bounds.size == FIRST.size
    assert window.frame.intersection(window.bounds) == window.bounds
    assert (window.kind, window.minimized) == (WindowKind.NORMAL, False)


def test_windows_come_topmost_first(any_desktop: OwnDesktop, first: XWindow, second: XWindow) -> None:
    windows = any_desktop.windows
    assert windows.activate(second.id)
    assert titles(any_desktop.platform) == ["second", "first ✓ 漢字"]
    assert windows.activate(first.id)
    assert titles(any_desktop.platform) == ["first ✓ 漢字", "second"]


def test_hidden_helpers_and_popups_are_no_windows(any_desktop: OwnDesktop, first: XWindow) -> None:
    with XWindow(any_desktop.environment, Rect(0, 0, 10, 10), title="popup", managed=False):
        helper = XWindow(any_desktop.environment, Rect(0, 0, 10, 10), title="helper", shown=False)
        assert titles(any_desktop.platform) == ["first ✓ 漢字"]
        helper.close()


def test_a_new_title_is_told(any_desktop: OwnDesktop, first: XWindow) -> None:
    first.set_text("_NET_WM_NAME", "renamed", kind="UTF8_STRING")
    first.server.sync()
    assert titles(any_desktop.platform) == ["renamed"]


def test_a_title_from_before_unicode_is_read(any_desktop: OwnDesktop, first: XWindow) -> None:
    first.set_text("_NET_WM_NAME", "", kind="UTF8_STRING")
    first.set_text("WM_NAME", "Zürich", encoding="latin-1")
    first.server.sync()
    assert titles(any_desktop.platform) == ["Zürich"]


def test_a_dialog_is_told_as_one(any_desktop: OwnDesktop) -> None:
    with XWindow(any_desktop.environment, FIRST, title="ask", kind="_NET_WM_WINDOW_TYPE_DIALOG") as dialog:
        window = listed(any_desktop.platform, dialog)
        assert window.kind is WindowKind.DIALOG


# ---------------------------------------------------------------- active


def test_an_activated_window_is_active_and_has_the_keyboard(
    any_desktop: OwnDesktop, first: XWindow, second: XWindow
) -> None:
    for window in (first, second, first):
        assert any_desktop.platform.windows.activate(window.id)
        active = any_desktop.platform.windows.active()
        assert active is not None
        assert (active.id, active.active) == (window.id, True)
        assert [one.id for one in any_desktop.platform.windows.all() if one.active] == [window.id]
        keyboard.stroke(any_desktop.platform, parse_chord("a"))
        assert window.next_key()


def test_a_click_goes_to_the_window_that_was_activated(
    any_desktop: OwnDesktop, first: XWindow, second: XWindow
) -> None:
    in_both = Point(SECOND.x + 60, SECOND.y + 80)
    for window, other in ((first, second), (second, first)):
        assert any_desktop.platform.windows.activate(window.id)
        any_desktop.platform.pointer.move(in_both)
        any_desktop.platform.pointer.scroll(0, 1)
        assert window.next_button()
        assert other.listen().buttons == []


def test_a_window_that_has_gone_cannot_be_activated(any_desktop: OwnDesktop) -> None:
    window = XWindow(any_desktop.environment, FIRST)
    window.close()
    with pytest.raises(NotFound, match="that window has gone"):
        any_desktop.platform.windows.activate(window.id)


def test_a_window_that_takes_no_keyboard_is_not_said_to_have_it(managed: OwnDesktop) -> None:
    with XWindow(managed.environment, FIRST), XWindow(managed.environment, SECOND, takes_keyboard=False) as deaf:
        listed(managed.platform, deaf)
        active = managed.platform.windows.activate(deaf.id)
        has_it = (window := managed.platform.windows.active()) is not None and window.id == deaf.id
        assert active == has_it


def test_nothing_is_active_on_an_empty_desktop(any_desktop: OwnDesktop) -> None:
    eventually(lambda: any_desktop.platform.windows.active() is None, what="an empty desktop")
    assert not any_desktop.platform.windows.all()


# ---------------------------------------------------------------- minimise, close


def test_a_minimised_window_is_told_as_such_and_comes_back(managed: OwnDesktop) -> None:
    with XWindow(managed.environment, FIRST, title="away") as window:
        listed(managed.platform, window)
        managed.windows.minimize(window.id)
        listed(managed.platform, window, lambda one: one.minimized and not one.active)
        assert managed.platform.windows.activate(window.id)
        back = found(managed.platform, window)
        assert back is not None
        assert (back.minimized, back.active) == (False, True)


def test_a_window_on_another_workspace_is_brought_into_view(managed: OwnDesktop) -> None:
    with XWindow(managed.environment, FIRST, title="elsewhere") as window:
        listed(managed.platform, window)
        window.move_to_workspace(1)
        assert not listed(managed.platform, window, lambda one: one.workspace == 1).minimized
        eventually(lambda: not window.is_viewable, what="it being out of view")
        with pytest.raises(NotPossible, match="on another workspace"):
            managed.platform.screen.grab_window(window.id, lambda size: size)
        # No window is active now: what is shown is told by the workspace.
        assert windows.visible(managed.platform) == []
        assert windows.at(managed.platform, FIRST.center) is None
        assert managed.platform.windows.activate(window.id)
        eventually(lambda: window.is_viewable, what="it being in view")
        managed.show_workspace(0)


def test_a_window_closes_when_asked(any_desktop: OwnDesktop) -> None:
    window = XWindow(any_desktop.environment, FIRST, closes=True)
    listed(any_desktop.platform, window)
    any_desktop.windows.close(window.id)
    eventually(lambda: window.listen().asked_to_close, what="the wish to close")
    window.close()
    assert not any_desktop.platform.windows.all()


# ---------------------------------------------------------------- popups


def test_popups_of_the_same_program_are_told_and_no_others(any_desktop: OwnDesktop, first: XWindow) -> None:
    menu = Rect(300, 300, 80, 120)
    with (
        XWindow(any_desktop.environment, menu, managed=False, server=first.server),
        XWindow(any_desktop.environment, Rect(500, 300, 50, 50), managed=False),
    ):
        assert list(any_desktop.platform.windows.popups(first.id)) == [menu]
    assert list(any_desktop.platform.windows.popups(first.id)) == []


# ---------------------------------------------------------------- handled


def test_an_application_says_that_it_has_handled_everything(platform: Platform, editor: Application) -> None:
    assert platform.windows.wait_until_handled(editor.running.windows[0].id, 20)


def test_a_frozen_application_says_nothing(platform: Platform, editor: Application) -> None:
    window = editor.running.windows[0].id
    with frozen(editor.pid):
        assert not platform.windows.wait_until_handled(window, 0.5)
    assert platform.windows.wait_until_handled(window, 20)


def test_a_window_that_cannot_be_asked_says_nothing(any_desktop: OwnDesktop, first: XWindow) -> None:
    assert not any_desktop.platform.windows.wait_until_handled(first.id, 5)


# ---------------------------------------------------------------- the manager


def test_the_window_manager_is_named(desktop: EmbeddedSession, platform: Platform) -> None:
    assert platform.windows.manager_name() in ("Xfwm4", "Openbox")


def test_what_a_dead_window_manager_has_left_is_not_believed() -> None:
    with own_desktop(OPENBOX) as own:
        with XWindow(own.environment, FIRST, title="first") as first, XWindow(own.environment, SECOND) as second:
            listed(own.platform, second)
            os.kill(own.desktop.pids["window manager"], signal.SIGKILL)
            eventually(lambda: own.platform.windows.manager_name() is None, what="the manager's end")
            eventually(lambda: first.is_viewable, what="the window without a frame")
            assert own.platform.windows.activate(first.id)
            assert titles(own.platform)[0] == "first"
            active = own.platform.windows.active()
            assert active is not None
            assert active.id == first.id
