"""One tools/call, from name to reply. Read it top to bottom: this is the whole path."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from deskhand.desk import Desk
from deskhand.guard.audit import Record
from deskhand.guard.seat_file import Holder
from deskhand.model.errors import Denied, DeskError, DesktopLost, SessionRequired
from deskhand.model.turn import Turn
from deskhand.server.lanes import Lanes, lane_of
from deskhand.surfaces.surface import Call, Reply, Surface
from deskhand.tools import Effect

logger = logging.getLogger(__name__)


async def answer(
    surface: Surface, desk: Desk, lanes: Lanes, name: str, raw: Mapping[str, Any], report: Callable[[str], None]
) -> Reply:
    """Read a call, run it where it belongs, and put what came of it in the surface's words."""
    try:
        call = surface.read(name, raw)
    except DeskError as error:
        return surface.refuse(error)
    turn = Turn(report)
    own = desk.for_call(turn)
    if call.tool.at_once:
        return perform(surface, own, call)
    work = lanes.submit(lane_of(desk, call), lambda: perform(surface, own, call))
    try:
        return await asyncio.wrap_future(work)
    except asyncio.CancelledError:
        turn.cancel()
        raise


def perform(surface: Surface, desk: Desk, call: Call) -> Reply:
    """Run a call that has been read, in its lane."""
    holder: Holder | None = None
    try:
        desk.turn.check()
        holder = surface.admit(desk, call)
        if call.tool.effect is Effect.ACTS and holder is not None:
            with desk.hand.acting(holder.session_id, desk.turn):
                result = call.tool.handler(desk, **call.arguments)
            desk.generation.advance()
        else:
            result = call.tool.handler(desk, **call.arguments)
        reply = surface.reply(desk, call, result)
    except DeskError as error:
        if isinstance(error, DesktopLost):
            desk.platforms.forget()
        _note(desk, call, holder, error)
        return surface.refuse(error)
    except Exception:
        number = uuid4().hex[:8]
        logger.exception("call of %s failed (%s)", call.tool.name, number)
        bug = DeskError(
            f"internal error {number} in {call.tool.name}",
            recovery="the server's stderr tells more; try again, or work around this tool",
        )
        _note(desk, call, holder, bug)
        return surface.refuse(bug)
    finally:
        desk.turn.close()
    _note(desk, call, holder, None)
    return reply


def _note(desk: Desk, call: Call, holder: Holder | None, error: DeskError | None) -> None:
    """Write the audit line of a call that needs the seat."""
    if not call.tool.session:
        return
    denied = isinstance(error, SessionRequired | Denied)
    desk.audit.write(
        Record(
            agent_id=holder.agent_id if holder else "",
            session_id=holder.session_id if holder else "",
            tool=call.tool.name,
            detail=call.told,
            outcome="ok" if error is None else "denied" if denied else "failed",
            reason=str(error) if error else "",
        )
    )
