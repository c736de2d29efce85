"""Following one process while it runs: its windows, as the window manager tells, and its elements, as it tells itself."""

import contextlib
import time
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from deskhand.desktop import apps
from deskhand.desktop.apps import RunningApp
from deskhand.desktop.observers.node_changes import NodeChanges
from deskhand.desktop.observers.window_changes import changes, windows_of
from deskhand.model.element import Element
from deskhand.model.errors import ElementGone, NotAnswering
from deskhand.model.event import WINDOW_KINDS, Event, EventKind
from deskhand.model.turn import HasFileno, Turn
from deskhand.model.window import Window
from deskhand.platforms.base import AccessibleApp, NodeEvents, Platform, WindowEvents

_HOUR: Final = 3600.0
_LOOK_AGAIN_SECONDS: Final = 0.05
_ANSWER_SECONDS: Final = 0.3
"""How long after an application did not answer it is asked again."""

_TREE_SECONDS: Final = 5.0
"""How long after its window an application may take until it can be looked into."""

_READ_SECONDS: Final = 0.5
_MOST_LOOKS: Final = 10
_WITHOUT_ELEMENT: Final = frozenset({EventKind.WINDOW_CLOSED})


class Told(Protocol):
    """Who is told."""

    def tell(self, event: Event) -> None: ...

    def complete(self, kind: EventKind, subject: str, element: Element) -> None: ...

    def hears(self, kinds: Sequence[EventKind]) -> None: ...


class Following:
    """One process of an application, from now until it ends."""

    def __init__(self, platform: Platform, windows: WindowEvents, turn: Turn, app: RunningApp, told: Told) -> None:
        self._platform = platform
        self._window_events = windows
        self._turn = turn
        self._pid = app.app.pid
        self._name = app.app.name
        self._told = told
        self._app = app.accessible
        self._changes = NodeChanges(platform.accessibility, self._name)
        self._windows: Mapping[int, Window] = {}
        self._lacking: dict[tuple[EventKind, int], int] = {}
        """Events of windows whose elements were not there yet, and how often they were looked for."""

    def follow(self, *, is_new: bool) -> bool:
        """Tell what happens until the process ends; of one that `is_new`, also which windows it has by now.

        Whether it is sure that the process has ended: all that others tell is that their last window has closed.
        """
        if not is_new:
            self._windows = windows_of(self._platform, self._pid)
        with contextlib.ExitStack() as stack:
            events: NodeEvents | None = None
            if self._app is None:
                self._told.hears(self._kinds())
            deadline = time.monotonic() + _TREE_SECONDS
            while True:
                if events is None and (self._app or self._find_tree()):
                    events = stack.enter_context(self._platform.accessibility.listen(self._accessible))
                    self._told.hears(self._kinds())
                self._look_at_windows()
                if events is None and not self._windows:
                    return False
                if events is not None:
                    self._look_at_elements(events)
                    if events.ended:  # which that look has found out: nothing would wake us for it again
                        self._close_windows()
                        return True
                self._wait(events, may_have_tree=time.monotonic() < deadline)

    @property
    def _accessible(self) -> AccessibleApp:
        assert self._app is not None
        return self._app

    def _find_tree(self) -> bool:
        """Whether the application can be looked into by now."""
        found = next((one for one in apps.running(self._platform) if one.app.pid == self._pid), None)
        self._app = found.accessible if found else None
        return self._app is not None

    def _kinds(self) -> Sequence[EventKind]:
        of_windows = [kind for kind in EventKind if kind in WINDOW_KINDS]
        of_elements: Sequence[EventKind] = ()
        if self._app is not None:
            with contextlib.suppress(ElementGone):
                of_elements = self._platform.accessibility.sends(self._app)
        return [*of_elements, *of_windows]

    def _wait(self, events: NodeEvents | None, *, may_have_tree: bool) -> None:
        sources: list[HasFileno] = [self._window_events]
        if events is not None:
            sources.append(events)
        elif not may_have_tree:
            self._lacking.clear()
        is_unfinished = bool(self._lacking) or (events is None and may_have_tree)
        pause = _LOOK_AGAIN_SECONDS if is_unfinished else _ANSWER_SECONDS if self._changes.waits else _HOUR
        self._turn.wait(sources, pause)

    def _look_at_elements(self, events: NodeEvents) -> None:
        self._changes.add(events.take())
        for event in self._changes.take() if self._changes else ():
            self._told.tell(event)

    # ------------------------------------------------------------ windows

    def _look_at_windows(self) -> None:
        """Tell what has happened to windows, and find the elements of those that had none before."""
        if self._window_events.take() or not self._windows:
            now = windows_of(self._platform, self._pid)
            events = list(changes(self._name, self._windows, now))
            self._windows = now
            for event in events:
                self._told.tell(event)
                if event.kind not in _WITHOUT_ELEMENT:
                    self._lacking[event.kind, int(event.subject)] = 0
        if self._lacking and self._app is not None:
            self._find_elements()

    def _find_elements(self) -> None:
        found = self._elements_of_windows()
        for (kind, number), looks in list(self._lacking.items()):
            element = found.get(number)
            if element is not None:
                self._told.complete(kind, str(number), element)
            if element is not None or looks >= _MOST_LOOKS or number not in self._windows:
                del self._lacking[kind, number]
            else:
                self._lacking[kind, number] = looks + 1

    def _elements_of_windows(self) -> dict[int, Element]:
        """By window; those of the same title cannot be told apart."""
        try:
            elements = list(self._platform.accessibility.windows(self._accessible, _READ_SECONDS))
        except (ElementGone, NotAnswering):
            return {}
        found: dict[int, Element] = {}
        for number, window in self._windows.items():
            titled = [element for element in elements if element.title == window.title.strip()]
            fitting = titled or (elements if len(self._windows) == 1 else [])
            if len(fitting) == 1:
                found[number] = fitting[0]
        return found

    def _close_windows(self) -> None:
        """The application has gone, and so have its windows."""
        for event in changes(self._name, self._windows, {}):
            self._told.tell(event)
