"""What has happened in one application and nobody has read yet: bounded, and what repeats itself stands there once."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from deskhand.model.element import Element
from deskhand.model.event import Event, EventKind

CAPACITY: Final = 10_000
_LAST_COUNTS: Final = frozenset(
    {EventKind.TEXT, EventKind.VALUE, EventKind.TITLE, EventKind.STRUCTURE, EventKind.WINDOW_MOVED}
)
"""Of these only the last state of a place says anything; each of the others is told."""

_Key = tuple[EventKind, str, int]


class Buffer:
    """Events in the order of their last happening. Not for two threads at once."""

    def __init__(self, number: Callable[[], int], capacity: int = CAPACITY) -> None:
        """`number` gives each event its place among those of all buffers."""
        self._number = number
        self._capacity = capacity
        self._events: OrderedDict[_Key, tuple[int, Event]] = OrderedDict()
        self._focus: _Key | None = None
        self.dropped = 0
        """How many of the oldest have gone to make room, since the last reading."""

    def __len__(self) -> int:
        return len(self._events)

    def put(self, event: Event) -> None:
        """Keep an event; one that repeats another takes its place at the end, and counts it too."""
        number = self._number()
        key = self._key(event, number)
        before = self._events.pop(key, None)
        if before is not None:
            event = replace(event, count=before[1].count + event.count)
        self._events[key] = (number, event)
        if len(self._events) > self._capacity:
            self._events.popitem(last=False)
            self.dropped += 1

    def complete(self, kind: EventKind, subject: str, element: Element) -> None:
        """Give the events of a place that had none the element that belongs to them."""
        for key, (number, event) in self._events.items():
            if key[:2] == (kind, subject) and event.element is None:
                self._events[key] = (number, replace(event, element=element, role=element.role))

    def first(self) -> int | None:
        """The number of the oldest event, None where there is none."""
        return next(iter(self._events.values()))[0] if self._events else None

    def take(self) -> Event:
        """The oldest event, which is kept no longer."""
        return self._events.popitem(last=False)[1][1]

    def take_dropped(self) -> int:
        """How many have gone unread since this was last asked."""
        dropped, self.dropped = self.dropped, 0
        return dropped

    def _key(self, event: Event, number: int) -> _Key:
        if event.kind in _LAST_COUNTS:
            return (event.kind, event.subject, 0)
        if event.kind is not EventKind.FOCUS:
            return (event.kind, event.subject, number)
        # Toolkits tell two or three times that the same element has got the keyboard.
        if self._focus is None or self._focus not in self._events or self._focus[1] != event.subject:
            self._focus = (event.kind, event.subject, number)
        return self._focus
