"""Many clients at once: connections to ports and sockets, all served by one server at one desk."""

import asyncio

from deskhand.server.addresses import Address
from deskhand.server.connection import Connection, Limits
from deskhand.server.mcp import McpServer
from deskhand.server.token import Token


class Reception:
    """Takes in whoever connects, as far as there is room, and shows everybody out at the end."""

    def __init__(self, server: McpServer, token: Token | None = None, limits: Limits | None = None) -> None:
        """With a token, every client must show it."""
        self.server = server
        self.token = token
        self.limits = limits or Limits()
        self._connections: set[Connection] = set()
        self._listening: list[tuple[Address, asyncio.Server]] = []

    async def open(self, address: Address) -> None:
        """Take in who comes to this address."""
        loop = asyncio.get_running_loop()
        address.socket.setblocking(False)
        listening = await loop.create_server(lambda: Connection(self), sock=address.socket)
        self._listening.append((address, listening))

    async def close(self) -> None:
        """Listen no more, and end every conversation; what was pressed for it is released."""
        for address, listening in self._listening:
            listening.close()
            address.close()
        self._listening.clear()
        await asyncio.gather(*(connection.close() for connection in tuple(self._connections)))

    def enter(self, connection: Connection) -> str:
        """Take a connection in; why not, where it cannot be."""
        if len(self._connections) >= self.limits.connections:
            return f"{self.limits.connections} clients are connected, and more cannot be"
        strangers = sum(one.is_stranger for one in self._connections)
        if self.token is not None and strangers >= self.limits.strangers:
            return f"{self.limits.strangers} others have not shown their token yet; try again later"
        self._connections.add(connection)
        return ""

    def leave(self, connection: Connection) -> None:
        """A connection has ended."""
        self._connections.discard(connection)
