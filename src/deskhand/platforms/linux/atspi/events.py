"""Hearing that something in an application's tree has changed."""

import re
from collections.abc import Callable, Iterator
from typing import Final, Self

from deskhand.model.errors import DesktopLost
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.dbus import BusError, Call, Connection, ConnectionLost, Unanswered

# Named one by one: GTK 3 floods whoever asks for "object:" with every change of bounds.
_EVENTS: Final = (
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
_INTERFACES: Final = ("org.a11y.atspi.Event.Object", "org.a11y.atspi.Event.Window")
_HEARD_SECONDS: Final = 0.1
_BUS: Final = "org.freedesktop.DBus"


def _says_nothing(body: bytes) -> bool:
    return _NOTHING.match(body) is not None


class TreeChanges:
    """Reports of changes of one application's tree; listens while it is entered.

    On a connection of its own: GTK 3 asks the registry about every key, and waits for the answer, for as long as any
    connection that has ever listened is open.
    """

    def __init__(self, address: Callable[[], str], bus_name: str) -> None:
        self._address = address
        self._bus_name = bus_name
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
        self._opened.signals.clear()
        return self

    def __exit__(self, *_: object) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def fileno(self) -> int:
        return self._connection.fileno()

    def take(self) -> int:
        """How many changes there were since the last time."""
        connection = self._connection
        try:
            while connection.wait(0):
                pass
        except ConnectionLost as error:
            raise DesktopLost(f"the accessibility bus has gone: {error}") from None
        count = sum(signal.sender == self._bus_name and not _says_nothing(signal.body) for signal in connection.signals)
        connection.signals.clear()
        return count

    @property
    def _connection(self) -> Connection:
        assert self._opened is not None, "it listens only while it is entered"
        return self._opened

    def _subscriptions(self) -> Iterator[Call]:
        for interface in _INTERFACES:
            rule = f"type='signal',sender='{self._bus_name}',interface='{interface}'"
            yield Call(_BUS, "/org/freedesktop/DBus", _BUS, "AddMatch", "s", (rule,))
        for event in _EVENTS:
            yield Call(names.REGISTRY, names.REGISTRY_PATH, names.REGISTRY, "RegisterEvent", "sass", (event, [], ""))
