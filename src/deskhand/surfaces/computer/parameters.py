"""Arguments that several actions take, and what they mean on this desktop."""

from collections.abc import Sequence
from typing import Annotated, Final

from deskhand.desk import Desk
from deskhand.model.errors import BadArguments
from deskhand.model.geometry import Point, Rect
from deskhand.model.keys import MODIFIERS, Chord, Modifier, parse_chord
from deskhand.tools import Check, arg

LONGEST_SECONDS: Final = 300


def point_in_picture(desk: Desk, coordinate: Sequence[float]) -> Point:
    """The screen pixel of a point of the last screenshot. Raises OffScreen where it has none."""
    return desk.frames.point(desk.platform, *coordinate)


def part_of_picture(desk: Desk, region: Sequence[float]) -> Rect:
    """The part of the screen that a part of the last screenshot shows. Raises OffScreen, or BadArguments for none."""
    x0, y0, x1, y1 = region
    if x1 <= x0 or y1 <= y0:
        raise BadArguments("region: it is empty", recovery="give [left, top, right, bottom]")
    return desk.frames.part(desk.platform, x0, y0, x1, y1)


def chords_of(desk: Desk, text: str) -> Sequence[Chord]:
    """The groups of keys in a text, with spaces between. Raises BadArguments for one that is no key."""
    try:
        chords = [parse_chord(word) for word in text.split() or [text]]
        for chord in chords:
            desk.platform.keyboard.check_chord(chord)
    except BadArguments as error:
        # The argument is called text here: an error that names it says so.
        raise BadArguments(str(error).replace("keys:", "text:", 1), recovery=error.recovery) from None
    return chords


def held_by(text: str | None) -> tuple[Modifier, ...]:
    """The modifiers named in a text like ctrl+shift. Raises BadArguments for a name that is none."""
    found: list[Modifier] = []
    for word in (text or "").split("+") if text else ():
        modifier = MODIFIERS.get(word.strip().lower())
        if modifier is None:
            raise BadArguments(f"text: {word.strip()!r} is not a modifier", recovery="hold shift, ctrl, alt or super")
        found.append(modifier)
    return tuple(dict.fromkeys(found))


# Whole numbers are asked for, as a picture has no others; halves are taken too.
_Pixel = Annotated[float, arg(shown_as="integer")]
_Point = Annotated[list[_Pixel], Check(point_in_picture)]
Coordinate = Annotated[_Point, arg("[x, y] in the last screenshot", min_length=2, max_length=2)]
Start = Annotated[_Point, arg("[x, y] where a drag begins", min_length=2, max_length=2)]
Region = Annotated[
    list[_Pixel], arg("[x0, y0, x1, y1] in the last screenshot", min_length=4, max_length=4), Check(part_of_picture)
]
Held = Annotated[
    str, arg("Modifiers held: ctrl+shift", min_length=1, max_length=100), Check(lambda _, text: held_by(text))
]
# Private: digit by digit, a PIN can be pressed too.
Keys = Annotated[str, arg("Keys: ctrl+shift+t, Return", private=True, min_length=1, max_length=200), Check(chords_of)]
Seconds = Annotated[float, arg("Seconds", ge=0, le=LONGEST_SECONDS)]


def point_of(desk: Desk, coordinate: list[float] | None) -> Point:
    """The screen pixel meant: that of a point of the last screenshot, or where the pointer is."""
    return desk.platform.pointer.position() if coordinate is None else point_in_picture(desk, coordinate)
