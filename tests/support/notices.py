"""A real notification daemon (dunst) on a bus of its own, and what it has shown."""

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.applications import eventually
from tests.support.bus import private_bus


@dataclass
class Notices:
    """What is shown on one bus; `environment` is that of the desktop, with this bus."""

    environment: dict[str, str]

    def taken_down(self) -> list[tuple[str, str]]:
        """Title and text of each, once they have been shown; they are taken from the screen."""
        eventually(lambda: "Currently displayed: 0" not in self._asked("count"), what="a notification")
        self._asked("close-all")
        (shown,) = json.loads(self._asked("history"))["data"]
        return [(one["summary"]["data"], one["body"]["data"]) for one in shown]

    def _asked(self, what: str) -> str:
        return subprocess.run(
            ["dunstctl", what], env=self.environment, capture_output=True, text=True, check=True, timeout=20
        ).stdout


@contextlib.contextmanager
def shown_on(desktop: Mapping[str, str], folder: Path, *, markup: str = "full") -> Iterator[Notices]:
    """Notifications are shown on a desktop while the block runs. Skips the test where no daemon is installed."""
    if shutil.which("dunst") is None or shutil.which("dunstctl") is None:
        pytest.skip("dunst is not installed")
    settings = folder / "dunstrc"
    settings.write_text(f"[global]\nmarkup = {markup}\n")
    with private_bus(folder) as (address, _):
        environment = {**os.environ, **desktop, "DBUS_SESSION_BUS_ADDRESS": address}
        process = subprocess.Popen(["dunst", "-conf", str(settings)], env=environment, stderr=subprocess.DEVNULL)
        try:
            notices = Notices(environment)
            eventually(lambda: _has_name(environment), what="the daemon on its bus")
            yield notices
        finally:
            process.kill()
            process.wait()


def _has_name(environment: Mapping[str, str]) -> bool:
    return subprocess.run(["dunstctl", "count"], env=environment, capture_output=True, check=False).returncode == 0
