"""What has happened to an application's windows, told by how they were before and how they are now."""

import time
from collections.abc import Iterator, Mapping

from deskhand.model.event import Event, EventKind
from deskhand.model.window import Window, WindowKind
from deskhand.platforms.base import Platform


def windows_of(platform: Platform, pid: int) -> dict[int, Window]:
    """The windows of a process, by number."""
    return {
        window.id: window for window in platform.windows.all() if window.pid == pid and window.kind.belongs_to_an_app
    }


def changes(app: str, before: Mapping[int, Window], now: Mapping[int, Window]) -> Iterator[Event]:
    """The events between two looks."""
    for number, window in before.items():
        if number not in now:
            yield event_of(app, EventKind.WINDOW_CLOSED, window)
    for number, window in now.items():
        known = before.get(number)
        if known is None:
            yield event_of(app, EventKind.WINDOW_OPENED, window)
        elif known.bounds != window.bounds:
            yield event_of(app, EventKind.WINDOW_MOVED, window)
        if window.active and not (known and known.active):
            yield event_of(app, EventKind.WINDOW_ACTIVATED, window)


def event_of(app: str, kind: EventKind, window: Window) -> Event:
    """An event of a window; where it is now is its value."""
    role = "dialog" if window.kind is WindowKind.DIALOG else "window"
    place = None if kind is EventKind.WINDOW_CLOSED else " ".join(map(str, window.bounds))
    return Event(time.time(), app, kind, str(window.id), role, window.title, place)
