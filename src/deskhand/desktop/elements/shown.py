"""Which elements of a tree are worth showing, and under what title.

Toolkits put boxes in boxes, and a label into each button. What is left here are the elements that an agent would name:
boxes without a title go, a label gives its words to the button it stands in.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deskhand.model.element import Element

_BOXES: Final = frozenset({"generic", "group", "section", "row"})
_NOISE: Final = frozenset({"separator", "scrollbar", "ruler"})
_WORDS: Final = frozenset({"label", "text", "caption", "img", "icon"})
# These are named by the words that stand in them.
_NAMED_BY_WORDS: Final = frozenset(
    {
        "button",
        "checkbox",
        "radio",
        "switch",
        "link",
        "tab",
        "listitem",
        "menuitem",
        "menuitemcheckbox",
        "menuitemradio",
        "menu",
        "treeitem",
        "cell",
        "columnheader",
        "rowheader",
        "heading",
        "paragraph",
        "label",
    }
)
_LONGEST_TITLE: Final = 160


@dataclass(frozen=True, slots=True)
class Shown:
    """An element as it is shown: its title may come from the words in it, its depth counts shown elements only."""

    element: Element
    title: str
    depth: int


@dataclass(slots=True)
class _Branch:
    """An element with what is left below it."""

    element: Element
    title: str
    below: list["_Branch"]


def everything(elements: Sequence[Element]) -> list[Shown]:
    """Every element under its own title."""
    return [Shown(element, element.title, element.depth) for element in elements]


def compact(elements: Sequence[Element]) -> list[Shown]:
    """The elements worth showing. `elements` are in document order with their depths."""
    shown: list[Shown] = []
    for branch in _simplified(_grown(elements)):
        _flatten(branch, 0, shown)
    return shown


def _grown(elements: Sequence[Element]) -> list[_Branch]:
    """The tree that depths describe."""
    roots: list[_Branch] = []
    path: list[_Branch] = []
    for element in elements:
        branch = _Branch(element, element.title, [])
        while path and path[-1].element.depth >= element.depth:
            path.pop()
        (path[-1].below if path else roots).append(branch)
        path.append(branch)
    return roots


def _simplified(branches: Iterable[_Branch]) -> list[_Branch]:
    kept: list[_Branch] = []
    for branch in branches:
        branch.below = _simplified(branch.below)
        element = branch.element
        if element.role in _NOISE and not element.focused:
            continue
        if element.role in _NAMED_BY_WORDS:
            _take_words(branch)
        if _is_wrapping(branch):
            kept.append(branch.below[0])
        elif element.role in _BOXES and not branch.title and not element.value and not element.focused:
            kept += branch.below
        else:
            kept.append(branch)
    return kept


def _take_words(branch: _Branch) -> None:
    """Let an element be named by its words, where it has no name of its own, and do not show them again."""
    words = [one for one in branch.below if one.element.role in _WORDS and not one.below]
    if not branch.title and not branch.element.value:
        branch.title = " ".join(filter(None, (one.title or one.element.value or "" for one in words)))[:_LONGEST_TITLE]
    branch.below = [
        one for one in branch.below if one not in words or (one.title or one.element.value or "") not in branch.title
    ]


def _is_wrapping(branch: _Branch) -> bool:
    """Whether an element is only another's wrapping: GTK 4's menu buttons have a button in them."""
    if len(branch.below) != 1:
        return False
    inner = branch.below[0]
    return (
        branch.element.role == inner.element.role
        and branch.title in ("", inner.title)
        and branch.element.value in (None, inner.element.value)
    ) or (branch.element.role in _BOXES and branch.title == inner.title and not branch.element.value)


def _flatten(branch: _Branch, depth: int, shown: list[Shown]) -> None:
    shown.append(Shown(branch.element, branch.title, depth))
    for below in branch.below:
        _flatten(below, depth + 1, shown)


def with_title(shown: Shown) -> Element:
    """The element under the title it is shown with."""
    return replace(shown.element, title=shown.title)
