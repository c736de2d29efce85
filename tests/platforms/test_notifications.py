"""Notifications where nothing shows them: that is said, and what to do."""

from pathlib import Path

import pytest

from deskhand.model.errors import Unsupported
from deskhand.platforms.linux.notifications import DesktopNotifications
from tests.support.bus import private_bus


@pytest.mark.parametrize("address", ["", "unix:path=/nonexistent/bus"])
def test_without_a_bus(address: str) -> None:
    with pytest.raises(Unsupported, match="no session bus"):
        DesktopNotifications({"DBUS_SESSION_BUS_ADDRESS": address}).show("title", "text")


def test_a_bus_that_is_gone(tmp_path: Path) -> None:
    with private_bus(tmp_path) as (address, process):
        process.kill()
        process.wait()
        with pytest.raises(Unsupported):
            DesktopNotifications({"DBUS_SESSION_BUS_ADDRESS": address}).show("title", "text")
