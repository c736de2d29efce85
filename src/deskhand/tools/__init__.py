"""How a tool is declared: `@tool(...)` above a typed function, and nowhere else."""

from deskhand.tools.catalogue import AnyTool, Catalogue
from deskhand.tools.schema import ABSENT, arg
from deskhand.tools.tool import Check, Effect, Tool, tool

__all__ = ["ABSENT", "AnyTool", "Catalogue", "Check", "Effect", "Tool", "arg", "tool"]
