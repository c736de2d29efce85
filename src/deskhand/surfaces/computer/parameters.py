"""Arguments that several actions take, and what they mean on this desktop."""

from typing import Annotated, Final

from deskhand.desk import Desk
from deskhand.model.errors import BadArguments
from deskhand.model.geometry import Point
from deskhand.model.keys import MODIFIERS, Modifier
from deskhand.tools import arg

LONGEST_SECONDS: Final = 300

# Whole numbers are asked for, as a picture has no others; halves are taken too.
_Pixel = Annotated[float, arg(shown_as="integer")]
Coordinate = Annotated[list[_Pixel], arg("[x, y] in the last screenshot", min_length=2, max_length=2)]
Start = Annotated[list[_Pixel], arg("[x, y] where a drag begins", min_length=2, max_length=2)]
Region = Annotated[list[_Pixel], arg("[x0, y0, x1, y1] in the last screenshot", min_length=4, max_length=4)]
Held = Annotated[str, arg("Modifiers held: ctrl+shift", min_length=1, max_length=100)]
# Private: digit by digit, a PIN can be pressed too.
Keys = Annotated[str, arg("Keys: ctrl+shift+t, Return", private=True, min_length=1, max_length=200)]
Seconds = Annotated[float, arg("Seconds", ge=0, le=LONGEST_SECONDS)]


def point_of(desk: Desk, coordinate: list[float] | None) -> Point:
    """The screen pixel meant: that of a point of the last screenshot, or where the pointer is."""
    if coordinate is None:
        return desk.platform.pointer.position()
    return desk.frames.point(desk.platform, *coordinate)


def held_by(text: str | None) -> tuple[Modifier, ...]:
    """The modifiers named in a text like ctrl+shift. Raises BadArguments for a name that is none."""
    found: list[Modifier] = []
    for word in (text or "").split("+") if text else ():
        modifier = MODIFIERS.get(word.strip().lower())
        if modifier is None:
            raise BadArguments(f"text: {word.strip()!r} is not a modifier", recovery="hold shift, ctrl, alt or super")
        found.append(modifier)
    return tuple(dict.fromkeys(found))
