"""What the tools of this surface answer with, beside plain values."""

from dataclasses import dataclass
from typing import Final

from deskhand.desktop.elements.looking import View
from deskhand.desktop.elements.shown import Shown
from deskhand.model.effect import Effect, Route
from deskhand.model.element import Element
from deskhand.model.image import Picture
from deskhand.tools import ABSENT

LONGEST_TEXT: Final = 4000


class Text(str):
    """A text that is shown as it is, line breaks and all; any other is put on one line and cut."""

    __slots__ = ()


def shortened(text: str) -> str:
    """A text cut to what a reply may hold of one."""
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture, and how its pixels lie on the screen."""

    picture: Picture
    window_id: int = ABSENT
    name: str = ABSENT


@dataclass(frozen=True, slots=True)
class Inspected:
    """What was seen of an application."""

    app: str
    pid: int
    view: View
    full: bool = False
    nested: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """One element, or the sentence that there is none."""

    found: bool
    app: str = ABSENT
    element: Element | Shown = ABSENT
    matches: int = ABSENT
    empty: str = ABSENT


@dataclass(frozen=True, slots=True)
class FoundAll:
    """Every element that fits, or the sentence that there is none."""

    count: int
    view: View = ABSENT
    empty: str = ABSENT


@dataclass(frozen=True, slots=True)
class Acted:
    """What came of an act on an element."""

    effect: Effect
    route: Route
    settled_ms: int
    element: Shown = ABSENT
    gone: bool = ABSENT
