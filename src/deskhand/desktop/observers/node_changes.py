"""Changes of elements on their way to being told: first it is looked at what the elements are now."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.desktop.elements.branch import STATES_IN_WORDS
from deskhand.model.element import Element, NodeRef
from deskhand.model.errors import ElementGone, NotAnswering
from deskhand.model.event import Event, EventKind
from deskhand.platforms.base import Accessibility, NodeChange

_READ_SECONDS: Final = 0.5
_PROBE_SECONDS: Final = 0.1
_MOST_READ: Final = 200
"""Elements that are looked at after a burst of events; that there were more is told without saying what they are."""

_SPEAKING: Final = frozenset(
    {"label", "text", "paragraph", "heading", "status", "alert", "log", "timer", "window", "dialog", "tab", "document"}
)
"""What tells something by its title. Every other control is given its title while it is made, and keeps it."""


@dataclass(slots=True)
class _Change:
    """One change, the last of `count` like it."""

    last: NodeChange
    time: float
    count: int


class NodeChanges:
    """Changes that nobody has been told of yet, of one application."""

    def __init__(self, accessibility: Accessibility, name: str) -> None:
        self._accessibility = accessibility
        self._name = name
        self._changes: dict[tuple[EventKind, NodeRef], _Change] = {}
        self.waits = False
        """Whether the application did not answer when it was last asked."""

    def __len__(self) -> int:
        return len(self._changes)

    def add(self, came: Sequence[NodeChange]) -> None:
        """Note what has happened; what repeats itself stands at the place of its last time."""
        now = time.time()
        for change in came:
            before = self._changes.pop((change.kind, change.node), None)
            count = before.count + 1 if before else 1
            self._changes[change.kind, change.node] = _Change(change, now, count)

    def take(self) -> Iterator[Event]:
        """What can be told now. Of an application that hangs, nothing, until it answers again."""
        nodes = list(dict.fromkeys(node for _, node in self._changes))[:_MOST_READ]
        try:
            if self.waits:  # one that hangs is not given more to do than it can take
                self._accessibility.glance(nodes[:1], _PROBE_SECONDS)
            found = dict(zip(nodes, self._accessibility.glance(nodes, _READ_SECONDS), strict=True))
        except NotAnswering:
            self.waits = True
            return
        except ElementGone:
            found = dict.fromkeys(nodes)
        self.waits = False
        changes = list(self._changes.values())
        self._changes.clear()
        for change in changes:
            if _says_something(change.last, found):
                yield self._event(change, found.get(change.last.node))

    def _event(self, change: _Change, element: Element | None) -> Event:
        role, title, value = (element.role, element.title, element.value) if element else ("", "", None)
        kind, node = change.last.kind, change.last.node
        if kind is EventKind.STRUCTURE:
            value = "added" if change.last.added > 0 else "removed"
        return Event(change.time, self._name, kind, node.path, role, title, value, element, change.count)


def _says_something(change: NodeChange, found: Mapping[NodeRef, Element | None]) -> bool:
    element = found.get(change.node)
    if element is None:
        return change.node not in found  # what has gone meanwhile is nothing to act on
    if change.kind is EventKind.TITLE:
        return element.role in _SPEAKING
    if change.kind is EventKind.TEXT:
        # To Firefox and LibreOffice an element that comes into another is a change of its text.
        return element.value not in STATES_IN_WORDS
    # The dividers of windows, which GTK 3 counts too.
    return not (change.kind is EventKind.VALUE and element.value is None and element.role == "generic")
