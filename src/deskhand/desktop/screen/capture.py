"""Pictures small enough for an agent: of the screen, a part of it, or a window."""

from typing import Final

from PIL import Image

from deskhand.desktop.screen import coordinates
from deskhand.model.geometry import Rect, Size
from deskhand.model.image import Capture, Picture
from deskhand.platforms.base import Platform

LONGEST_EDGE: Final = 1280
_LARGEST: Final = 1_000_000
_QUALITIES: Final = (75, 60, 45, 30)


def screenshot(platform: Platform, part: Rect | None = None, display: int | None = None) -> Picture:
    """A picture of a part of the screen, of a display, or of the main display."""
    if part is None:
        part = coordinates.display_of(platform, display).bounds
    part = coordinates.part_on_displays(platform, part)
    return encode(platform.screen.grab(part, shrink(part.size)))


def picture(platform: Platform, part: Rect, size: Size) -> Picture:
    """A picture of a part of the screen, exactly so large, whatever it weighs: coordinates are counted in it."""
    capture = platform.screen.grab(coordinates.part_on_displays(platform, part), size)
    return _jpeg(_image_of(capture), capture)


def screenshot_window(platform: Platform, window: int) -> Picture:
    """A picture of a window with its frame, also where others cover it."""
    return encode(platform.screen.grab_window(window, shrink))


def shrink(size: Size) -> Size:
    """The size of the picture of something so large: never enlarged, the longest edge at most 1280 pixels."""
    factor = min(1.0, LONGEST_EDGE / max(size))
    return Size(max(1, round(size.width * factor)), max(1, round(size.height * factor)))


def encode(capture: Capture) -> Picture:
    """A JPEG of at most 1 MB: its quality gives way before its size does."""
    image = _image_of(capture)
    while len((made := _jpeg(image, capture)).data) > _LARGEST:
        image = image.resize((max(1, image.width * 3 // 4), max(1, image.height * 3 // 4)), Image.Resampling.BOX)
    return made


def _image_of(capture: Capture) -> Image.Image:
    """The pixels as they are, without a copy: what it takes for red is blue, until `_jpeg` puts that right."""
    return Image.frombuffer("RGBX", capture.size, capture.pixels, "raw", "RGBX", 0, 1)


def _jpeg(image: Image.Image, capture: Capture) -> Picture:
    """In the best quality that is light enough; the last where none is."""
    for quality in _QUALITIES:
        # The encoder reads the lines one by one anyway, and in this order without a copy of the whole (0.5 of 6 ms).
        data = image.tobytes("jpeg", "BGR", quality)
        if len(data) <= _LARGEST:
            break
    return Picture(data, "image/jpeg", Size(*image.size), capture.source)
