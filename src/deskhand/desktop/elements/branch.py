"""A tree that is being simplified: an element, the title it will be shown under, and what is left below it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deskhand.model.element import Element, State

BOXES: Final = frozenset({"generic", "group", "section", "row", "region", "internal frame", "embedded"})
STATES_IN_WORDS: Final = frozenset(
    {None, "selected", "expanded", "collapsed", "checked", "unchecked", "mixed", "pressed", "not pressed"}
)
FIELDS: Final = frozenset(
    {
        "textbox", "combobox", "spinbutton", "slider", "checkbox", "radio", "switch", "progressbar", "meter", "list",
        "listbox", "table", "tree", "treegrid",
    }
)  # fmt: skip
_WORDS: Final = frozenset({"label", "text", "caption", "img", "icon"})


@dataclass(slots=True)
class Branch:
    """An element with what is left below it."""

    element: Element
    title: str
    below: list["Branch"]

    @property
    def role(self) -> str:
        return self.element.role

    @property
    def value(self) -> str | None:
        return self.element.value

    @property
    def words(self) -> str:
        """What can be read on it."""
        return self.title or self.value or ""

    @property
    def is_words(self) -> bool:
        """Whether it is nothing but words."""
        return self.role in _WORDS and not self.below

    def all_below(self) -> Iterator["Branch"]:
        """Everything in it, in document order."""
        for one in self.below:
            yield one
            yield from one.all_below()

    @property
    def is_plain_words(self) -> bool:
        """Whether it is words that nobody can do anything with."""
        return self.role in ("label", "text") and not self.below and not self.element.states & State.FOCUSABLE

    def hold(self, value: str) -> None:
        """Show it with this value."""
        self.element = replace(self.element, value=value)


def grown(elements: Sequence[Element]) -> list[Branch]:
    """The tree that depths describe."""
    roots: list[Branch] = []
    path: list[Branch] = []
    for element in elements:
        branch = Branch(element, element.title, [])
        while path and path[-1].element.depth >= element.depth:
            path.pop()
        (path[-1].below if path else roots).append(branch)
        path.append(branch)
    return roots
