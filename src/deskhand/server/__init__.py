"""How the tools are spoken: MCP over stdio."""
