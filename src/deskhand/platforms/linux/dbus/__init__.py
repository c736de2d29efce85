"""A small D-Bus client that asks many questions at once and waits for no answer longer than it was told to."""

from deskhand.platforms.linux.dbus.connection import (
    BusError,
    Call,
    Connection,
    ConnectionLost,
    Signal,
    Unanswered,
)
from deskhand.platforms.linux.dbus.wire import write_body

__all__ = ["BusError", "Call", "Connection", "ConnectionLost", "Signal", "Unanswered", "write_body"]
