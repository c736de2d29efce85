"""Sizes as people write them: 1920x1080."""

import argparse
import re

from deskhand.model.geometry import Size


def size(text: str) -> Size:
    """Read a size in pixels; raises ArgumentTypeError where it is none or cannot be a screen's."""
    match = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size like 1920x1080")
    found = Size(int(match[1]), int(match[2]))
    if not (320 <= found.width <= 16384 and 200 <= found.height <= 16384):
        raise argparse.ArgumentTypeError("a desktop is at least 320x200 and at most 16384x16384 pixels large")
    return found
