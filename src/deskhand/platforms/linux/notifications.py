"""Notifications as desktops show them (Desktop Notifications Specification 1.2), over the session bus."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from deskhand.model.errors import NotAnswering, Unsupported
from deskhand.platforms.linux.dbus.connection import Call, Connection
from deskhand.platforms.linux.dbus.errors import BusError, ConnectionLost, Unanswered

_NAME: Final = "org.freedesktop.Notifications"
_PATH: Final = "/org/freedesktop/Notifications"
_AS_LONG_AS_USUAL: Final = -1
_SECONDS: Final = 5.0
"""The bus may have to start the program that shows them."""


@dataclass(frozen=True, slots=True)
class DesktopNotifications:
    """Each is shown over a connection of its own: there are few."""

    environment: Mapping[str, str]

    def show(self, title: str, text: str) -> None:
        """Raises Unsupported where nothing on the desktop shows them."""
        try:
            connection = Connection(self.environment.get("DBUS_SESSION_BUS_ADDRESS", ""))
        except ConnectionLost as error:
            raise Unsupported(
                f"the desktop has no session bus to show notifications over ({error})",
                recovery="start the session with dbus-run-session, or leave the notification out",
            ) from None
        try:
            self._notify(connection, title, text)
        finally:
            connection.close()

    def _notify(self, connection: Connection, title: str, text: str) -> None:
        hints: dict[str, Any] = {}
        nothing: list[str] = []
        try:
            abilities = connection.call(Call(_NAME, _PATH, _NAME, "GetCapabilities"), timeout=_SECONDS)
            body = html.escape(text, quote=False) if "body-markup" in abilities else text
            arguments = ("deskhand", 0, "", title, body, nothing, hints, _AS_LONG_AS_USUAL)
            call = Call(_NAME, _PATH, _NAME, "Notify", "susssasa{sv}i", arguments)
            connection.call(call, timeout=_SECONDS)
        except Unanswered:
            raise NotAnswering("what shows notifications on this desktop does not answer") from None
        except (BusError, ConnectionLost) as error:
            raise Unsupported(
                f"nothing on this desktop shows notifications ({error})",
                recovery="start a notification daemon (dunst, xfce4-notifyd), or leave the notification out",
            ) from None
