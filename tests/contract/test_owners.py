"""Whose window gets what is pressed: its contents, its frame, its menus, and what no window manager knows."""

import os
from collections.abc import Iterator

import pytest

from deskhand.model.geometry import Point, Rect
from deskhand.model.window import Owner
from deskhand.platforms.base import Button, Platform
from tests.support.applications import Applications, eventually
from tests.support.own_desktops import OPENBOX, OwnDesktop, own_desktop
from tests.support.x_window import XWindow

_PLACE = Rect(200, 200, 300, 200)
_OURS = Owner(os.getpid(), ("xwindow", "XWindow"))


@pytest.fixture(scope="module", params=["xfwm4", "openbox", "no window manager"])
def any_desktop(request: pytest.FixtureRequest) -> Iterator[OwnDesktop]:
    """A desktop with each window manager, and with none."""
    commands = {"xfwm4": None, "openbox": OPENBOX, "no window manager": ()}
    with own_desktop(commands[request.param]) as own:
        yield own


@pytest.fixture
def window(any_desktop: OwnDesktop) -> Iterator[XWindow]:
    with XWindow(any_desktop.environment, _PLACE, title="ours") as window:
        eventually(lambda: [one.id for one in any_desktop.platform.windows.all()] == [window.id], what="the window")
        yield window


def under(platform: Platform, x: int, y: int) -> Owner | None:
    platform.pointer.move(Point(x, y))
    return platform.windows.before_a_press()[1]


def test_the_window_under_the_pointer_with_its_frame(any_desktop: OwnDesktop, window: XWindow) -> None:
    platform = any_desktop.platform
    (one,) = platform.windows.all()
    inside, frame = one.bounds.center, one.frame
    assert under(platform, inside.x, inside.y) == _OURS
    for y in range(frame.y + 2, one.bounds.y, 4):
        assert under(platform, frame.x + frame.width // 2, y) == _OURS
        assert under(platform, frame.x + frame.width - 8, y) == _OURS
    assert under(platform, 5, 5) is None


def test_the_one_in_front(any_desktop: OwnDesktop, window: XWindow) -> None:
    platform = any_desktop.platform
    assert platform.windows.activate(window.id)
    eventually(lambda: platform.windows.in_front() == _OURS, what="the keyboard")
    platform.pointer.move(Point(5, 5))
    if platform.windows.manager_name():
        assert platform.windows.before_a_press() == (_OURS, None)
    assert platform.windows.owner(window.id) == _OURS


def test_what_no_window_manager_manages(any_desktop: OwnDesktop, window: XWindow) -> None:
    with XWindow(any_desktop.environment, Rect(600, 500, 100, 50), title="popup", managed=False):
        eventually(lambda: under(any_desktop.platform, 620, 520) == _OURS, what="the popup")


def test_a_window_without_a_name_belongs_to_its_process(any_desktop: OwnDesktop, window: XWindow) -> None:
    with XWindow(any_desktop.environment, Rect(600, 500, 100, 50), title="popup", managed=False) as popup:
        for name in ("WM_CLASS", "_NET_WM_PID"):
            popup.server.core.DeleteProperty(popup.id, popup.server.atom(name))
        popup.server.sync()
        eventually(lambda: under(any_desktop.platform, 620, 520) == Owner(os.getpid(), ()), what="the popup")


def test_a_prompt_that_takes_the_keyboard_by_itself_is_in_front(any_desktop: OwnDesktop, window: XWindow) -> None:
    assert any_desktop.platform.windows.activate(window.id)
    with XWindow(any_desktop.environment, Rect(600, 500, 100, 50), title="prompt", managed=False) as prompt:
        prompt.set_text("WM_CLASS", "askpass\0Askpass\0")
        prompt.focus()
        prompt.server.sync()
        owner = Owner(os.getpid(), ("askpass", "Askpass"))
        assert eventually(lambda: any_desktop.platform.windows.in_front() == owner, what="the keyboard")


def test_what_has_gone_belongs_to_nobody(any_desktop: OwnDesktop) -> None:
    with XWindow(any_desktop.environment, _PLACE, title="gone") as window:
        eventually(lambda: any_desktop.platform.windows.all(), what="the window")
    assert any_desktop.platform.windows.owner(window.id) is None


def test_an_open_menu_belongs_to_its_application(applications: Applications, platform: Platform) -> None:
    editor = applications.start("mousepad").activate()
    file = editor.find("menu", "File").bounds
    assert file is not None
    platform.pointer.move(file.center)
    platform.pointer.click(Button.LEFT)
    item = eventually(lambda: editor.find("menuitem", "New").bounds, what="the menu")
    assert item is not None
    owner = eventually(lambda: under(platform, item.center.x, item.center.y), what="the menu's window")
    assert owner is not None
    assert owner.pid == editor.pid
    platform.pointer.move(file.center)
    platform.pointer.click(Button.LEFT)
