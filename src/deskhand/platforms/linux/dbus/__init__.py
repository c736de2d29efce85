"""A small D-Bus client that asks many questions at once and waits for no answer longer than it was told to."""

from deskhand.platforms.linux.dbus.connection import Call, Connection, Signal
from deskhand.platforms.linux.dbus.errors import BusError, ConnectionLost, Unanswered
from deskhand.platforms.linux.dbus.wire import MalformedMessage, write_body

__all__ = [
    "BusError",
    "Call",
    "Connection",
    "ConnectionLost",
    "MalformedMessage",
    "Signal",
    "Unanswered",
    "write_body",
]
