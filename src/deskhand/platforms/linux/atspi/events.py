"""Hearing that something in an application's tree has changed."""

import contextlib
from collections.abc import Iterator
from typing import Any, Final, Self

from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.link import AccessibilityBus
from deskhand.platforms.linux.dbus import Call, ConnectionLost

# Named one by one: GTK 3 floods whoever asks for "object:" with every change of bounds.
_EVENTS: Final = (
    "object:children-changed",
    "object:state-changed:showing",
    "object:state-changed:checked",
    "object:state-changed:selected",
    "object:state-changed:expanded",
    "object:text-changed",
    "object:property-change:accessible-name",
    "object:property-change:accessible-value",
    "window:create",
    "window:destroy",
)
_INTERFACES: Final = ("org.a11y.atspi.Event.Object", "org.a11y.atspi.Event.Window")
_BUS: Final = "org.freedesktop.DBus"


class TreeChanges:
    """Reports of changes of one application's tree; listens while it is entered."""

    def __init__(self, bus: AccessibilityBus, bus_name: str) -> None:
        self._bus = bus
        self._bus_name = bus_name

    def __enter__(self) -> Self:
        self._bus.connection.signals.clear()
        self._bus.connection.batch(list(self._subscriptions("AddMatch", "RegisterEvent")))
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ConnectionLost):
            self._bus.connection.batch(list(self._subscriptions("RemoveMatch", "DeregisterEvent")))
            self._bus.connection.signals.clear()

    def fileno(self) -> int:
        return self._bus.connection.fileno()

    def take(self) -> int:
        """How many changes there were since the last time."""
        connection = self._bus.connection
        while connection.wait(0):
            pass
        count = sum(signal.sender == self._bus_name for signal in connection.signals)
        connection.signals.clear()
        return count

    def _subscriptions(self, match: str, register: str) -> Iterator[Call]:
        for interface in _INTERFACES:
            rule = f"type='signal',sender='{self._bus_name}',interface='{interface}'"
            yield Call(_BUS, "/org/freedesktop/DBus", _BUS, match, "s", (rule,))
        for event in _EVENTS:
            arguments: tuple[Any, ...] = (event, [], "") if register == "RegisterEvent" else (event,)
            signature = "sass" if register == "RegisterEvent" else "s"
            yield Call(names.REGISTRY, names.REGISTRY_PATH, names.REGISTRY, register, signature, arguments)
