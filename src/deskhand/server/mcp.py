"""The tools as an MCP server: what the SDK is told, in both eras of the protocol."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server

from deskhand import __version__
from deskhand.desk import Desk
from deskhand.server.call import answer
from deskhand.server.lanes import Lanes
from deskhand.server.visit import Visit
from deskhand.surfaces.surface import Surface

_LAST_ACT_SECONDS = 2.0
# The SDK enters the lifespan of a connection by itself, and takes nothing for it along.
_input_ended: ContextVar[asyncio.Event] = ContextVar("input_ended")


class McpServer:
    """One desk, spoken over MCP to any number of connections."""

    def __init__(self, surface: Surface, desk: Desk) -> None:
        self._surface = surface
        self._desk = desk
        # A lane that ends lets go of everything that it holds pressed.
        self.lanes = Lanes(desk.platforms.forget)
        self._tools = [types.Tool.model_validate(entry) for entry in surface.listing()]
        self._server: Server[Visit] = Server(
            "deskhand",
            version=__version__,
            instructions=surface.instructions,
            lifespan=self._client,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self._server.middleware.clear()  # the SDK's tracing costs a tenth of a short call

    async def run(self, incoming: Any, outgoing: Any, input_ended: asyncio.Event) -> None:
        """Serve one connection until its messages end; `input_ended` says that no more will come."""
        _input_ended.set(input_ended)
        await self._server.run(incoming, outgoing, self._server.create_initialization_options())

    async def close(self) -> None:
        """End all lanes and watches, give the seat back, and make recordings whole."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self.lanes.close(_LAST_ACT_SECONDS)
        self._desk.observers.close()
        self._desk.sessions.close()
        self._desk.recordings.close()

    @asynccontextmanager
    async def _client(self, _: Server[Visit]) -> AsyncIterator[Visit]:
        """Each connection has a desk of its own, with its own handles and session."""
        desk = self._desk.for_client()
        try:
            yield Visit(desk, _input_ended.get())
        finally:
            await asyncio.to_thread(desk.client_gone)

    async def _list_tools(self, context: Any, parameters: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def _call_tool(self, context: Any, parameters: types.CallToolRequestParams) -> Any:
        loop = asyncio.get_running_loop()
        reported = 0

        def report(message: str) -> None:
            nonlocal reported
            reported += 1
            progress = context.session.report_progress(float(reported), None, message)
            asyncio.run_coroutine_threadsafe(progress, loop)

        raw = parameters.arguments or {}
        reply = await answer(self._surface, context.lifespan_context, self.lanes, parameters.name, raw, report)
        # The modern era wants to be told that this is the whole result; the SDK leaves it out for the legacy one.
        return reply | {"resultType": "complete"}
