"""The tools of one surface, by name."""

from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

from deskhand.model.errors import UnknownTool
from deskhand.tools.tool import Tool

AnyTool = Tool[..., Any]


class Catalogue:
    """Every tool declared in the given modules, in the order they are written."""

    def __init__(self, *groups: ModuleType) -> None:
        self._tools: dict[str, AnyTool] = {}
        for group in groups:
            for value in vars(group).values():
                # A compound tool's file also imports other tools: those are not its own.
                if isinstance(value, Tool) and value.handler.__module__ == group.__name__:
                    self._add(value)

    def _add(self, tool: AnyTool) -> None:
        if tool.name in self._tools:
            raise ValueError(f"two tools are called {tool.name!r}")
        self._tools[tool.name] = tool

    @classmethod
    def of(cls, tools: Iterable[AnyTool]) -> "Catalogue":
        """These tools, in this order."""
        catalogue = cls()
        for tool in tools:
            catalogue._add(tool)
        return catalogue

    def only(self, is_kept: Callable[[AnyTool], bool]) -> "Catalogue":
        """The tools that are to be kept, in the same order."""
        return Catalogue.of(tool for tool in self if is_kept(tool))

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __getitem__(self, name: str) -> AnyTool:
        try:
            return self._tools[name]
        except KeyError:
            raise UnknownTool(f"Unknown tool: {name}") from None
