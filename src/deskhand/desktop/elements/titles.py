"""What an element is called where its own name says nothing: the words in it, a label before it, its tooltip."""

from collections.abc import Callable, Sequence
from typing import Final

from deskhand.desktop.elements.branch import BOXES, FIELDS, STATES_IN_WORDS, Branch
from deskhand.model.roles import canonical_role

# These are named by the words that stand in them.
_NAMED_BY_WORDS: Final = frozenset(
    {
        "button", "checkbox", "radio", "switch", "link", "tab", "listitem", "menuitem", "menuitemcheckbox",
        "menuitemradio", "menu", "treeitem", "cell", "columnheader", "rowheader", "heading", "paragraph", "label",
    }
)  # fmt: skip
_MENU_ITEMS: Final = frozenset({"menuitem", "menuitemcheckbox", "menuitemradio"})
_LONGEST_TITLE: Final = 160
_LINE: Final = 6
"""Pixels by which the words beside a field may be higher or lower than it, or reach into it."""
_BULLETS: Final = "•◦▪‣⁃ "


def name(branch: Branch) -> None:
    """Give a branch the title it is to be shown under, and those below it where they depend on it."""
    for step in _STEPS:
        step(branch)


def name_by_description(branch: Branch) -> None:
    """A control with nothing but an icon is known by its tooltip."""
    if not branch.title and branch.role not in BOXES:
        branch.title = branch.element.description.strip()[:_LONGEST_TITLE]


def _name_by_words(branch: Branch) -> None:
    """Let an element be named by its words, where it has no name of its own."""
    if branch.role not in _NAMED_BY_WORDS:
        return
    if any(one.is_words or _is_part(one, branch) for one in branch.below):
        parts = (one.words for one in branch.below if one.is_words or _is_part(one, branch) or one.role == "link")
        words = " ".join(" ".join(dict.fromkeys(parts)).split())
        # GTK 4.8 calls each tab "Tab", or by its label with the mark of its shortcut.
        if words and ((not branch.title and branch.value in STATES_IN_WORDS) or branch.role == "tab"):
            branch.title = words[:_LONGEST_TITLE]


def _is_part(one: Branch, of: Branch) -> bool:
    """Whether it is a part of a cell: GTK 3 puts the icon and the words of a cell into cells of their own."""
    return one.role == of.role == "cell" and not one.below


def _forget_bullet(branch: Branch) -> None:
    if branch.role == "listitem":
        branch.title = branch.title.lstrip(_BULLETS)


def _name_like_the_box_in_it(branch: Branch) -> None:
    """GTK 4 puts the words of a row of a tree into a box that knows whether it is expanded."""
    if branch.role in _NAMED_BY_WORDS and not branch.title and len(branch.below) == 1:
        inner = branch.below[0]
        if inner.role in BOXES:
            branch.title = inner.title
            branch.below = inner.below
            if inner.value:
                branch.hold(inner.value)


def _drop_repeated_words(branch: Branch) -> None:
    told = branch.title
    if branch.role == "textbox":
        told = branch.value or ""
    elif branch.role not in _NAMED_BY_WORDS and branch.role not in BOXES:
        return
    branch.below = [one for one in branch.below if not ((one.is_words or _is_part(one, branch)) and one.words in told)]


def _forget_name_of_box(branch: Branch) -> None:
    """Qt names every field in a group by the group, where no label belongs to it."""
    if branch.title and branch.role in BOXES:
        alike = [one for one in branch.below if one.role in FIELDS and one.title == branch.title]
        if len(alike) > 1:
            for one in alike:
                one.title = ""
            branch.below = without_labels_of_fields(named_by_labels(branch.below))


def _name_what_is_in_it(branch: Branch) -> None:
    """A box with a title names the one control in it that has none."""
    if branch.title and (branch.role in BOXES or branch.role in ("toolbar", "listitem")):
        unnamed = [one for one in branch.below if not one.title]
        fields = [one for one in unnamed if one.role in FIELDS] or (unnamed if len(branch.below) == 1 else [])
        if len(fields) == 1:
            fields[0].title = branch.title


def _take_shortcut(branch: Branch) -> None:
    """What else is written on a menu item is its shortcut."""
    if branch.role in _MENU_ITEMS and branch.value is None and len(branch.below) == 1 and branch.below[0].is_words:
        branch.hold(branch.below[0].words)
        branch.below = []


def _forget_name_of_kind(branch: Branch) -> None:
    """GTK 4 calls a list of tabs "Tab list"."""
    if branch.role not in _NAMED_BY_WORDS and canonical_role(branch.title) == canonical_role(branch.role):
        branch.title = ""


def named_by_labels(branches: list[Branch]) -> list[Branch]:
    """A field without a title is meant by the words with a colon before it, on its line or in the tree."""
    labels = [one for one in branches if one.is_words and one.words.rstrip().endswith(":")]
    for before, one in zip([None, *branches], branches, strict=False):
        if one.role in FIELDS and not one.title:
            label = _label_on_line(labels, one) or (before if before in labels else None)
            if label is not None:
                one.title = label.words.strip(" :")
    return branches


def _label_on_line(labels: Sequence[Branch], field: Branch) -> Branch | None:
    """The label nearest to the left of a field."""
    place = field.element.bounds
    if place is None:
        return None
    on_line: list[tuple[int, Branch]] = []
    for label in labels:
        bounds = label.element.bounds
        if bounds and abs(bounds.center.y - place.center.y) <= _LINE and bounds.right <= place.x + _LINE:
            on_line.append((place.x - bounds.right, label))
    return min(on_line, key=lambda pair: pair[0])[1] if on_line else None


def without_labels_of_fields(branches: Sequence[Branch]) -> list[Branch]:
    """A label before a field says what the field's title says again."""
    titles = {_bare(one.title) for one in branches if one.role in FIELDS} - {""}
    return [one for one in branches if not (one.is_words and _bare(one.words) in titles)]


def _bare(title: str) -> str:
    return title.strip(" :*").casefold()


_STEPS: Final[Sequence[Callable[[Branch], None]]] = (
    _forget_name_of_kind,
    _name_by_words,
    _name_like_the_box_in_it,
    _drop_repeated_words,
    _forget_bullet,
    _forget_name_of_box,
    _name_what_is_in_it,
    _take_shortcut,
)
