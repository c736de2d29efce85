"""Notifications as a daemon shows them; where nothing does, that is said, and what to do."""

from pathlib import Path

import pytest

from deskhand.model.errors import Unsupported
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.linux.notifications import DesktopNotifications
from tests.support.bus import private_bus
from tests.support.notices import shown_on


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


def test_what_is_said_is_text_and_no_markup(desktop: EmbeddedSession, tmp_path: Path) -> None:
    with shown_on(desktop.environment, tmp_path) as notices:
        DesktopNotifications(notices.environment).show("1 < 2 & 3", "<b>bold</b> & more")
        assert notices.taken_down() == [("1 < 2 & 3", "&lt;b&gt;bold&lt;/b&gt; &amp; more")]


def test_a_daemon_that_shows_no_markup_is_given_none(desktop: EmbeddedSession, tmp_path: Path) -> None:
    with shown_on(desktop.environment, tmp_path, markup="no") as notices:
        DesktopNotifications(notices.environment).show("title", "<b>bold</b> & more")
        assert notices.taken_down() == [("title", "<b>bold</b> & more")]
