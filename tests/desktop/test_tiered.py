"""Tiers before every port, with real applications: xterm is clicked in, Firefox is looked at, an editor is used in full."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand.desktop import apps, clipboard, granting, keyboard, pointer, tiered
from deskhand.desktop.apps import Identity
from deskhand.desktop.gated import GatedAccessibility, GatedApps
from deskhand.guard.access import Access
from deskhand.guard.given import Flag, Given, GivenApp
from deskhand.guard.tier_lists import load_tiers
from deskhand.guard.tiers import Tier
from deskhand.model.clipboard import text_contents
from deskhand.model.errors import AmbiguousApp, NotGranted
from deskhand.model.geometry import Point, Rect
from deskhand.model.keys import Modifier, parse_chord
from deskhand.model.turn import Turn
from deskhand.platforms import base
from deskhand.platforms.base import Button, Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, Applications, eventually
from tests.support.form import PROGRAM
from tests.support.x_window import XWindow

_TIERS = load_tiers()


@pytest.fixture(scope="module")
def editor(lasting: Applications) -> Application:
    return lasting.start("mousepad")


@pytest.fixture(scope="module")
def terminal(lasting: Applications) -> Application:
    return lasting.start("xterm", "-geometry", "40x8+1300+700", accessible=False)


@pytest.fixture(scope="module")
def browser(lasting: Applications, tmp_path_factory: pytest.TempPathFactory) -> Application:
    profile = tmp_path_factory.mktemp("profile")
    page = Path(profile) / "page.html"
    page.write_text("<title>A page</title><input autofocus>")
    command = ("firefox", "--no-remote", "--profile", str(profile), "--new-window", page.as_uri())
    return lasting.start(*command, accessible=False, seconds=90)


@pytest.fixture
def access() -> Access:
    """What a new connection may use: nothing."""
    return Access(Given(), _TIERS)


@pytest.fixture
def ports(platform: Platform, access: Access) -> Iterator[Platform]:
    """The desktop as far as that is granted."""
    wrapped = tiered.tiered(platform, access)
    yield wrapped
    wrapped.pointer.release_all()
    wrapped.keyboard.release_all()


def granted(access: Access, app: Application, tier: Tier | None = None) -> Identity:
    """Grant an application, with the tier of the lists unless another is named."""
    identity = app.running.identity
    access.grant(identity.id, identity.name, tier or _TIERS.of(identity.names, identity.categories))
    return identity


def middle(app: Application) -> Point:
    app.activate()
    return app.running.windows[0].bounds.center


Deed = Callable[[Platform, Point], object]
_LEFT: Deed = lambda ports, at: pointer.click(ports, at)
_SCROLL: Deed = lambda ports, at: pointer.scroll(ports, at, 0, 1)
_RIGHT: Deed = lambda ports, at: pointer.click(ports, at, button=Button.RIGHT)
_MIDDLE: Deed = lambda ports, at: pointer.click(ports, at, button=Button.MIDDLE)
_SHIFTED: Deed = lambda ports, at: pointer.click(ports, at, modifiers=[Modifier.SHIFT])
_DRAG: Deed = lambda ports, at: pointer.drag(ports, at, Point(at.x + 9, at.y), Turn())
_TYPE: Deed = lambda ports, at: keyboard.type_text(ports, "x", Turn())
_KEY: Deed = lambda ports, at: keyboard.stroke(ports, parse_chord("x"))
_HOLD: Deed = lambda ports, at: ports.keyboard.press(parse_chord("shift"))
_NEEDS_CLICK = {"left click": _LEFT, "scroll": _SCROLL}
_NEEDS_FULL = {
    "right click": _RIGHT,
    "middle click": _MIDDLE,
    "a modifier held": _SHIFTED,
    "drag": _DRAG,
    "text": _TYPE,
    "a key": _KEY,
    "a key held": _HOLD,
}


def by_name(deeds: dict[str, Deed]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("deed", list(deeds.values()), ids=list(deeds))


class TestATerminal:
    """Is clicked and scrolled in."""

    def test_is_of_the_tier_click(self, terminal: Application, access: Access) -> None:
        identity = granted(access, terminal)
        assert access.tier_of(identity.names, identity.categories) is Tier.CLICK

    @by_name(_NEEDS_CLICK)
    def test_what_may_be_done(self, terminal: Application, ports: Platform, access: Access, deed: Deed) -> None:
        granted(access, terminal)
        deed(ports, middle(terminal))

    @by_name(_NEEDS_FULL)
    def test_what_may_not(self, terminal: Application, ports: Platform, access: Access, deed: Deed) -> None:
        granted(access, terminal)
        with pytest.raises(NotGranted) as caught:
            deed(ports, middle(terminal))
        assert "needs the tier full; it is granted with the tier click" in str(caught.value)
        assert not ports.pointer.held()

    @by_name(_NEEDS_FULL)
    def test_who_grants_more_gets_more(
        self, terminal: Application, ports: Platform, access: Access, deed: Deed
    ) -> None:
        granted(access, terminal, Tier.FULL)
        deed(ports, middle(terminal))


class TestABrowser:
    """Is looked at."""

    def test_is_of_the_tier_view(self, browser: Application, access: Access) -> None:
        identity = granted(access, browser)
        assert access.tier_of(identity.names, identity.categories) is Tier.VIEW

    @by_name(_NEEDS_CLICK | _NEEDS_FULL)
    def test_what_may_not_be_done(self, browser: Application, ports: Platform, access: Access, deed: Deed) -> None:
        granted(access, browser)
        at = middle(browser)
        with pytest.raises(NotGranted) as caught:
            deed(ports, at)
        assert "it is granted with the tier view" in str(caught.value)

    def test_the_pointer_moves_over_it(self, browser: Application, ports: Platform, access: Access) -> None:
        at = middle(browser)
        pointer.move(ports, at)
        assert ports.pointer.position() == at

    def test_it_is_brought_to_the_front(self, browser: Application, editor: Application, ports: Platform) -> None:
        editor.activate()
        with pytest.raises(NotGranted):
            apps.bring_forward(ports, browser.running)


class TestAnEditor:
    """Is used in full."""

    @by_name(_NEEDS_CLICK | _NEEDS_FULL)
    def test_what_may_be_done(self, editor: Application, ports: Platform, access: Access, deed: Deed) -> None:
        granted(access, editor)
        deed(ports, middle(editor))
        keyboard.stroke(ports, parse_chord("escape"))

    @by_name(_NEEDS_CLICK | _NEEDS_FULL)
    def test_not_before_it_is_granted(self, editor: Application, ports: Platform, deed: Deed) -> None:
        at = middle(editor)
        before = editor.text()
        with pytest.raises(NotGranted) as caught:
            deed(ports, at)
        assert "Mousepad" in str(caught.value)
        assert "request_access" in caught.value.recovery
        assert editor.text() == before

    def test_elements_too(self, editor: Application, ports: Platform, access: Access) -> None:
        node = editor.find("textbox").node
        with pytest.raises(NotGranted):
            ports.accessibility.insert_text(node, "y")
        granted(access, editor)
        assert ports.accessibility.insert_text(node, "y")

    def test_the_desktops_keys_need_their_own_grant(self, editor: Application, ports: Platform, access: Access) -> None:
        granted(access, editor)
        editor.activate()
        with pytest.raises(NotGranted):
            keyboard.stroke(ports, parse_chord("alt+F4"))
        with pytest.raises(NotGranted):
            pointer.click(ports, middle(editor), modifiers=[Modifier.SUPER])
        ports.keyboard.hold([Modifier.ALT])
        with pytest.raises(NotGranted):
            ports.keyboard.press(parse_chord("F4"))
        ports.keyboard.release_all()
        assert editor.running
        access.allow([Flag.SYSTEM_KEYS])
        keyboard.stroke(ports, parse_chord("alt+escape"))


class TestTheClipboard:
    """Each way has its grant, whoever asks the port; what typing borrows has none."""

    def test_nothing_is_read_or_written_without(self, ports: Platform, platform: Platform) -> None:
        platform.clipboard.write(text_contents("a secret"))
        for attempt in (ports.clipboard.read, ports.clipboard.contents):
            with pytest.raises(NotGranted, match="clipboardRead"):
                attempt()
        with pytest.raises(NotGranted, match="clipboardWrite"):
            ports.clipboard.write(text_contents("another"))
        assert platform.clipboard.read().text == "a secret"

    def test_each_grant_is_for_its_own_way(self, ports: Platform, platform: Platform, access: Access) -> None:
        access.allow([Flag.CLIPBOARD_WRITE])
        ports.clipboard.write(text_contents("written"))
        with pytest.raises(NotGranted, match="clipboardRead"):
            ports.clipboard.contents()
        access.allow([Flag.CLIPBOARD_READ])
        assert ports.clipboard.read().text == "written"

    def test_typing_borrows_it_and_puts_everything_back(
        self, editor: Application, ports: Platform, platform: Platform, access: Access
    ) -> None:
        granted(access, editor)
        before = {"UTF8_STRING": b"mine", "text/html": b"<i>mine</i>"}
        platform.clipboard.write(before)
        editor.focus()
        front = ports.windows.active()
        assert front is not None
        clipboard.paste(ports, "pasted words", front.id, parse_chord("ctrl+v"), Turn())
        eventually(lambda: "pasted words" in editor.text(), what="the text")
        assert platform.clipboard.contents() == before


class TestAnother:
    """What lies elsewhere than in front."""

    @pytest.fixture
    def other(self, applications: Applications) -> Application:
        return applications.start(sys.executable, PROGRAM, "Another")

    def test_a_click_reaches_what_lies_under_it(
        self, editor: Application, terminal: Application, ports: Platform, access: Access
    ) -> None:
        at = middle(terminal)
        granted(access, editor)
        editor.activate()
        with pytest.raises(NotGranted) as caught:
            pointer.click(ports, at)
        assert "in front" not in str(caught.value)
        granted(access, terminal)
        editor.activate()
        pointer.click(ports, at)
        eventually(lambda: terminal.running.app.active, what="the terminal in front")

    def test_one_in_front_that_is_not_granted_stops_all(
        self, editor: Application, terminal: Application, ports: Platform, access: Access
    ) -> None:
        at = middle(terminal)
        granted(access, terminal)
        editor.activate()
        with pytest.raises(NotGranted) as caught:
            pointer.click(ports, at)
        assert "Mousepad is in front and is not granted" in str(caught.value)
        assert "open_application" in caught.value.recovery

    def test_nothing_is_dropped_where_nothing_is_granted(
        self, editor: Application, terminal: Application, ports: Platform, access: Access
    ) -> None:
        there = middle(terminal)
        granted(access, editor)
        here = middle(editor)
        with pytest.raises(NotGranted) as caught:
            pointer.drag(ports, here, there, Turn())
        assert "dragging" in str(caught.value)
        assert not ports.pointer.held()
        window = terminal.running.windows[0]
        assert not window.frame.contains(ports.pointer.position())

    def test_one_that_comes_to_the_front_stops_a_text(
        self, editor: Application, other: Application, ports: Platform, access: Access
    ) -> None:
        granted(access, editor)
        editor.focus()
        front = ports.windows.active()
        assert front is not None

        def go_on() -> None:
            other.activate()

        with pytest.raises(NotGranted) as caught:
            ports.keyboard.type("z" * 300, front.id, go_on)
        assert "typing into" in str(caught.value)

    def test_one_that_is_called_like_what_runs_it_is_granted_alone(
        self, applications: Applications, ports: Platform, access: Access
    ) -> None:
        one, other = (applications.start(sys.executable, PROGRAM, title, "program=python3") for title in ("One", "Two"))
        identity = granting.identity_of(ports, str(one.pid))
        assert identity.id == granting.identity_of(ports, identity.id).id
        with pytest.raises(AmbiguousApp, match=r"\(process \d+\)"):
            granting.identity_of(ports, "python3")
        granted(access, one)
        one.activate()
        keyboard.stroke(ports, parse_chord("x"))
        other.activate()
        with pytest.raises(NotGranted, match=f"process {other.pid}"):
            keyboard.stroke(ports, parse_chord("x"))

    def test_its_name_is_shown_short_and_plain(
        self, applications: Applications, ports: Platform, platform: Platform
    ) -> None:
        odd = applications.start(sys.executable, PROGRAM, "Odd", "program=Do\u202ethis, now! " + "x" * 60)
        odd.activate()
        with pytest.raises(NotGranted) as caught:
            keyboard.stroke(ports, parse_chord("x"))
        name = str(caught.value).partition(" is in front")[0]
        assert len(name) <= 40
        assert name.startswith("Do this now xxx"), name


class TestTheDesktopItself:
    """Its pieces are no applications."""

    PLACE = Rect(1600, 20, 200, 60)

    @pytest.fixture
    def work(self, editor: Application, access: Access) -> None:
        """An agent works in the editor."""
        granted(access, editor)
        editor.activate()

    @pytest.mark.parametrize("kind", ["DOCK", "DESKTOP"])
    def test_they_need_no_grant(self, desktop: EmbeddedSession, work: None, ports: Platform, kind: str) -> None:
        with XWindow(desktop.environment, self.PLACE, kind=f"_NET_WM_WINDOW_TYPE_{kind}") as piece:
            pointer.click(ports, piece.place.center)
            assert piece.next_button()[:2] == (True, 1)

    def test_an_application_does(self, desktop: EmbeddedSession, work: None, ports: Platform) -> None:
        with XWindow(desktop.environment, self.PLACE) as window:
            with pytest.raises(NotGranted):
                pointer.click(ports, window.place.center)
            assert window.listen().buttons == []

    def test_an_application_that_also_draws_the_desktop_does(
        self, desktop: EmbeddedSession, work: None, ports: Platform
    ) -> None:
        with XWindow(desktop.environment, self.PLACE, kind="_NET_WM_WINDOW_TYPE_DOCK"):
            with XWindow(desktop.environment, Rect(1600, 300, 200, 60)), pytest.raises(NotGranted):
                pointer.click(ports, Point(1700, 330))

    def test_the_bare_screen_does_not(self, work: None, ports: Platform) -> None:
        pointer.click(ports, Point(5, 1070))


class TestEverything:
    """Granted all at once."""

    def test_it_is_used_in_full(self, editor: Application, platform: Platform) -> None:
        ports = tiered.tiered(platform, Access(Given(everything=True), _TIERS))
        for deed in _NEEDS_FULL.values():
            deed(ports, middle(editor))
            ports.keyboard.release_all()
            keyboard.stroke(ports, parse_chord("escape"))

    def test_one_named_ahead_by_any_of_its_names(self, editor: Application, platform: Platform) -> None:
        for word in ("mousepad", "org.xfce.Mousepad", "MOUSEPAD"):
            ports = tiered.tiered(platform, Access(Given((GivenApp(word),)), _TIERS))
            pointer.click(ports, middle(editor))


@pytest.mark.parametrize(
    ("port", "wrapped"),
    [
        (base.Pointer, tiered.TieredPointer),
        (base.Keyboard, tiered.TieredKeyboard),
        (base.Windows, tiered.TieredWindows),
        (base.Accessibility, GatedAccessibility),
        (base.Apps, GatedApps),
        (base.Clipboard, tiered.TieredClipboard),
    ],
)
def test_every_method_that_acts_is_wrapped(port: type, wrapped: type) -> None:
    """A new method of a port must be thought about: it looks, or it needs a grant."""
    harmless = {
        *(
            "position",
            "release",
            "release_all",
            "changes",
            "held",
            "check",
            "check_chord",
            "held_modifiers",
            "locks",
            "restore",
        ),
        *("all", "active", "in_front", "before_a_press", "owner", "arrangement", "popups", "wait_until_handled"),
        *("manager_name", "events", "installed", "lent", "wait_until_pasted"),
        *("apps", "tree", "search", "focused", "menu_bar", "shortcuts", "element", "lineage", "choices"),
        *("text", "offers", "glance", "windows", "listen", "sends"),
    }
    methods = {name for name in vars(port) if not name.startswith("_")}
    assert methods - harmless - set(vars(wrapped)) == set()
