"""Coordinates of the computer surface on several displays, before the first picture, and on a screen that changes."""

import contextlib
from collections.abc import Callable, Iterator

import pytest

from deskhand.model.geometry import Point, Rect, Size
from tests.support.applications import eventually
from tests.support.client import Client, session_of
from tests.support.own_desktops import OwnDesktop, own_desktop
from tests.support.seen import image
from tests.support.x_window import XWindow

_LEFT, _RIGHT = Rect(0, 300, 1280, 800), Rect(1280, 0, 1920, 1080)


@pytest.fixture(scope="module")
def two() -> Iterator[OwnDesktop]:
    """Two displays; the main one has another on its left, which begins lower."""
    with own_desktop((), Size(3200, 1100)) as own:
        own.show_on({"left": _LEFT, "right": _RIGHT}, main="right")
        yield own


@pytest.fixture
def one() -> Iterator[OwnDesktop]:
    """A desktop that the test may change."""
    with own_desktop((), Size(1600, 1200)) as own:
        yield own


@pytest.fixture
def serve() -> Iterator[Callable[..., Client]]:
    """Makes clients of servers of the computer surface on a desktop."""
    opened: list[Client] = []

    def make(own: OwnDesktop, *arguments: str) -> Client:
        client = Client("--surface", "computer", "--grant-all", *arguments, environment=session_of(own.environment))
        opened.append(client)
        client.initialize()
        return client

    yield make
    for client in opened:
        client.close()


def pointer(own: OwnDesktop) -> Point:
    return own.platform.pointer.position()


class TestSeveral:
    """A picture is of one display, and a point means a place on that."""

    def test_each_is_seen_and_reached(self, two: OwnDesktop, serve: Callable[..., Client]) -> None:
        client = serve(two)
        assert image(client.do("screenshot")).size == (1366, 768)
        client.do("mouse_move", coordinate=[683, 384])
        assert pointer(two) == (1280 + 960, 540)
        reply = client.do("switch_display", display="left")
        assert reply.startswith("Screenshots show display 1 (left), 1280x800 at 0,300.")
        assert image(client.do("screenshot")).size == (1280, 800)
        client.do("mouse_move", coordinate=[10, 20])
        assert pointer(two) == (10, 320)
        assert client.do("cursor_position") == "X=10,Y=20"
        assert client.call("mouse_move", coordinate=[1300, 20]).is_error
        assert client.do("switch_display", display=0).startswith("Screenshots show display 0 (right)")
        # Coordinates are those of the last picture, whichever display comes next.
        client.do("mouse_move", coordinate=[11, 20])
        assert pointer(two) == (11, 320)
        client.do("screenshot")
        assert client.do("cursor_position").endswith("(on another display than the screenshot's)")
        client.do("mouse_move", coordinate=[0, 0])
        assert pointer(two) == (1280, 0)

    def test_a_click_lands_on_the_display_of_the_picture(self, two: OwnDesktop, serve: Callable[..., Client]) -> None:
        client = serve(two)
        with XWindow(two.environment, Rect(100, 400, 200, 100)) as window:
            client.do("switch_display", display="1")
            client.do("screenshot")
            client.do("left_click", coordinate=[200, 150])
            assert window.listen().next_button()[:2] == (True, 1)
            assert pointer(two) == (200, 450)

    def test_auto_follows_the_windows(self, two: OwnDesktop, serve: Callable[..., Client]) -> None:
        client = serve(two)
        client.do("switch_display", display="left")
        assert "display 0 (right)" in client.do("switch_display", display="auto")

    def test_auto_follows_the_windows_of_what_is_granted(self) -> None:
        """One that is granted on the right, and two that are not on the left."""
        with own_desktop(None, Size(3200, 1100)) as own, contextlib.ExitStack() as stack:
            own.show_on({"left": _LEFT, "right": _RIGHT}, main="left")
            for at in (350, 600):
                stack.enter_context(XWindow(own.environment, Rect(100, at, 300, 200)))
            own.desktop.launch(["xterm", "-geometry", "40x8+2000+300"], {}, None)
            eventually(lambda: any(one.app == "XTerm" for one in own.platform.windows.all()), what="the terminal")
            for arguments, display in ((("--grant", "xterm"), "1 (right)"), (("--grant-all",), "0 (left)")):
                with Client("--surface", "computer", *arguments, environment=session_of(own.environment)) as client:
                    client.initialize()
                    assert f"display {display}" in client.do("switch_display", display="auto")

    def test_one_that_is_not_there(self, two: OwnDesktop, serve: Callable[..., Client]) -> None:
        reply = serve(two).call("switch_display", display="HDMI-7")
        assert reply.is_error
        assert "there is no display 'HDMI-7': display 0 is 1920x1080 at 1280,0, display 1 is 1280x800 at 0,300" in reply

    def test_absolute_coordinates_are_pixels_of_the_display(
        self, two: OwnDesktop, serve: Callable[..., Client]
    ) -> None:
        client = serve(two, "--coordinates", "absolute")
        assert image(client.do("screenshot")).size == (1920, 1080)
        client.do("mouse_move", coordinate=[1919, 1079])
        assert pointer(two) == (3199, 1079)
        assert "which is 1920x1080" in client.call("mouse_move", coordinate=[1920, 0])

    def test_a_size_can_be_wished_for(self, two: OwnDesktop, serve: Callable[..., Client]) -> None:
        client = serve(two, "--screenshot-size", "960x540")
        assert image(client.do("screenshot")).size == (960, 540)
        client.do("mouse_move", coordinate=[480, 270])
        assert pointer(two) == (1280 + 960, 540)


class TestBeforeAndAfter:
    """What coordinates mean without a picture, and when it is not true any more."""

    def test_before_the_first_picture_they_are_those_it_would_have(
        self, two: OwnDesktop, serve: Callable[..., Client]
    ) -> None:
        client = serve(two)
        client.do("mouse_move", coordinate=[683, 384])
        assert pointer(two) == (1280 + 960, 540)
        assert "which is 1366x768" in client.call("mouse_move", coordinate=[1366, 0])

    def test_a_display_that_was_resized_is_looked_at_again(self, one: OwnDesktop, serve: Callable[..., Client]) -> None:
        client = serve(one)
        one.show_on({"a": Rect(0, 0, 1600, 1200)})
        assert image(client.do("screenshot")).size == (1024, 768)
        one.forget_display("a")
        one.resize(Size(1000, 600))
        one.show_on({"a": Rect(0, 0, 1000, 600)})
        reply = client.call("left_click", coordinate=[10, 10])
        assert reply.is_error
        assert reply.startswith("the display a is 1000x600 at 0,0 now: coordinates of the last screenshot mean nothing")
        assert reply.endswith("take a screenshot first")
        assert image(client.do("screenshot")).size == (1000, 600)
        client.do("mouse_move", coordinate=[999, 599])
        assert pointer(one) == (999, 599)

    def test_one_that_has_gone_is_told(self, one: OwnDesktop, serve: Callable[..., Client]) -> None:
        client = serve(one)
        one.show_on({"a": Rect(0, 0, 800, 1200), "b": Rect(800, 0, 800, 1200)}, main="a")
        client.do("switch_display", display="b")
        client.do("screenshot")
        one.forget_display("b")
        assert client.call("mouse_move", coordinate=[5, 5]).startswith("the display b has gone: coordinates")
        assert "the display b is not there any more: display 0 is" in client.call("screenshot")
        client.do("switch_display", display="auto")
        client.do("screenshot")
        client.do("mouse_move", coordinate=[5, 5])
