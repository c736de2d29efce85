"""Points of pictures and of the screen: each finds back, for every size of a display and every way to frame it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deskhand.model.errors import OffScreen
from deskhand.model.frame import LARGEST_AREA, LONGEST_EDGE, Coordinates, Frame, Framing
from deskhand.model.geometry import Point, Rect, Size

_SIDES = st.integers(1, 16384)
_SIZES = st.builds(Size, _SIDES, _SIDES)
_FRAMINGS = st.builds(Framing, st.sampled_from(Coordinates), st.none() | _SIZES)


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    size, origin = draw(_SIZES), draw(st.tuples(st.integers(-20000, 20000), st.integers(-20000, 20000)))
    return Frame(draw(_FRAMINGS).size_for(size), Rect(*origin, *size))


class TestTheSize:
    """How large a picture is."""

    @pytest.mark.parametrize(
        ("display", "size"),
        [
            ((1920, 1080), (1366, 768)),
            ((2560, 1440), (1366, 768)),
            ((1366, 768), (1366, 768)),
            ((1440, 900), (1280, 800)),
            ((2560, 1600), (1280, 800)),
            ((1600, 1200), (1024, 768)),
            ((1280, 800), (1280, 800)),
            ((1280, 720), (1280, 720)),
            ((800, 600), (800, 600)),
            ((3440, 1440), (1568, 656)),
            ((1080, 1920), (804, 1429)),
            ((1200, 1200), (1072, 1072)),
        ],
    )
    def test_of_displays_that_people_have(self, display: tuple[int, int], size: tuple[int, int]) -> None:
        assert Framing().size_for(Size(*display)) == size

    @given(_SIZES)
    def test_it_is_no_larger_than_models_take(self, display: Size) -> None:
        size = Framing().size_for(display)
        assert max(size) <= LONGEST_EDGE
        assert size.width * size.height <= LARGEST_AREA

    @given(_SIZES, _FRAMINGS)
    def test_it_is_never_larger_than_the_display(self, display: Size, framing: Framing) -> None:
        size = framing.size_for(display)
        assert 1 <= size.width <= display.width
        assert 1 <= size.height <= display.height

    @given(_SIZES, _SIZES)
    def test_absolute_is_the_display_itself(self, display: Size, wanted: Size) -> None:
        assert Framing(Coordinates.ABSOLUTE, wanted).size_for(display) == display

    def test_a_wish_stands_before_every_rule(self) -> None:
        assert Framing(wanted=Size(1280, 800)).size_for(Size(1920, 1080)) == (1280, 800)
        assert Framing(wanted=Size(1800, 1000)).size_for(Size(1920, 1080)) == (1800, 1000)
        assert Framing(wanted=Size(1280, 800)).size_for(Size(1024, 768)) == (1024, 768)


class TestPoints:
    """What a point of a picture means."""

    @given(frames(), st.data())
    @example(Frame(Size(1366, 768), Rect(-1920, 0, 1920, 1080)), None)
    def test_a_point_finds_back_within_a_pixel(self, frame: Frame, data: st.DataObject | None) -> None:
        width, height = frame.size
        if data is None:
            point = Point(width - 1, height - 1)
        else:
            point = Point(data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1)))
        on_screen = frame.to_screen(*point)
        assert frame.display.contains(on_screen)
        back = frame.from_screen(on_screen)
        assert abs(back.x - point.x) <= 1
        assert abs(back.y - point.y) <= 1

    @given(frames(), st.data())
    def test_a_place_of_the_screen_finds_back_within_a_pixel_of_the_picture(
        self, frame: Frame, data: st.DataObject
    ) -> None:
        x, y, width, height = frame.display
        place = Point(data.draw(st.integers(x, x + width - 1)), data.draw(st.integers(y, y + height - 1)))
        back = frame.to_screen(*frame.from_screen(place))
        assert abs(back.x - place.x) <= width / frame.size.width
        assert abs(back.y - place.y) <= height / frame.size.height

    @given(frames())
    def test_what_lies_outside_is_refused_with_the_size(self, frame: Frame) -> None:
        width, height = frame.size
        for x, y in ((-1, 0), (0, -1), (width, 0), (0, height), (1e300, 0), (-0.001, 0)):
            with pytest.raises(OffScreen) as caught:
                frame.to_screen(x, y)
            assert f"the screenshot, which is {width}x{height}" in str(caught.value)

    def test_places_are_counted_from_the_origin_by_the_ratio_of_the_sizes(self) -> None:
        frame = Frame(Size(1366, 768), Rect(-1920, 100, 1920, 1080))
        assert frame.to_screen(0, 0) == (-1920, 100)
        assert frame.to_screen(683, 384) == (-960, 640)
        assert frame.to_screen(682.5, 384.5) == (-961, 641)
        assert frame.from_screen(Point(-960, 640)) == (683, 384)
        assert frame.from_screen(Point(0, 640)) == (1366, 384)
