"""Applications, processes and commands."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from deskhand.model.app import InstalledApp
from deskhand.model.command import Finished
from deskhand.model.machine import Machine
from deskhand.model.turn import Turn


class Apps(Protocol):
    """Installed applications."""

    def installed(self) -> Sequence[InstalledApp]: ...

    def launch(self, app: InstalledApp, arguments: Sequence[str] = (), directory: Path | None = None) -> int:
        """Start an application; the number of its process."""
        ...


class System(Protocol):
    """The machine."""

    def state(self) -> Machine: ...

    def process_name(self, pid: int) -> str:
        """What the program of a process is called, "" where there is none."""
        ...


class Shell(Protocol):
    """Commands of the shell, with the rights of whoever runs this."""

    def run(self, command: str, turn: Turn, *, seconds: float, most_bytes: int) -> Finished:
        """Run one to its end, its input closed.

        Raises NotPossible for one that takes longer or says more, and as `turn.wait` does; it is ended then, with all
        that it has started.
        """
        ...
