"""What a set of tools says about itself. Each surface overrides only its own manners."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deskhand.desk import Desk
from deskhand.guard.seat_file import Holder
from deskhand.model.errors import DeskError
from deskhand.tools import AnyTool, Catalogue

Reply = dict[str, Any]
"""An MCP CallToolResult."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that has been read: which tool, with which values.

    `told` is what the audit may note of them, `is_private` says that there are others.
    """

    tool: AnyTool
    arguments: Mapping[str, Any]
    session_id: str | None
    told: Mapping[str, Any]
    is_private: bool = False


class Surface(ABC):
    """One set of tools, and how it speaks."""

    name: str
    instructions: str
    tools: Catalogue

    def listing(self) -> list[dict[str, Any]]:
        """The tools, as tools/list shows them."""
        return [tool.listing() for tool in self.tools]

    @abstractmethod
    def read(self, name: str, raw: Mapping[str, Any]) -> Call:
        """What a call means. Raises UnknownTool or BadArguments; nothing below checks again."""

    @abstractmethod
    def admit(self, desk: Desk, call: Call) -> Holder | None:
        """The session a call belongs to, None where it needs none; raises where it may not run now."""

    @abstractmethod
    def reply(self, desk: Desk, call: Call, result: object) -> Reply:
        """Put a result in this surface's words."""

    @abstractmethod
    def refuse(self, error: DeskError) -> Reply:
        """Put an error in this surface's words."""
