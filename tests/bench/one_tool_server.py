"""What people write without CiteLoom's bridge: a server with one tool on the SDK's own stdio transport."""

from __future__ import annotations

from mcp.server import MCPServer

server = MCPServer("one-tool")


@server.tool()
def echo(text: str) -> str:
    """Give the text back."""
    return text


if __name__ == "__main__":
    server.run("stdio")
