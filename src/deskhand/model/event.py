"""What happened in an application that somebody watches."""

from dataclasses import dataclass
from enum import StrEnum

from deskhand.model.element import Element


class EventKind(StrEnum):
    """What has changed."""

    FOCUS = "focus"
    TEXT = "text"
    VALUE = "value"
    TITLE = "title"
    STRUCTURE = "structure"
    WINDOW_OPENED = "window_opened"
    WINDOW_CLOSED = "window_closed"
    WINDOW_ACTIVATED = "window_activated"
    WINDOW_MOVED = "window_moved"
    APP_STARTED = "app_started"
    APP_ENDED = "app_ended"


WINDOW_KINDS = frozenset(kind for kind in EventKind if kind.startswith("window"))
"""What the window manager tells of any application."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event, or several of the same kind in the same place: `count` of them, the last one at `time`.

    `subject` is the place: an element's path, a window's number. `element` is None where there is nothing to act on
    (any more); then `role` and `title` are all that is known.
    """

    time: float
    app: str
    kind: EventKind
    subject: str
    role: str
    title: str
    value: str | None = None
    element: Element | None = None
    count: int = 1
