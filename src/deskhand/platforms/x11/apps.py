"""Starting applications on an X desktop so that they show their accessibility tree."""

import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from deskhand.model.app import InstalledApp
from deskhand.model.errors import Unsupported
from deskhand.platforms.linux.desktop_files import InstalledApps, command_line

Launch = Callable[[Sequence[str], Mapping[str, str], Path | None], int]
"""Starts a command with more environment in a folder; the number of its process."""

# Chromium builds the tree of its pages only when told so at its start, and so does all that is made of it.
_SHOW_PAGES: Final = "--force-renderer-accessibility"
_CHROMIUMS: Final = ("chromium", "chrome", "brave", "vivaldi", "opera", "microsoft-edge", "msedge", "electron")
_TERMINALS: Final = ("x-terminal-emulator", "xterm")
_EXTRA: Final = {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "GNOME_ACCESSIBILITY": "1"}


class X11Apps:
    """The applications of a desktop."""

    def __init__(self, environment: Mapping[str, str], installed: InstalledApps, launch: Launch | None = None) -> None:
        self._environment = environment
        self._installed = installed
        self._launch = launch or self._launch_detached

    def installed(self) -> Sequence[InstalledApp]:
        """Every application that can be started."""
        return self._installed.all()

    def launch(self, app: InstalledApp, arguments: Sequence[str] = (), directory: Path | None = None) -> int:
        """Start an application; the number of its process. Raises Unsupported where it cannot be started."""
        command = command_line(app, arguments)
        if _is_chromium(command[0]):
            command[1:1] = [_SHOW_PAGES, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        if app.in_terminal:
            command = [*self._terminal(app), *command]
        return self._launch(command, _EXTRA, directory)

    def _terminal(self, app: InstalledApp) -> list[str]:
        """What to put before the command of a program that has no window of its own."""
        for terminal in _TERMINALS:
            if shutil.which(terminal, path=self._environment.get("PATH")):
                return [terminal, "-e"]
        raise Unsupported(
            f"{app.name} runs in a terminal, and none is installed", recovery="install one: apt-get install xterm"
        )

    def _launch_detached(self, command: Sequence[str], environment: Mapping[str, str], directory: Path | None) -> int:
        """Start a program of the user's own session: it outlives this process."""
        try:
            process = subprocess.Popen(
                command,
                env={**self._environment, **environment},
                cwd=directory or self._environment.get("HOME") or "/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise Unsupported(f"{command[0]} did not start: {error}") from None
        threading.Thread(target=process.wait, name=f"{command[0]} ends", daemon=True).start()
        return process.pid


def _is_chromium(program: str) -> bool:
    name = os.path.basename(program).lower()
    if any(word in name for word in _CHROMIUMS):
        return True
    # An Electron application brings Chromium's files along with its program.
    folder = Path(os.path.realpath(program)).parent
    return os.path.isabs(program) and (folder / "chrome_100_percent.pak").exists()
