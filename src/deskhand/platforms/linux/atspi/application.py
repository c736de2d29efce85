"""One application on the accessibility bus, and what is asked of every one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from deskhand.model.errors import NotAnswering
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.dbus import write_body

NAME_PROPERTY: Final = write_body("ss", (names.ACCESSIBLE, "Name"))
DESCRIPTION_PROPERTY: Final = write_body("ss", (names.ACCESSIBLE, "Description"))
PARENT_PROPERTY: Final = write_body("ss", (names.ACCESSIBLE, "Parent"))
TOOLKIT_PROPERTY: Final = write_body("ss", (names.APPLICATION, "ToolkitName"))
VERSION_PROPERTY: Final = write_body("ss", (names.APPLICATION, "Version"))

Question = tuple[str, str, str, str, Sequence[Any] | bytes]
"""(path, interface, member, signature, arguments): a call whose destination the link knows."""


@dataclass(frozen=True, slots=True)
class Application:
    """One application on the accessibility bus. `name` and `toolkit` are empty where it did not answer."""

    bus_name: str
    pid: int
    name: str = ""
    toolkit: str = ""
    version: str = ""
    collects: bool = False
    """Whether it answers Collection.GetMatches."""
    answered: bool = False
    """Whether it has answered all that was asked of it when it was met."""

    @property
    def is_gtk4(self) -> bool:
        return self.toolkit == "GTK"

    @property
    def is_firefox(self) -> bool:
        return self.toolkit == "Gecko"

    @property
    def is_qt(self) -> bool:
        return self.toolkit.startswith("Qt")

    def hangs(self) -> NotAnswering:
        """The error that says that it does not answer."""
        return NotAnswering(f"{self.name or 'the app'} (pid {self.pid}) does not answer")
