"""A tree with what an agent would name, and nothing else.

Toolkits put boxes in boxes, a label into each button and another before each field. Boxes without a title go, a label
gives its words to the button it stands in, and what tells nothing is left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from deskhand.desktop.elements import titles
from deskhand.desktop.elements.branch import BOXES, STATES_IN_WORDS, Branch
from deskhand.model.element import State

_NOISE: Final = frozenset({"separator", "scrollbar", "ruler"})
_MOST_WORDS: Final = 8
_LINE: Final = 8
"""Pixels by which the middles of words on one line may differ."""
_WITH_MENUS: Final = frozenset({"menuitem", "menu", "button"})


def simplified(roots: Iterable[Branch]) -> list[Branch]:
    """What is left of whole windows."""
    kept: list[Branch] = []
    for root in roots:
        left = _simplified_one(root)
        for window in left:
            window.below = list(_without_its_title(window))
        # The window of a menu or tooltip is not worth a row of its own.
        is_wrapping = len(left) == 1 and left[0].role == "window" and not left[0].title and len(left[0].below) == 1
        kept += left[0].below if is_wrapping else left
    return kept


def _without_its_title(window: Branch) -> Iterator[Branch]:
    """What is in a window, without what only says again how it is called."""
    for one in window.below:
        if one.is_words and one.words == window.title:
            continue
        if one.role in BOXES and one.title == window.title:
            yield from one.below
        else:
            yield one


def _simplified_one(branch: Branch) -> list[Branch]:
    below = [left for one in branch.below for left in _simplified_one(one)]
    branch.below = titles.without_labels_of_fields(titles.named_by_labels(below))
    titles.name(branch)
    _open_menu(branch)
    _close(branch)
    branch = _unwrapped(branch)
    titles.name_by_description(branch)
    if _tells_nothing(branch):
        return []
    if not _is_box(branch):
        return [branch]
    return [_joined(branch)] if _is_line_of_words(branch) else branch.below


# ---------------------------------------------------------------- kinds


def _close(branch: Branch) -> None:
    """A combo box shows what is chosen; its list only while it is open."""
    if branch.role != "combobox":
        return
    if not branch.value:
        chosen = next((one.title for one in branch.all_below() if one.value == "selected" and one.title), None)
        if chosen:
            branch.hold(chosen)
    if not branch.element.states & State.EXPANDED:
        branch.below = [one for one in branch.below if one.role == "textbox" or _is_elsewhere(one, branch)]


def _is_elsewhere(one: Branch, than: Branch) -> bool:
    """Whether a list has a place of its own on the screen, beside the combo box."""
    place, own = one.element.bounds, than.element.bounds
    if place is None or own is None or one.role == "button":
        return False
    return place.intersection(own) != place


def _open_menu(branch: Branch) -> None:
    """What is in an item's menu stands below the item."""
    if branch.role in _WITH_MENUS:
        branch.below = [
            left for one in branch.below for left in (one.below if one.role == "menu" and not one.title else [one])
        ]


# ---------------------------------------------------------------- what goes


def _tells_nothing(branch: Branch) -> bool:
    element = branch.element
    if element.focused and (element.bounds or branch.words):
        return False
    if branch.role in _NOISE:
        return True
    if branch.below or branch.title:
        return _is_thin(branch) and not branch.below
    if branch.is_words:
        return not branch.value and not element.states & (State.FOCUSABLE | State.EDITABLE | State.SELECTED)
    if branch.role == "menu":
        return True
    if branch.role == "cell":
        return not branch.value and not element.states & (State.EDITABLE | State.SELECTED)
    return element.bounds is None and not branch.value


def _is_thin(branch: Branch) -> bool:
    """Whether nobody could see it: a line."""
    bounds = branch.element.bounds
    return bounds is not None and min(bounds.width, bounds.height) <= 1


def _is_box(branch: Branch) -> bool:
    """Whether it is only there to hold what is in it."""
    element = branch.element
    if branch.role == "tablist":
        return not any(one.role == "tab" for one in branch.below)
    if branch.role == "tab" and element.bounds is None:
        return True  # the page of a row of tabs that is not shown
    if branch.role not in BOXES and not (branch.role == "window" and element.depth > 0):
        return False
    if element.focused and not branch.below:
        return False
    return (not branch.title or element.bounds is None) and branch.value in (None, "selected")


def _is_line_of_words(branch: Branch) -> bool:
    """Whether a box holds nothing but a few words on one line, as the keys of a shortcut and what it does."""
    places = [one.element.bounds for one in branch.below]
    if not 2 <= len(places) <= _MOST_WORDS or not all(one.is_plain_words for one in branch.below):
        return False
    middles = [place.center.y for place in places if place]
    return len(middles) == len(places) and max(middles) - min(middles) <= _LINE


def _joined(branch: Branch) -> Branch:
    """A box of words as one label."""
    title = " ".join(one.words for one in branch.below)
    return Branch(replace(branch.element, role="label", value=None), title, [])


def _unwrapped(branch: Branch) -> Branch:
    """What is inside where an element is only another's wrapping: GTK 4's menu buttons have a button in them."""
    if not branch.below:
        return branch
    inner, *others = branch.below
    same_kind = branch.role == inner.role and {branch.value, inner.value} <= STATES_IN_WORDS
    if same_kind and branch.title in ("", inner.title) and all(one.role.startswith("menu") for one in others):
        both = Branch(inner.element, inner.title, [*inner.below, *others])
        if branch.value is not None:
            both.hold(branch.value)
        return both
    if branch.role in BOXES and inner.role in BOXES and not others and not branch.value:
        return inner
    only_a_frame = branch.role in BOXES or branch.role in ("label", "toolbar")
    if only_a_frame and not others and branch.title == inner.title and not branch.value:
        return inner
    return branch
