"""Where elements really are on the screen: what an application says, corrected by what the display system knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from deskhand.model.geometry import Rect
from deskhand.platforms.linux.atspi.link import Application
from deskhand.platforms.linux.atspi.reading import Node


@dataclass(frozen=True, slots=True)
class Shift:
    """From an application's words to the screen: scale first, then move (pixels)."""

    dx: int = 0
    dy: int = 0
    scale: float = 1.0

    def apply(self, extents: tuple[int, int, int, int]) -> Rect:
        x, y, width, height = (round(number * self.scale) for number in extents)
        return Rect(x + self.dx, y + self.dy, width, height)


class Placement(Protocol):
    """What a display system knows of its windows."""

    def shifts(self, application: Application, nodes: Sequence[Node]) -> Mapping[str, Shift | None] | None:
        """By path, how an element and all below it are to be shifted; None in place of a shift where nobody knows.

        None in place of the mapping where the application tells the truth. `nodes` are in document order.
        """
        ...


def place(nodes: Sequence[Node], shifts: Mapping[str, Shift | None] | None) -> dict[str, Rect | None]:
    """The screen pixels of each element, by path; None where it has none or nobody knows."""
    if shifts is None:
        return {node.path: Rect(*node.extents) if node.extents else None for node in nodes}
    placed: dict[str, Rect | None] = {}
    inherited: dict[str, Shift | None] = {}
    for node in nodes:
        shift = shifts[node.path] if node.path in shifts else inherited.get(node.parent)
        inherited[node.path] = shift
        placed[node.path] = shift.apply(node.extents) if shift and node.extents else None
    return placed
