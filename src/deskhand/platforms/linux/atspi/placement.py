"""Where elements really are on the screen: what an application says, corrected by what the display system knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from deskhand.model.geometry import Rect
from deskhand.platforms.linux.atspi.application import Application
from deskhand.platforms.linux.atspi.nodes import Node, roles

_SCROLLING: Final = roles(
    "scroll pane", "viewport", "frame", "dialog", "internal frame", "document frame", "document web", "document text"
)
_POPUPS: Final = roles("menu", "popup menu", "tool tip", "window", "dialog", "frame", "alert", "notification")


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

    def absent(self, application: Application, nodes: Sequence[Node]) -> frozenset[str]:
        """The windows of an application, by path, that are on no screen whatever they say."""
        ...


def place(
    nodes: Sequence[Node], shifts: Mapping[str, Shift | None] | None, *, inside_parents: bool
) -> dict[str, Rect | None]:
    """The screen pixels of what can be seen of each element, by path; None where it has no place or nobody knows.

    `inside_parents` says that the toolkit draws nothing outside of what it is in. Elsewhere only scrolling areas and
    windows are taken to cut what is in them, and not what is out of sight altogether: that may be a popup.
    """
    placed: dict[str, Rect | None] = {}
    inherited: dict[str, Shift | None] = {}
    edges: dict[str, Rect | None] = {}
    for node in nodes:
        shift = _shift_of(node, shifts, inherited)
        inherited[node.path] = shift
        whole = shift.apply(node.extents) if shift and node.extents else None
        around = None if node.is_popup or node.role in _POPUPS else edges.get(node.parent)
        seen = whole.intersection(around) if whole and around else whole
        if seen is not None and seen.is_empty:
            seen = None if inside_parents else whole
        placed[node.path] = seen
        edges[node.path] = seen if seen and (inside_parents or node.role in _SCROLLING) else around
    return placed


def _shift_of(
    node: Node, shifts: Mapping[str, Shift | None] | None, inherited: Mapping[str, Shift | None]
) -> Shift | None:
    if shifts is None:
        return Shift()
    return shifts[node.path] if node.path in shifts else inherited.get(node.parent)


def without(nodes: Sequence[Node], absent: frozenset[str]) -> list[Node]:
    """The nodes that are not in one of these windows."""
    gone = set(absent)
    kept: list[Node] = []
    for node in nodes:
        if node.path in gone or node.parent in gone:
            gone.add(node.path)
        else:
            kept.append(node)
    return kept
