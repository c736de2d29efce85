"""One connection: its desk, and the order in which its calls begin."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future

from deskhand.desk import Desk
from deskhand.model.turn import Turn
from deskhand.server.asking import OpenCalls
from deskhand.server.direct import Direct
from deskhand.surfaces.surface import Call, Reply
from deskhand.tools import Effect


class Visit:
    """What one client has asked for so far.

    A client may write its calls down one after the other without waiting for any answer. So an act waits until the
    seat that was asked for before it has been given, or has not, and until the watch that was asked for hears.
    """

    def __init__(self, desk: Desk, input_ended: asyncio.Event, direct: Direct) -> None:
        self.desk = desk
        self.direct = direct
        self.open_calls = OpenCalls()
        self._input_ended = input_ended
        self._working = 0
        self._calm = asyncio.Event()
        self._calm.set()
        self._asking: set[asyncio.Future[Reply]] = set()
        self._order = asyncio.Lock()

    @contextlib.contextmanager
    def during(self, call: Call, turn: Turn) -> Iterator[None]:
        """A call runs while the block does.

        One that only looks until something happens does so no longer once the input has ended and everything else is
        answered: nobody is left who could make it happen, or wants to hear of it. One that asks a human does so no longer
        than the input goes on.
        """
        if _only_waits(call):
            hurrying = asyncio.create_task(self._hurry(turn))
            try:
                yield
            finally:
                hurrying.cancel()
            return
        self._working += 1
        self._calm.clear()
        asking = asyncio.create_task(self._end_questions(turn)) if call.tool.waits else None
        try:
            yield
        finally:
            if asking is not None:
                asking.cancel()
            self._working -= 1
            if not self._working:
                self._calm.set()

    async def _hurry(self, turn: Turn) -> None:
        await self._input_ended.wait()
        await self._calm.wait()
        turn.hurry()

    async def _end_questions(self, turn: Turn) -> None:
        await self._input_ended.wait()
        turn.end_questions()

    async def begin(self, call: Call, submit: Callable[[], Future[Reply]]) -> Future[Reply]:
        """Submit a call when it is its turn."""
        if _only_waits(call):
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


def _only_waits(call: Call) -> bool:
    return call.tool.waits and call.tool.effect is Effect.READS
