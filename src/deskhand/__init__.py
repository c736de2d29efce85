"""deskhand: a desktop for AI agents, scripts and people, over MCP and the command line."""

__version__ = "0.1.0"
