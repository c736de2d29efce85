"""Elements as they are shown: which of a tree's, under what title, how deep."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from deskhand.desktop.elements.branch import Branch, grown
from deskhand.desktop.elements.simplify import simplified
from deskhand.model.element import Element

# Where these have no place, they are not on the screen, whatever they say: hidden menu bars of Firefox and LibreOffice.
_BARS = frozenset({"menubar", "toolbar"})


@dataclass(frozen=True, slots=True)
class Shown:
    """An element as it is shown: its title may come from the words in it, its depth counts shown elements only."""

    element: Element
    title: str
    depth: int


def everything(elements: Sequence[Element]) -> list[Shown]:
    """Every element under its own title."""
    return [Shown(element, element.title, element.depth) for element in elements]


def compact(elements: Sequence[Element]) -> list[Shown]:
    """The elements worth showing. `elements` are the visible ones, in document order with their depths."""
    return in_words(_without_hidden_bars(elements))


def in_words(elements: Sequence[Element]) -> list[Shown]:
    """The elements that an agent would name, visible or not."""
    shown: list[Shown] = []
    for branch in simplified(grown(elements)):
        _flatten(branch, 0, shown)
    return shown


def _without_hidden_bars(elements: Sequence[Element]) -> list[Element]:
    kept: list[Element] = []
    hidden_at: int | None = None
    for element in elements:
        if hidden_at is not None and element.depth > hidden_at:
            continue
        hidden_at = element.depth if element.role in _BARS and element.bounds is None else None
        if hidden_at is None:
            kept.append(element)
    return kept


def _flatten(branch: Branch, depth: int, shown: list[Shown]) -> None:
    shown.append(Shown(branch.element, branch.title, depth))
    for below in branch.below:
        _flatten(below, depth + 1, shown)


def with_title(shown: Shown) -> Element:
    """The element under the title it is shown with."""
    return replace(shown.element, title=shown.title)
