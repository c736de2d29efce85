"""Hearing what happens in an application: that its tree has changed, or what of it, and where."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Self

from deskhand.model.element import NodeRef
from deskhand.model.errors import DesktopLost
from deskhand.model.event import EventKind
from deskhand.platforms.base import NodeChange
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.application import Application
from deskhand.platforms.linux.dbus import (
    BusError,
    Call,
    Connection,
    ConnectionLost,
    MalformedMessage,
    Signal,
    Unanswered,
)

# Named one by one: GTK 3 floods whoever asks for "object:" with every change of bounds.
_TREE_EVENTS: Final = (
    "object:children-changed",
    "object:state-changed:showing",
    "object:state-changed:checked",
    "object:state-changed:pressed",
    "object:state-changed:selected",
    "object:state-changed:expanded",
    "object:text-changed",
    "object:property-change:accessible-name",
    "object:property-change:accessible-value",
    "window:create",
    "window:destroy",
)
# Sent whether asked for or not. The keyboard goes to a button that does nothing, too, and Chromium's tabs tell how much
# memory they use.
_NOTHING: Final = re.compile(rb".{4}focused\0|.*- Memory usage -", re.DOTALL)
_OBJECT: Final = "org.a11y.atspi.Event.Object"
_WINDOW: Final = "org.a11y.atspi.Event.Window"

# What each signal means: its member, and the first word of what it says ("" where that does not matter).
_MEANINGS: Final = {
    ("StateChanged", "focused"): EventKind.FOCUS,
    ("TextChanged", ""): EventKind.TEXT,
    ("PropertyChange", "accessible-value"): EventKind.VALUE,
    ("StateChanged", "checked"): EventKind.VALUE,
    ("StateChanged", "pressed"): EventKind.VALUE,
    ("StateChanged", "selected"): EventKind.VALUE,
    ("StateChanged", "expanded"): EventKind.VALUE,
    ("PropertyChange", "accessible-name"): EventKind.TITLE,
    ("ChildrenChanged", ""): EventKind.STRUCTURE,
}
_KINDS: Final = tuple(dict.fromkeys(_MEANINGS.values()))
_UNSENT: Final[Mapping[str, Sequence[EventKind]]] = {"qt": (EventKind.STRUCTURE,)}
_WATCHED_EVENTS: Final = (
    "object:state-changed:focused",
    "object:state-changed:checked",
    "object:state-changed:pressed",
    "object:state-changed:selected",
    "object:state-changed:expanded",
    "object:text-changed",
    "object:property-change:accessible-name",
    "object:property-change:accessible-value",
    "object:children-changed",
)
_HEARD_SECONDS: Final = 0.1
_BUS: Final = "org.freedesktop.DBus"


class Listening:
    """Signals of one application; they come while it is entered.

    On a connection of its own: GTK 3 asks the registry about every key, and waits for the answer, for as long as any
    connection that has ever listened is open. Its end takes everything back that was asked for on it.
    """

    def __init__(self, address: Callable[[], str], bus_name: str, rules: Sequence[str], events: Sequence[str]) -> None:
        """`rules` say which signals the bus is to pass on, `events` which ones the application is to send."""
        self._address = address
        self._bus_name = bus_name
        self._rules = rules
        self._events = events
        self._opened: Connection | None = None

    def __enter__(self) -> Self:
        try:
            self._opened = Connection(self._address())
            self._opened.batch(list(self._subscriptions()))
            # Once it answers, the application has heard that somebody listens.
            root = Call(self._bus_name, names.ROOT_PATH, names.ACCESSIBLE, "GetRole")
            self._opened.batch([root], timeout=_HEARD_SECONDS)
        except (ConnectionLost, BusError, Unanswered) as error:
            self.__exit__()
            raise DesktopLost(f"the accessibility bus has gone: {error}") from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def fileno(self) -> int:
        return self._connection.fileno()

    def signals(self) -> list[Signal]:
        """What has come since the last time."""
        connection = self._connection
        try:
            while connection.wait(0):
                pass
        except ConnectionLost as error:
            raise DesktopLost(f"the accessibility bus has gone: {error}") from None
        came = list(connection.signals)
        connection.signals.clear()
        return came

    @property
    def _connection(self) -> Connection:
        assert self._opened is not None, "it listens only while it is entered"
        return self._opened

    def _subscriptions(self) -> Iterator[Call]:
        for rule in self._rules:
            yield Call(_BUS, "/org/freedesktop/DBus", _BUS, "AddMatch", "s", (f"type='signal',{rule}",))
        for event in self._events:
            # Not with the application's name: what is asked of one alone the registry never takes back (2.46).
            asked: tuple[Any, ...] = (event, [], "")
            yield Call(names.REGISTRY, names.REGISTRY_PATH, names.REGISTRY, "RegisterEvent", "sass", asked)


class TreeChanges(Listening):
    """Reports that something in an application's tree has changed; listens while it is entered."""

    def __init__(self, address: Callable[[], str], bus_name: str) -> None:
        rules = [f"sender='{bus_name}',interface='{interface}'" for interface in (_OBJECT, _WINDOW)]
        super().__init__(address, bus_name, rules, _TREE_EVENTS)

    def __enter__(self) -> Self:
        super().__enter__()
        self._connection.signals.clear()
        return self

    def take(self) -> int:
        """How many changes there were since the last time."""
        told = (signal for signal in self.signals() if signal.sender == self._bus_name)
        return sum(_NOTHING.match(signal.body) is None for signal in told)


class NodeChanges(Listening):
    """Reports what has changed, element by element; listens while it is entered."""

    def __init__(self, address: Callable[[], str], bus_name: str) -> None:
        super().__init__(address, bus_name, list(_rules(bus_name)), _WATCHED_EVENTS)
        self.ended = False
        """Whether the application has gone from the accessibility bus."""

    def take(self) -> list[NodeChange]:
        """What has happened since the last time, in order."""
        changes: list[NodeChange] = []
        for signal in self.signals():
            if signal.sender == self._bus_name:
                change = self._change(signal)
                if change is not None:
                    changes.append(change)
            elif signal.member == "NameOwnerChanged" and _said(signal)[:3:2] == (self._bus_name, ""):
                self.ended = True
        return changes

    def _change(self, signal: Signal) -> NodeChange | None:
        """What a signal means, None for nothing that is watched for."""
        said = _said(signal)
        if len(said) < 3 or not isinstance(said[0], str):
            return None
        word, flag = said[0], said[1]
        kind = _MEANINGS.get((signal.member, word)) or _MEANINGS.get((signal.member, ""))
        # Losing the keyboard is told by who gets it; windows that come and go are told by the window manager.
        is_told_otherwise = (kind is EventKind.FOCUS and flag != 1) or signal.path == names.ROOT_PATH
        if kind is None or is_told_otherwise:
            return None
        added = 0 if kind is not EventKind.STRUCTURE else -1 if word.startswith("remove") else 1
        return NodeChange(kind, NodeRef(self._bus_name, signal.path), added)


def kinds_sent_by(application: Application) -> Sequence[EventKind]:
    """Which kinds of events an application sends, by what was measured of its toolkit."""
    return [kind for kind in _KINDS if kind not in _UNSENT.get("qt" if application.is_qt else "", ())]


def _rules(bus_name: str) -> Iterator[str]:
    for member, word in _MEANINGS:
        told = f",arg0='{word}'" if word else ""
        yield f"sender='{bus_name}',interface='{_OBJECT}',member='{member}'{told}"
    yield f"sender='{_BUS}',interface='{_BUS}',member='NameOwnerChanged',arg0='{bus_name}'"


def _said(signal: Signal) -> tuple[object, ...]:
    try:
        return signal.values
    except MalformedMessage:
        return ()
