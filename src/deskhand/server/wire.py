"""A connection's lines: JSON-RPC messages in and out, whatever carries them.

The SDK's own transport loses the answers that are still being worked on when its input ends, and drops what it cannot
read without a word; here every request is answered before the end, and a line that is no message gets its error.
"""

import asyncio
import logging
from collections import Counter
from typing import Any, Final, Self

import mcp_types as types
from mcp.shared.message import SessionMessage

from deskhand.server.direct import Direct, Outlet
from deskhand.server.lines import Unreadable, line_of_sdk, message_of, parsed, plain
from deskhand.server.mcp import McpServer
from deskhand.server.opening import Opening

_DRAIN_SECONDS: Final = 30.0
_ABANDON_SECONDS: Final = 2.0
_META_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
_HANDSHAKE: Final[dict[str, Any]] = {
    "jsonrpc": "2.0",
    "id": "the handshake that was left out",
    "method": "initialize",
    "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "unknown", "version": "0"}},
}
_SHAKEN: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}
logger = logging.getLogger(__name__)


class _Stream:
    """One SDK session's messages: a read stream and a write stream in one."""

    def __init__(self, outlet: Outlet, opening: Opening) -> None:
        self._outlet = outlet
        self._opening = opening
        self._incoming: asyncio.Queue[SessionMessage | None] = asyncio.Queue()
        self._unanswered: Counter[str | int] = Counter()
        self._idle = asyncio.Event()
        self._idle.set()
        self.direct = Direct(outlet)
        self.ended = asyncio.Event()
        """Set when the end has come up."""

    def takes_directly(self, raw: Any) -> bool:
        """Whether some JSON that has come is answered beside the SDK, which has nothing to do just now."""
        return not self._unanswered and self.direct.takes(raw)

    def feed(self, message: types.JSONRPCMessage | None) -> None:
        """Hand over a message that has come, or None for the end."""
        if isinstance(message, types.JSONRPCRequest):
            self._unanswered[plain(message.id)] += 1
            self._idle.clear()
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            request = (message.params or {}).get("requestId")
            if isinstance(request, str | int) and not isinstance(request, bool) and not self.direct.cancel(request):
                self._settle(request)
        self._incoming.put_nowait(None if message is None else SessionMessage(message))

    def assume_handshake(self) -> None:
        """Tell the SDK of a handshake that the client has left out; it does not hear the answer."""
        self.feed(message_of(_HANDSHAKE))
        self.feed(message_of(_SHAKEN))

    def _settle(self, request: str | int) -> None:
        """A request has its answer, or wants none any more."""
        request = plain(request)
        self._unanswered[request] -= 1
        if self._unanswered[request] <= 0:
            del self._unanswered[request]
        if not self._unanswered:
            self._idle.set()

    # The SDK's read stream

    def __aiter__(self) -> "_Stream":
        return self

    async def __anext__(self) -> SessionMessage:
        item = await self._incoming.get()
        if item is not None:
            return item
        self.ended.set()
        try:
            async with asyncio.timeout(_DRAIN_SECONDS):
                await self._idle.wait()
                await self.direct.until_idle()
        except TimeoutError:
            unanswered = self._unanswered.total() + self.direct.running
            logger.warning("ending with %d calls unanswered", unanswered)
        raise StopAsyncIteration

    async def receive(self) -> SessionMessage:
        return await self.__anext__()

    async def aclose(self) -> None:
        """Nothing to close: the connection outlives an SDK session."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    # The SDK's write stream

    async def send(self, item: SessionMessage) -> None:
        message = item.message
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
            result = message.result if isinstance(message, types.JSONRPCResponse) else None
            if message.id != _HANDSHAKE["id"] and not self._opening.is_given(message.id, result):
                self._write(message)
            self._settle(message.id)
        else:
            self._write(message)
        await self._outlet.drain()

    def _write(self, message: types.JSONRPCMessage) -> None:
        self._outlet.write(line_of_sdk(message))


class Conversation:
    """One connection: reads its lines, and runs the SDK on them.

    A client may ask `server/discover` first and, when it does not like the answer, fall back to `initialize`; the SDK
    holds a connection to the era of its first request, so a new SDK session is begun for that. A single request without
    any handshake, as people pipe in, is answered as if the oldest had been made.
    """

    def __init__(self, server: McpServer, outlet: Outlet, opening: Opening) -> None:
        self._server = server
        self._outlet = outlet
        self._opening = opening
        self._stream: _Stream | None = None
        self._task: asyncio.Task[None] | None = None
        self._only_discovered = True
        self._is_open = False
        self._is_assumed = False
        """Whether the client has left the handshake out."""
        self._is_abandoned = False
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the SDK cannot go on, with the reason."""

    def take(self, line: bytes) -> None:
        """A line that has come."""
        try:
            raw = parsed(line)
            if self._stream is None or not self._stream.takes_directly(raw):
                self._put(message_of(raw))
        except Unreadable as unreadable:
            self._outlet.write(unreadable.answer)

    def _put(self, message: types.JSONRPCMessage) -> None:
        """A message for the SDK has come."""
        if isinstance(message, types.JSONRPCRequest):
            if message.method == "initialize" and (self._only_discovered or self._is_assumed):
                self._leave()
            self._only_discovered = self._only_discovered and message.method == "server/discover"
        stream = self._stream or self._begin()
        if isinstance(message, types.JSONRPCRequest) and message.method != "ping" and not self._is_open:
            self._is_open, self._is_assumed = True, not _opens(message)
            if self._is_assumed:
                stream.assume_handshake()
        stream.feed(message)

    async def until_over(self, ended: asyncio.Event, gone: asyncio.Event) -> None:
        """Go on until `ended` and all is answered, until `gone`, or until it has `failed`."""

        async def finish() -> None:
            await ended.wait()
            await self.finish()

        leaving, finishing = asyncio.create_task(gone.wait()), asyncio.create_task(finish())
        try:
            await asyncio.wait((leaving, finishing, self.failed), return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            finishing.cancel()
            await self.abandon()

    async def finish(self) -> None:
        """The input has ended: answer everything that is still open, then end."""
        if self._stream is not None:
            self._stream.feed(None)
        if self._task is not None:
            await self._task

    async def abandon(self) -> None:
        """Nobody listens any more: stop what is still going on."""
        self._is_abandoned = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=_ABANDON_SECONDS)

    def _leave(self) -> None:
        """End the SDK session, if there is one; the next message begins another."""
        if self._stream is not None:
            self._stream.feed(None)
        self._stream, self._is_open = None, False

    def _begin(self) -> _Stream:
        before, stream = self._task, _Stream(self._outlet, self._opening)
        self._stream = stream

        async def run() -> None:
            if before is not None:
                await before
            try:
                await self._server.run(stream, stream, stream.ended, stream.direct)
            except Exception as error:
                # An SDK that is cancelled may fail in the middle of what it does; nobody waits for that any more.
                if not self._is_abandoned and not self.failed.done():
                    logger.exception("the conversation has broken down")
                    self.failed.set_exception(error)

        self._task = asyncio.create_task(run())
        return stream


def _opens(message: types.JSONRPCRequest) -> bool:
    """Whether a request may come first: a handshake, or one that carries what a handshake would have agreed on."""
    meta = (message.params or {}).get("_meta")
    return message.method in ("initialize", "server/discover") or (isinstance(meta, dict) and _META_VERSION in meta)
