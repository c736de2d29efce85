"""deskhand: a desktop for AI agents, scripts and people, over MCP and the command line."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deskhand.server.embedding import DeskServer

__all__ = ["DeskServer", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """What is public loads when it is used: every command imports this package, and few need it."""
    if name == "DeskServer":
        from deskhand.server.embedding import DeskServer

        return DeskServer
    raise AttributeError(f"module 'deskhand' has no attribute {name!r}")
