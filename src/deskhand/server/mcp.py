"""The tools as an MCP server: what the SDK is told, in both eras of the protocol."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server

from deskhand import __version__
from deskhand.desk import Desk
from deskhand.model.errors import Aborted, Cancelled
from deskhand.model.turn import Ask
from deskhand.server.asking import asking_by_requests, asks_by_answers
from deskhand.server.call import answer
from deskhand.server.lanes import ACTS, Lanes
from deskhand.server.visit import Visit
from deskhand.surfaces.surface import Reply, Surface

_LAST_ACT_SECONDS = 2.0


class McpServer:
    """One desk, spoken over MCP to any number of connections."""

    def __init__(self, surface: Surface, desk: Desk) -> None:
        self._surface = surface
        self._desk = desk
        # A lane that ends lets go of everything that it holds pressed; one that holds something stays for the next call.
        self.lanes = Lanes(desk.platforms.forget, lambda: not desk.platforms.holds_a_button())
        desk.hand.soon = self._do_in_acting_lane
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

    def _do_in_acting_lane(self, work: Callable[[], None]) -> None:
        # Lanes that have been closed let go of everything as they end.
        with contextlib.suppress(Cancelled):
            self.lanes.submit(ACTS, work)

    async def run(self, incoming: Any, outgoing: Any) -> None:
        """Serve one connection until its messages end."""
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
        visit = Visit(desk)
        try:
            yield visit
        finally:
            await visit.open_calls.close()
            await asyncio.to_thread(desk.client_gone)

    async def _list_tools(self, context: Any, parameters: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def _call_tool(self, context: Any, parameters: types.CallToolRequestParams) -> Any:
        visit: Visit = context.lifespan_context
        loop = asyncio.get_running_loop()
        reported = 0

        def report(message: str) -> None:
            nonlocal reported
            reported += 1
            progress = context.session.report_progress(float(reported), None, message)
            asyncio.run_coroutine_threadsafe(progress, loop)

        async def begin(ask: Ask) -> Reply:
            raw = parameters.arguments or {}
            return await answer(self._surface, visit, self.lanes, parameters.name, raw, report, ask)

        if not asks_by_answers(context):
            return await begin(asking_by_requests(context))
        try:
            reply = await visit.open_calls.go_on(context, parameters, begin)
        except Aborted as error:
            reply = self._surface.refuse(error)
        # The modern era wants to be told that this is the whole result; the legacy one is not told.
        return reply if isinstance(reply, types.InputRequiredResult) else reply | {"resultType": "complete"}
