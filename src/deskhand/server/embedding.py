"""deskhand inside a Python program of one's own: a server to start and stop, under the program's own name."""

import asyncio
from dataclasses import replace
from pathlib import Path

from deskhand import __version__
from deskhand.model.geometry import Size
from deskhand.platforms import open_session
from deskhand.platforms.base import Session
from deskhand.server.addresses import Address, open_port, open_socket_file
from deskhand.server.listening import Reception
from deskhand.server.serve import Wishes, load
from deskhand.server.token import load_token


class DeskServer:
    """Serves a desktop to MCP clients from within a running event loop."""

    def __init__(
        self,
        name: str = "deskhand",
        version: str = __version__,
        *,
        embedded: tuple[int, int] | None = None,
        token_file: Path | None = None,
        wishes: Wishes | None = None,
    ) -> None:
        """`name` and `version` are what clients are told of the server.

        `embedded` is the width and height in pixels of a desktop of its own; without, the session around is served.
        With `token_file`, every client must show the token in it. `wishes` says which tools, policy and pace.
        """
        self._name, self._version = name, version
        self._size = Size(*embedded) if embedded else None
        self._token_file = token_file
        self._wishes = replace(wishes or Wishes(), own_desktop=embedded is not None)
        self._lock = asyncio.Lock()
        self._reception: Reception | None = None
        self._session: Session | None = None

    async def start_on_port(self, port: int, host: str = "127.0.0.1") -> int:
        """Listen on a TCP port as well; its number, which for 0 is a free one.

        Raises CannotListen (also for another host than the loopback without a token file), BadToken, BadPolicy and
        UnknownTool. Where there is no desktop, clients are told so at each call.
        """
        opened = open_port(host, port, has_token=self._token_file is not None)
        await self._open(opened)
        return opened.number

    async def start_on_socket(self, path: Path) -> None:
        """Listen on a Unix socket as well. Raises what `start_on_port` does."""
        await self._open(open_socket_file(path))

    async def stop(self) -> None:
        """Hang up on every client, release what is pressed, and end a desktop of its own."""
        async with self._lock:
            reception, session = self._reception, self._session
            self._reception = self._session = None
            if reception is not None:
                await reception.close()
                await reception.server.close()
            if session is not None:
                await asyncio.to_thread(session.close)

    async def _open(self, address: Address) -> None:
        try:
            async with self._lock:
                if self._reception is None:
                    token = load_token(self._token_file) if self._token_file else None
                    server, self._session = await asyncio.to_thread(
                        load, self._open_session, self._wishes, self._name, self._version
                    )
                    self._reception = Reception(server, token)
                await self._reception.open(address)
        except BaseException:
            address.close()
            raise

    def _open_session(self) -> Session:
        return open_session("embedded" if self._size else None, size=self._size)
