"""One connection: its desk, and the order in which its calls begin."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future

from deskhand.desk import Desk
from deskhand.server.asking import OpenCalls
from deskhand.surfaces.surface import Call, Reply
from deskhand.tools import Effect


class Visit:
    """What one client has asked for so far.

    A client may write its calls down one after the other without waiting for any answer. So an act waits until the
    seat that was asked for before it has been given, or has not, and until the watch that was asked for hears.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.open_calls = OpenCalls()
        self._asking: set[asyncio.Future[Reply]] = set()
        self._order = asyncio.Lock()

    async def begin(self, call: Call, submit: Callable[[], Future[Reply]]) -> Future[Reply]:
        """Submit a call when it is its turn."""
        if call.tool.waits and call.tool.effect is Effect.READS:
            return submit()  # whoever looks until something happens keeps nobody from making it happen
        if call.tool.waits:
            work = submit()
            asking = asyncio.wrap_future(work)
            self._asking.add(asking)
            asking.add_done_callback(self._asking.discard)
            return work
        if not call.tool.session:
            return submit()
        before = tuple(self._asking)
        async with self._order:  # which is fair: no act overtakes another
            if before:
                await asyncio.wait(before)
            return submit()
