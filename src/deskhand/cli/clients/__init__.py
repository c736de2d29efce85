"""The MCP clients that deskhand can be added to: where each keeps its servers, and in which form."""
