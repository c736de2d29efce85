"""The tools as an MCP server: what the SDK is told, in both eras of the protocol."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server

from deskhand import __version__
from deskhand.desk import Desk
from deskhand.model.errors import Aborted, Cancelled
from deskhand.model.turn import Ask
from deskhand.server.asking import asking_by_requests, asks_by_answers
from deskhand.server.call import answer
from deskhand.server.direct import Direct, Report
from deskhand.server.lanes import ACTS, Lanes
from deskhand.server.visit import Visit
from deskhand.surfaces.surface import Reply, Surface

_LAST_ACT_SECONDS = 2.0
# The SDK enters the lifespan of a connection by itself, and takes nothing for it along.
_connection: ContextVar[tuple[asyncio.Event, Direct]] = ContextVar("connection")


@dataclass(frozen=True, slots=True)
class _Calls:
    """The calls of one connection that need nothing of the SDK; each answer is given `more` for the client's era."""

    server: "McpServer"
    visit: Visit
    more: Mapping[str, Any]

    def is_brief(self, name: str) -> bool:
        return self.server.is_brief(name)

    async def call(self, name: str, arguments: Mapping[str, Any], report: Report) -> Reply:
        return {**await self.server.answer(self.visit, name, arguments, report), **self.more}


class McpServer:
    """One desk, spoken over MCP to any number of connections."""

    def __init__(self, surface: Surface, desk: Desk, *, name: str = "deskhand", version: str = __version__) -> None:
        """`name` and `version` are what clients are told of the server."""
        self._surface = surface
        self._desk = desk
        # A lane that ends lets go of everything that it holds pressed; one that holds something stays for the next call.
        self.lanes = Lanes(desk.platforms.forget, lambda: not desk.platforms.holds_a_button())
        desk.hand.soon = self._do_in_acting_lane
        self._tools = [types.Tool.model_validate(entry) for entry in surface.listing()]
        self._server: Server[Visit] = Server(
            name,
            version=version,
            instructions=surface.instructions,
            lifespan=self._client,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        # The modern era wants to be told that a result is whole, and by whom; the legacy one is not told.
        self._modern = {"resultType": "complete", "_meta": {types.SERVER_INFO_META_KEY: self._server.server_info_stamp}}
        self._server.middleware.clear()  # the SDK's tracing costs a tenth of a short call

    def _do_in_acting_lane(self, work: Callable[[], None]) -> None:
        # Lanes that have been closed let go of everything as they end.
        with contextlib.suppress(Cancelled):
            self.lanes.submit(ACTS, work)

    async def run(self, incoming: Any, outgoing: Any, input_ended: asyncio.Event, direct: Direct) -> None:
        """Serve one connection until its messages end; `input_ended` says that no more will come.

        `direct` is told what it may answer by itself.
        """
        _connection.set((input_ended, direct))
        await self._server.run(incoming, outgoing, self._server.create_initialization_options())

    async def answer(
        self, visit: Visit, name: str, arguments: Mapping[str, Any], report: Report, ask: Ask | None = None
    ) -> Reply:
        """The reply to one call of a connection."""
        return await answer(self._surface, visit, self.lanes, name, arguments, report, ask)

    def is_brief(self, name: str) -> bool:
        """Whether there is a tool of this name that neither waits for others nor asks a human."""
        tools = self._surface.serving(name).tools
        return name in tools and not tools[name].waits

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
        input_ended, direct = _connection.get()
        visit = Visit(desk, input_ended, direct)
        try:
            yield visit
        finally:
            await direct.close()
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
            return await self.answer(visit, parameters.name, parameters.arguments or {}, report, ask)

        is_modern = asks_by_answers(context)
        visit.direct.learn(context.params, _Calls(self, visit, self._modern if is_modern else {}))
        if not is_modern:
            return await begin(asking_by_requests(context))
        try:
            reply = await visit.open_calls.go_on(context, parameters, begin)
        except Aborted as error:
            reply = self._surface.refuse(error)
        return reply if isinstance(reply, types.InputRequiredResult) else reply | self._modern
