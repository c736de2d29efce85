"""What every list of displays must get right: each one, the main one first, and how large its interface is drawn."""

from collections.abc import Iterator

import pytest

from deskhand.desktop.screen import capture, coordinates
from deskhand.model.display import Display
from deskhand.model.errors import OffScreen
from deskhand.model.geometry import Point, Rect, Size
from deskhand.platforms.base import Platform
from tests.support.own_desktops import OwnDesktop, own_desktop


@pytest.fixture
def two() -> Iterator[OwnDesktop]:
    """A desktop with two displays of different size, the main one on the right."""
    with own_desktop(()) as own:
        own.show_on({"left": Rect(0, 100, 400, 600), "right": Rect(400, 0, 600, 700)}, main="right")
        yield own


def test_one_display_is_the_whole_screen(platform: Platform) -> None:
    (display,) = platform.displays.all()
    assert display.bounds == Rect(0, 0, 1920, 1080)
    assert (display.id, display.scale, display.main) == (0, 1.0, True)
    assert display.name


def test_the_main_display_comes_first(two: OwnDesktop) -> None:
    assert list(two.platform.displays.all()) == [
        Display(0, "right", Rect(400, 0, 600, 700), 1.0, main=True),
        Display(1, "left", Rect(0, 100, 400, 600), 1.0, main=False),
    ]


def test_without_a_main_display_the_leftmost_is_it() -> None:
    with own_desktop(()) as own:
        own.show_on({"B": Rect(500, 0, 500, 700), "A": Rect(0, 0, 500, 700)})
        assert [(one.name, one.main) for one in own.platform.displays.all()] == [("A", True), ("B", False)]


def test_a_display_is_pictured_by_its_number(two: OwnDesktop) -> None:
    assert capture.screenshot(two.platform).source == Rect(400, 0, 600, 700)
    left = capture.screenshot(two.platform, display=1)
    assert (left.source, left.size, left.scale) == (Rect(0, 100, 400, 600), Size(400, 600), 1.0)
    with pytest.raises(OffScreen, match="there is no display 2: display 0 is 600x700 at 400,0, display 1 is 400x600"):
        capture.screenshot(two.platform, display=2)


def test_a_point_that_no_display_shows_is_refused(two: OwnDesktop) -> None:
    assert coordinates.point_on_display(two.platform, 399.4, 100) == Point(399, 100)
    assert coordinates.point_on_display(two.platform, 400, 0) == Point(400, 0)
    for x, y in ((399, 99), (-1, 300), (1000, 10), (10, 700), (float("inf"), 0), (0, float("nan"))):
        with pytest.raises(OffScreen, match="outside every display"):
            coordinates.point_on_display(two.platform, x, y)


@pytest.mark.parametrize(
    ("resources", "scale"),
    [
        ("Xft.dpi:\t192\n", 2.0),
        ("Xcursor.size: 24\nXft.dpi: 144\n", 1.5),
        ("*customization: -color\n", 1.0),
        ("Xft.dpi: many\n", 1.0),
        ("Xft.dpi: nan\n", 1.0),
        ("Xft.dpi: 0\n", 1.0),
        ("", 1.0),
    ],
)
def test_the_scale_is_what_the_desktop_has_written_down(two: OwnDesktop, resources: str, scale: float) -> None:
    two.write_resources(resources)
    assert {display.scale for display in two.platform.displays.all()} == {scale}
