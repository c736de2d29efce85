"""The accessibility port on an X desktop: AT-SPI, with places corrected by what the X server knows."""

from collections.abc import Callable, Mapping

from deskhand.model.errors import DesktopLost
from deskhand.platforms.linux.atspi.accessibility import AtspiAccessibility
from deskhand.platforms.linux.dbus import BusError, Call, Connection, ConnectionLost, Unanswered
from deskhand.platforms.linux.patience import Patience
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.placement import X11Placement
from deskhand.platforms.x11.windows import X11Windows

_A11Y_BUS = ("org.a11y.Bus", "/org/a11y/bus")


class X11Accessibility(AtspiAccessibility):
    """The accessibility trees of an X desktop."""

    def __init__(
        self, server: XServer, windows: X11Windows, environment: Mapping[str, str], patience: Patience
    ) -> None:
        super().__init__(bus_address(server, environment), X11Placement(windows), patience)


def bus_address(server: XServer, environment: Mapping[str, str]) -> Callable[[], str]:
    """How to find the accessibility bus: told by the environment, the X server, or the session bus (which starts it)."""

    def find() -> str:
        return (
            environment.get("AT_SPI_BUS_ADDRESS")
            or server.text(server.root, "AT_SPI_BUS")
            or ask_session_bus(environment)
        )

    return find


def ask_session_bus(environment: Mapping[str, str]) -> str:
    """The address of the accessibility bus, started if need be. Raises DesktopLost where there is none."""
    session = session_bus_address(environment)
    try:
        connection = Connection(session)
        address = connection.call(Call(*_A11Y_BUS, "org.a11y.Bus", "GetAddress"), timeout=10.0)
        connection.close()
    except (ConnectionLost, BusError, Unanswered) as error:
        raise DesktopLost(
            f"there is no accessibility bus: {error}", recovery="install and start at-spi2-core, then try again"
        ) from None
    return str(address)


def session_bus_address(environment: Mapping[str, str]) -> str:
    """Where the session bus is: as the environment says, or where systemd puts it."""
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    return environment.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={runtime}/bus"


def switch_on(environment: Mapping[str, str]) -> str:
    """Tell every toolkit that somebody reads the screen, so that it builds its tree; the accessibility bus's address.

    Qt and Firefox build none before. Raises DesktopLost where there is no accessibility bus.
    """
    address = ask_session_bus(environment)
    connection = Connection(session_bus_address(environment))
    properties = "org.freedesktop.DBus.Properties"
    for name in ("IsEnabled", "ScreenReaderEnabled"):
        connection.call(Call(*_A11Y_BUS, properties, "Set", "ssv", ("org.a11y.Status", name, ("b", True))))
    connection.close()
    return address
