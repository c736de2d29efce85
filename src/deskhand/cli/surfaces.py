"""Sets of tools as people name them: computer, or axi,computer, or all."""

import argparse
from typing import Final

ALL: Final = ("axi", "computer")
"""In the order that `all` serves them. Written here, as loading them takes half a second that --help can do without."""


def surfaces(text: str) -> tuple[str, ...]:
    """Read names of surfaces; raises ArgumentTypeError where one is none."""
    names = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if names == ("all",):
        return ALL
    for name in names:
        if name not in ALL:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(ALL)} (several with commas) or all")
    if not names:
        raise argparse.ArgumentTypeError("no surface is named")
    return names
