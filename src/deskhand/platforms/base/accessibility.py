"""The elements of applications."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from deskhand.model.element import Budget, Element, NodeRef, Query, Tree
from deskhand.model.event import EventKind


@dataclass(frozen=True, slots=True)
class AccessibleApp:
    """An application that can be looked into. `name` is empty where it does not answer."""

    id: str
    pid: int
    name: str
    toolkit: str


@dataclass(frozen=True, slots=True)
class Offers:
    """What an element can do, and what it says of itself."""

    actions: tuple[str, ...]
    attributes: Mapping[str, str]
    interfaces: tuple[str, ...]


class Accessibility(Protocol):
    """The accessibility trees of applications.

    Every method comes back within the seconds of its budget (or 2 s), whatever the application does: with what has
    been read and a warning, or with NotAnswering. ElementGone is raised where an element is not there any more.
    """

    def apps(self) -> Sequence[AccessibleApp]: ...

    def tree(self, app: AccessibleApp, budget: Budget, *, full: bool = False) -> Tree:
        """The visible elements; `full` reads descriptions and identifiers too."""
        ...

    def search(self, app: AccessibleApp, query: Query, budget: Budget) -> Tree:
        """Every element that fits, visible or not. Titles are the application's own."""
        ...

    def focused(self, app: AccessibleApp) -> Element | None: ...

    def menu_bar(self, app: AccessibleApp, budget: Budget) -> Tree:
        """The menu bars with all that is in them, also of closed menus."""
        ...

    def shortcuts(self, app: AccessibleApp, budget: Budget) -> Tree:
        """Every element with a shortcut, visible or not, and the menus it is in; the shortcut is its description."""
        ...

    def element(self, node: NodeRef) -> Element:
        """The element as it is now."""
        ...

    def lineage(self, node: NodeRef) -> Sequence[Element]:
        """The element as it is now, and everything it is in, its window last. Raises ElementGone or NotAnswering."""
        ...

    def choices(self, node: NodeRef) -> Sequence[Element]:
        """The entries below a combo box or the like, also while it is closed."""
        ...

    def text(self, node: NodeRef) -> str | None:
        """The whole text of an element, None where it has none."""
        ...

    def offers(self, node: NodeRef) -> Offers: ...

    def perform(self, node: NodeRef, action: int) -> bool:
        """Do an action by its place in `offers`; whether the application says it did."""
        ...

    def set_text(self, node: NodeRef, text: str) -> bool:
        """Replace the text of a field; whether the application says it did."""
        ...

    def insert_text(self, node: NodeRef, text: str) -> bool:
        """Put text where the caret is, in place of what is selected; whether the application says it did."""
        ...

    def set_number(self, node: NodeRef, number: float) -> bool: ...

    def focus(self, node: NodeRef) -> bool: ...

    def glance(self, nodes: Sequence[NodeRef], seconds: float) -> Sequence[Element | None]:
        """Elements of one application as they are now, but for where they are; None for one that has gone.

        All within so many seconds; raises NotAnswering.
        """
        ...

    def windows(self, app: AccessibleApp, seconds: float) -> Sequence[Element]:
        """The application's windows, without their places."""
        ...

    def events(self, app: AccessibleApp) -> AbstractContextManager["TreeEvents"]:
        """Watch what changes in an application's tree from now on."""
        ...

    def listen(self, app: AccessibleApp) -> AbstractContextManager["NodeEvents"]:
        """Hear what happens to each of an application's elements from now on."""
        ...

    def sends(self, app: AccessibleApp) -> Sequence[EventKind]:
        """Which kinds of events an application of this toolkit sends."""
        ...


class TreeEvents(Protocol):
    """Reports of changes of a tree."""

    def fileno(self) -> int: ...

    def take(self) -> int:
        """How many changes there were since the last time."""
        ...


class NodeChange(NamedTuple):
    """Something that has happened to an element; `added` tells whether children came (1) or went (-1)."""

    kind: EventKind
    node: NodeRef
    added: int = 0


class NodeEvents(Protocol):
    """Reports of what happens to an application's elements."""

    ended: bool
    """Whether the application has gone."""

    def fileno(self) -> int: ...

    def take(self) -> Sequence[NodeChange]:
        """What has happened since the last time, in order."""
        ...
