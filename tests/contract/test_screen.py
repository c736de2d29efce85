"""What every screen must get right: each pixel in its place, scaled or not, covered or not, and every change told."""

import io
import os
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from deskhand.desktop.screen import capture, coordinates
from deskhand.model.errors import NotFound, NotPossible, OffScreen
from deskhand.model.geometry import Point, Rect, Size
from deskhand.model.image import Capture, Picture
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.shared_memory import PixelReader
from deskhand.platforms.x11.windows import X11Windows
from tests.support.applications import eventually
from tests.support.own_desktops import OwnDesktop, own_desktop
from tests.support.pixels import colour_at, colours_in, differing
from tests.support.x_window import XWindow

RED, GREEN, BLUE, WHITE, BLACK, GREY = 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFFFF, 0x000000, 0x123456
PLACE = Rect(200, 150, 360, 240)
BLOCK = 60
"""The painted window is a board of squares this large, each of a colour of its own."""
AWAY = Point(1800, 1000)


def board_colour(column: int, row: int) -> int:
    """The colour of a square of the board."""
    return 0x20 + column * 0x28 << 16 | 0x20 + row * 0x30 << 8 | 0x40 + (column + row) % 3 * 0x40


BOARD = [
    (Rect(column * BLOCK, row * BLOCK, BLOCK, BLOCK), board_colour(column, row))
    for column in range(6)
    for row in range(4)
]


def painted(desktop: EmbeddedSession, managed: bool, title: str = "board") -> XWindow:
    window = XWindow(desktop.environment, PLACE, title=title, managed=managed)
    window.keep(BOARD)
    return window


@pytest.fixture
def board(desktop: EmbeddedSession, platform: Platform) -> Iterator[XWindow]:
    """A window with the board on it, exactly at its place and on top of all."""
    platform.pointer.move(AWAY)
    with painted(desktop, managed=False) as window:
        yield window


@pytest.fixture
def framed(desktop: EmbeddedSession, platform: Platform) -> Iterator[XWindow]:
    """A window with the board on it, with a frame around it."""
    platform.pointer.move(AWAY)
    with painted(desktop, managed=True) as window:
        yield window


# ---------------------------------------------------------------- the screen


def test_a_part_of_the_screen_is_right_pixel_by_pixel(board: XWindow, platform: Platform) -> None:
    grabbed = platform.screen.grab(PLACE)
    assert (grabbed.size, grabbed.source) == (PLACE.size, PLACE)
    wrong = [
        (x, y)
        for y in range(PLACE.height)
        for x in range(PLACE.width)
        if colour_at(grabbed, x, y) != board_colour(x // BLOCK, y // BLOCK)
    ]
    assert wrong == []


@pytest.mark.parametrize("pointer", [True, False])
def test_a_part_begins_exactly_where_it_was_asked_to(pointer: bool, board: XWindow, platform: Platform) -> None:
    grabbed = platform.screen.grab(Rect(PLACE.x + 59, PLACE.y + 119, 2, 2), pointer=pointer)
    assert [colour_at(grabbed, x, y) for y in (0, 1) for x in (0, 1)] == [
        board_colour(0, 1),
        board_colour(1, 1),
        board_colour(0, 2),
        board_colour(1, 2),
    ]


def test_the_whole_screen_holds_the_same_pixels_as_its_parts(board: XWindow, platform: Platform) -> None:
    size = platform.screen.size()
    assert size == Size(1920, 1080)
    whole = platform.screen.grab(Rect(0, 0, *size))
    assert whole.size == size
    assert len(whole.pixels) == 1920 * 1080 * 4
    for column, row in ((0, 0), (5, 3), (3, 1)):
        x, y = PLACE.x + column * BLOCK + 30, PLACE.y + row * BLOCK + 30
        assert colour_at(whole, x, y) == board_colour(column, row)


@pytest.mark.parametrize("scale", [1.5, 2, 3, 5])
def test_a_smaller_picture_has_each_colour_in_its_place(scale: float, board: XWindow, platform: Platform) -> None:
    size = Size(round(PLACE.width / scale), round(PLACE.height / scale))
    grabbed = platform.screen.grab(PLACE, size)
    assert (grabbed.size, grabbed.source) == (size, PLACE)
    block = round(BLOCK / scale)
    wrong = [
        (x, y)
        for y in range(size.height)
        for x in range(size.width)
        if 0 < x % block < block - 1 and 0 < y % block < block - 1
        if colour_at(grabbed, x, y) != board_colour(x // block, y // block)
    ]
    assert wrong == []


@pytest.mark.parametrize("scale", [1.5, 2, 3, 4])
def test_no_thin_line_is_lost_in_a_smaller_picture(scale: float, board: XWindow, platform: Platform) -> None:
    size = Size(round(120 / scale), round(120 / scale))
    for shift in range(6):
        board.paint(Rect(0, 0, 120, 120), WHITE)
        board.paint(Rect(60 + shift, 0, 1, 120), BLACK)
        grabbed = platform.screen.grab(Rect(PLACE.x, PLACE.y, 120, 120), size)
        # A line of one pixel takes a pixel's share of the light, whatever its place.
        light = sum(colour_at(grabbed, x, 5) & 0xFF for x in range(size.width)) / 255
        assert size.width - light == pytest.approx(1 / scale, abs=0.3 / scale)


def test_a_picture_of_another_shape_is_squeezed_as_asked(board: XWindow, platform: Platform) -> None:
    grabbed = platform.screen.grab(PLACE, Size(6, 240))
    for column in range(6):
        assert is_like(colour_at(grabbed, column, 30), board_colour(column, 0), within=16)


def is_like(colour: int, other: int, within: int) -> bool:
    """Whether two colours are nearly the same."""
    return all(abs((colour >> shift & 0xFF) - (other >> shift & 0xFF)) <= within for shift in (0, 8, 16))


def test_pixels_come_over_without_shared_memory_too(board: XWindow, desktop: EmbeddedSession) -> None:
    class FarServer(XServer):
        """A server on another machine, as far as memory is concerned."""

        def has_extension(self, module: object) -> bool:
            return False

    near, far = XServer(desktop.environment), FarServer(desktop.environment)
    part = (near.root, PLACE.x + 50, PLACE.y + 50, 33, 21)
    assert bytes_without_unused(PixelReader(far).read(*part)) == bytes_without_unused(PixelReader(near).read(*part))
    near.close()
    far.close()


def bytes_without_unused(pixels: bytes) -> list[bytes]:
    return [pixels[at : at + 3] for at in range(0, len(pixels), 4)]


# ---------------------------------------------------------------- the pointer


@pytest.mark.parametrize("at", [Point(250, 200), Point(PLACE.x + 353, PLACE.y + 235)])
def test_the_pointer_is_drawn_where_it_points(at: Point, board: XWindow, platform: Platform) -> None:
    board.show_pointer_as(RED, 16)
    platform.pointer.move(at)
    without, drawn = platform.screen.grab(PLACE, pointer=False), platform.screen.grab(PLACE)
    square = Rect(at.x - PLACE.x, at.y - PLACE.y, 16, 16).intersection(Rect(0, 0, *PLACE.size))
    assert differing(without, drawn) == {
        Point(x, y) for x in range(square.x, square.right) for y in range(square.y, square.bottom)
    }
    assert colours_in(drawn, square) == {RED}


def test_the_pointer_shrinks_with_the_picture(board: XWindow, platform: Platform) -> None:
    board.show_pointer_as(RED, 16)
    platform.pointer.move(Point(PLACE.x + 100, PLACE.y + 80))
    drawn = platform.screen.grab(PLACE, Size(180, 120))
    assert colours_in(drawn, Rect(51, 41, 6, 6)) == {RED}
    assert RED not in colours_in(drawn, Rect(60, 40, 20, 20)) | colours_in(drawn, Rect(30, 40, 19, 20))


def test_a_pointer_outside_of_the_part_is_not_drawn(board: XWindow, platform: Platform) -> None:
    platform.pointer.move(Point(PLACE.x - 40, PLACE.y - 40))
    assert differing(platform.screen.grab(PLACE, pointer=False), platform.screen.grab(PLACE)) == set()


# ---------------------------------------------------------------- windows


def unshrunk(size: Size) -> Size:
    return size


def is_board_at(grabbed: Capture, left: int, top: int) -> bool:
    """Whether the board is in the picture, with its top left corner there."""
    return all(
        colour_at(grabbed, left + part.x + edge, top + part.y + edge) == colour
        for part, colour in BOARD
        for edge in (0, BLOCK - 1)
    )


def test_a_window_is_shown_with_its_frame(framed: XWindow, platform: Platform) -> None:
    (window,) = [one for one in platform.windows.all() if one.id == framed.id]
    grabbed = platform.screen.grab_window(framed.id, unshrunk)
    assert grabbed.source == window.frame
    assert grabbed.size == window.frame.size
    assert is_board_at(grabbed, window.bounds.x - window.frame.x, window.bounds.y - window.frame.y)
    assert grabbed.pixels == platform.screen.grab(window.frame).pixels


def test_a_covered_window_is_shown_whole(framed: XWindow, desktop: EmbeddedSession, platform: Platform) -> None:
    place = framed.place
    before = platform.screen.grab_window(framed.id, unshrunk)
    with XWindow(desktop.environment, Rect(place.x - 50, place.y - 60, 500, 400), colour=RED, managed=False):
        assert colours_in(platform.screen.grab(place)) == {RED}
        assert differing(platform.screen.grab_window(framed.id, unshrunk), before) == set()


def test_what_a_covered_window_draws_is_seen(framed: XWindow, desktop: EmbeddedSession, platform: Platform) -> None:
    with XWindow(desktop.environment, framed.place, colour=RED, managed=False):
        framed.paint(Rect(0, 0, 10, 10), GREEN)
        grabbed = platform.screen.grab_window(framed.id, unshrunk)
        corner = framed.place.x - grabbed.source.x, framed.place.y - grabbed.source.y
        assert colour_at(grabbed, *corner) == GREEN


def test_a_window_is_scaled_as_it_is_told(framed: XWindow, platform: Platform) -> None:
    grabbed = platform.screen.grab_window(framed.id, lambda size: Size(size.width // 3, size.height // 3))
    assert grabbed.size == Size(grabbed.source.width // 3, grabbed.source.height // 3)
    middle = Point(framed.place.x + 90 - grabbed.source.x, framed.place.y + 90 - grabbed.source.y)
    assert colour_at(grabbed, middle.x // 3, middle.y // 3) == board_colour(1, 1)


def test_a_window_that_reaches_out_of_the_screen_is_shown_whole(desktop: EmbeddedSession, platform: Platform) -> None:
    with XWindow(desktop.environment, Rect(1800, 1000, 240, 240), managed=False) as window:
        window.keep(BOARD)
        grabbed = platform.screen.grab_window(window.id, unshrunk, pointer=False)
        assert grabbed.source == Rect(1800, 1000, 240, 240)
        assert colour_at(grabbed, 230, 230) == board_colour(3, 3)


def test_the_pointer_is_drawn_on_a_window(framed: XWindow, platform: Platform) -> None:
    framed.show_pointer_as(RED, 8)
    at = Point(framed.place.x + 100, framed.place.y + 100)
    platform.pointer.move(at)
    grabbed = platform.screen.grab_window(framed.id, unshrunk)
    assert colours_in(grabbed, Rect(at.x - grabbed.source.x, at.y - grabbed.source.y, 8, 8)) == {RED}


def test_a_minimised_window_has_no_picture(framed: XWindow, desktop: EmbeddedSession, platform: Platform) -> None:
    windows = X11Windows(XServer(desktop.environment))
    windows.minimize(framed.id)
    eventually(lambda: not framed.is_viewable, what="minimising")
    with pytest.raises(NotPossible, match="minimized or on another workspace"):
        platform.screen.grab_window(framed.id, unshrunk)
    assert platform.windows.activate(framed.id)
    eventually(lambda: framed.is_viewable, what="coming back")
    corner = corner_in_frame(platform, framed)
    eventually(lambda: is_board_at(platform.screen.grab_window(framed.id, unshrunk), *corner), what="the painting")


def corner_in_frame(platform: Platform, window: XWindow) -> tuple[int, int]:
    (found,) = [one for one in platform.windows.all() if one.id == window.id]
    return found.bounds.x - found.frame.x, found.bounds.y - found.frame.y


def test_a_window_that_has_gone_is_not_found(platform: Platform, desktop: EmbeddedSession) -> None:
    window = painted(desktop, managed=True)
    window.close()
    with pytest.raises(NotFound, match="that window has gone"):
        platform.screen.grab_window(window.id, unshrunk)


# ---------------------------------------------------------------- desktops of others


@pytest.fixture(scope="module")
def foreign() -> Iterator[OwnDesktop]:
    """A desktop without a window manager, on which nobody keeps what windows show."""
    with own_desktop(()) as desktop:
        desktop.platform.pointer.move(Point(990, 690))
        yield desktop


def test_a_covered_window_is_shown_whole_where_nobody_keeps_its_contents(foreign: OwnDesktop) -> None:
    with XWindow(foreign.environment, PLACE) as window:
        window.keep(BOARD)
        with XWindow(foreign.environment, Rect(180, 140, 200, 100), colour=RED):
            grabbed = foreign.platform.screen.grab_window(window.id, unshrunk)
            assert is_board_at(grabbed, 0, 0)


def test_the_border_of_a_window_belongs_to_it(foreign: OwnDesktop) -> None:
    with XWindow(foreign.environment, PLACE, border=5) as window:
        window.keep(BOARD)
        grabbed = foreign.platform.screen.grab_window(window.id, unshrunk)
        assert grabbed.source == Rect(PLACE.x, PLACE.y, PLACE.width + 10, PLACE.height + 10)
        assert is_board_at(grabbed, 5, 5)
        assert colours_in(grabbed, Rect(365, 0, 5, 250)) == {BLACK}


def test_a_screen_that_has_become_smaller_is_shown_as_it_is() -> None:
    with own_desktop(()) as own:
        before = own.platform.screen.grab(Rect(0, 0, *own.platform.screen.size()))
        assert before.size == Size(1000, 700)
        own.resize(Size(800, 600))
        assert own.platform.screen.size() == Size(800, 600)
        picture = capture.screenshot(own.platform)
        assert picture.source == Rect(0, 0, 800, 600)
        with pytest.raises(OffScreen, match="display 0 is 800x600 at 0,0"):
            coordinates.point_on_display(own.platform, 900, 100)


# ---------------------------------------------------------------- changes


def union(parts: list[Rect]) -> Rect:
    """The smallest part that holds all of these."""
    left, top = min(part.x for part in parts), min(part.y for part in parts)
    right, bottom = max(part.right for part in parts), max(part.bottom for part in parts)
    return Rect(left, top, right - left, bottom - top)


@pytest.mark.parametrize("part", [Rect(0, 0, 1, 1), Rect(5, 7, 1, 20), Rect(10, 10, 100, 50), Rect(359, 239, 1, 1)])
def test_every_change_is_told_however_small(part: Rect, board: XWindow, platform: Platform) -> None:
    with platform.screen.changes() as changes:
        changes.take()
        board.paint(part, GREY)
        told = eventually(changes.take, what="a report of the change")
    assert union(list(told)) == part.moved(PLACE.x, PLACE.y)


def test_changes_in_two_places_are_both_within_what_is_told(board: XWindow, platform: Platform) -> None:
    with platform.screen.changes() as changes:
        board.paint(Rect(10, 10, 5, 5), GREY)
        board.paint(Rect(300, 200, 5, 5), GREY)
        told = union(list(eventually(changes.take, what="a report")))
    for part in (Rect(10, 10, 5, 5), Rect(300, 200, 5, 5)):
        assert told.intersection(part.moved(PLACE.x, PLACE.y)) == part.moved(PLACE.x, PLACE.y)


def test_a_change_of_the_same_place_is_told_again(board: XWindow, platform: Platform) -> None:
    with platform.screen.changes() as changes:
        for colour in (RED, GREEN, BLUE):
            board.paint(Rect(20, 20, 5, 5), colour)
            assert union(list(eventually(changes.take, what=f"{colour:06x}"))) == Rect(220, 170, 5, 5)


def test_changes_before_are_not_told(board: XWindow, platform: Platform) -> None:
    board.paint(Rect(20, 20, 50, 50), RED)
    with platform.screen.changes() as changes:
        board.paint(Rect(100, 100, 2, 2), GREEN)
        assert union(list(eventually(changes.take, what="a report"))) == Rect(300, 250, 2, 2)


def test_two_can_watch_at_the_same_time(board: XWindow, platform: Platform) -> None:
    with platform.screen.changes() as outer:
        with platform.screen.changes() as inner:
            board.paint(Rect(20, 20, 5, 5), RED)
            assert union(list(eventually(inner.take, what="the inner report"))) == Rect(220, 170, 5, 5)
        assert union(list(eventually(outer.take, what="the outer report"))) == Rect(220, 170, 5, 5)
        board.paint(Rect(40, 40, 5, 5), GREEN)
        assert union(list(eventually(outer.take, what="a report after the inner one"))) == Rect(240, 190, 5, 5)


def test_a_closed_platform_leaves_no_files_and_no_memory_behind(desktop: EmbeddedSession) -> None:
    def use() -> None:
        platform = desktop.connect()
        platform.screen.grab(Rect(0, 0, 500, 500))
        with platform.screen.changes() as changes:
            changes.take()
        platform.clipboard.read()
        platform.close()

    def held() -> tuple[int, int]:
        with open("/proc/self/maps") as maps:
            return len(os.listdir("/proc/self/fd")), sum("SYSV" in line for line in maps)

    use()
    before = held()
    for _ in range(5):
        use()
    assert held() == before


# ---------------------------------------------------------------- pictures for agents


def test_a_picture_of_noise_is_below_a_megabyte() -> None:
    size = Size(1280, 1280)
    noise = Capture(os.urandom(size.width * size.height * 4), size, Rect(10, 20, 2560, 2560))
    picture = capture.encode(noise)
    assert len(picture.data) <= 1_000_000
    image = Image.open(io.BytesIO(picture.data))
    assert (image.format, image.size) == ("JPEG", tuple(picture.size))
    assert picture.mime == "image/jpeg"
    assert picture.source == noise.source


def test_a_screenshot_says_how_its_pixels_lie_on_the_screen(board: XWindow, platform: Platform) -> None:
    picture = capture.screenshot(platform)
    assert picture.size == Size(1280, 720)
    assert (picture.source, picture.scale) == (Rect(0, 0, 1920, 1080), 1.5)
    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    for column, row in ((0, 0), (4, 2), (5, 3)):
        on_screen = Point(PLACE.x + column * BLOCK + 30, PLACE.y + row * BLOCK + 30)
        pixel = image.getpixel(picture.from_screen(on_screen))
        assert isinstance(pixel, tuple)
        assert is_like(int.from_bytes(bytes(pixel), "big"), board_colour(column, row), within=12)


def test_a_region_is_cut_to_the_screen(platform: Platform) -> None:
    assert capture.screenshot(platform, Rect(1900, 1070, 100, 100)).source == Rect(1900, 1070, 20, 10)
    with pytest.raises(OffScreen, match="outside every display"):
        capture.screenshot(platform, Rect(1920, 0, 100, 100))
    with pytest.raises(OffScreen, match="there is no display 7"):
        capture.screenshot(platform, display=7)


sizes = st.builds(Size, st.integers(1, 8000), st.integers(1, 8000))


@given(size=sizes)
def test_a_picture_is_never_enlarged_and_never_longer_than_1280(size: Size) -> None:
    shrunk = capture.shrink(size)
    assert 1 <= shrunk.width <= min(size.width, 1280)
    assert 1 <= shrunk.height <= min(size.height, 1280)
    if max(size) <= 1280:
        assert shrunk == size
    elif min(shrunk) > 1:
        assert shrunk.width / shrunk.height == pytest.approx(size.width / size.height, rel=1 / min(shrunk))


@given(size=sizes, corner=st.builds(Point, st.integers(-4000, 4000), st.integers(-4000, 4000)), data=st.data())
def test_a_pixel_of_a_picture_is_found_again(size: Size, corner: Point, data: st.DataObject) -> None:
    shrunk = capture.shrink(size)
    picture = Picture(b"", "image/jpeg", shrunk, Rect(*corner, *size))
    pixel = Point(data.draw(st.integers(0, shrunk.width - 1)), data.draw(st.integers(0, shrunk.height - 1)))
    on_screen = picture.to_screen(pixel)
    assert picture.source.contains(on_screen)
    again = picture.from_screen(on_screen)
    assert abs(again.x - pixel.x) <= 1
    assert abs(again.y - pixel.y) <= 1


@given(size=sizes, corner=st.builds(Point, st.integers(-4000, 4000), st.integers(-4000, 4000)), data=st.data())
def test_a_pixel_of_the_screen_is_found_again_to_the_picture_s_grain(
    size: Size, corner: Point, data: st.DataObject
) -> None:
    shrunk = capture.shrink(size)
    picture = Picture(b"", "image/jpeg", shrunk, Rect(*corner, *size))
    point = Point(
        corner.x + data.draw(st.integers(0, size.width - 1)), corner.y + data.draw(st.integers(0, size.height - 1))
    )
    again = picture.to_screen(picture.from_screen(point))
    assert abs(again.x - point.x) <= size.width / shrunk.width / 2 + 1
    assert abs(again.y - point.y) <= size.height / shrunk.height / 2 + 1
