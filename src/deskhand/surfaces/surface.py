"""What a set of tools says about itself. Each surface overrides only its own manners."""

import base64
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from deskhand.desk import Desk
from deskhand.guard.seat_file import Holder
from deskhand.model.errors import DeskError
from deskhand.model.image import Picture
from deskhand.tools import AnyTool, Catalogue, Effect

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
    asked_as: str = ""
    """The name it was called by, where that is another tool's."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which tools are wished for. `only` None stands for every tool."""

    only: Collection[str] | None = None
    without: Collection[str] = ()
    read_only: bool = False

    def permits(self, tool: AnyTool) -> bool:
        """Whether a tool may be used at all, by any name."""
        # What needs the seat is not read-only: taking it keeps others from acting.
        harmless = tool.effect is Effect.READS and not tool.session
        return tool.name not in self.without and (harmless or not self.read_only)

    def keeps(self, tool: AnyTool) -> bool:
        """Whether a tool is to be served."""
        return self.permits(tool) and (self.only is None or tool.name in self.only)


class Surface(ABC):
    """One set of tools, and how it speaks."""

    name: str
    instructions: str
    tools: Catalogue

    def choose(self, choice: Choice) -> None:
        """Serve no more than what is wished for."""
        self.tools = self.tools.only(choice.keeps)

    def serving(self, name: str) -> "Surface":
        """The surface that answers a call of this name."""
        return self

    def instructions_beside(self, taken: Collection[str]) -> str:
        """The instructions where another surface serves the tools of these names."""
        return self.instructions

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


def image_block(picture: Picture) -> dict[str, Any]:
    """A picture as an MCP image block."""
    return {"type": "image", "data": base64.b64encode(picture.data).decode(), "mimeType": picture.mime}
