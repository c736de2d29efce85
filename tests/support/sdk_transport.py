"""The SDK's own client over a socket: it brings no transport for one, so here is what it speaks through."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from tests.support.listening import Where, connected


@asynccontextmanager
async def transport_to(where: Where) -> AsyncIterator[Any]:
    """What the SDK's client speaks through: streams of messages, each a line."""
    coming, came = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    going, went = anyio.create_memory_object_stream[SessionMessage](0)
    reader, writer = await asyncio.open_connection(sock=connected(where), limit=1 << 26)

    async def read() -> None:
        async with coming:
            async for line in reader:
                await coming.send(SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False)))

    async def write() -> None:
        async for message in went:
            dumped = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            writer.write(dumped.encode() + b"\n")
            await writer.drain()

    async with anyio.create_task_group() as tasks, came, went:
        tasks.start_soon(read)
        tasks.start_soon(write)
        yield came, going
        writer.close()
        tasks.cancel_scope.cancel()
