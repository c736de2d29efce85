"""One tools/call, from name to reply. Read it top to bottom: this is the whole path."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import uuid4

from deskhand.desk import Desk
from deskhand.guard.audit import Record
from deskhand.guard.seat_file import Holder
from deskhand.model.errors import Denied, DeskError, DesktopLost, SessionRequired, StoppedByUser, TooFast
from deskhand.model.turn import Ask, Turn
from deskhand.server.lanes import Lanes, lane_of
from deskhand.server.visit import Visit
from deskhand.surfaces.surface import Call, Reply, Surface
from deskhand.tools import Effect

_DENIALS: Final = (SessionRequired, StoppedByUser, Denied, TooFast)
logger = logging.getLogger(__name__)


async def answer(
    surface: Surface,
    visit: Visit,
    lanes: Lanes,
    name: str,
    raw: Mapping[str, Any],
    report: Callable[[str], None],
    ask: Ask | None = None,
) -> Reply:
    """Read a call, run it where it belongs, and put what came of it in the surface's words."""
    surface = surface.serving(name)
    turn = Turn(report, lanes.step_aside, ask)
    desk = visit.desk.for_call(turn)
    call: Call | None = None
    with contextlib.ExitStack() as running:
        try:
            read = call = surface.read(name, raw)
            running.enter_context(visit.during(read, turn))
            work = await visit.begin(
                read, lambda: lanes.submit(lane_of(desk, read), lambda: perform(surface, desk, read))
            )
        except DeskError as error:
            if call is None:
                await asyncio.to_thread(_note_unread, surface, desk, name, error)
            return surface.refuse(error)
        except Exception:
            bug = _bug_in(name)
            logger.exception("%s", bug)
            return surface.refuse(bug)
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
        desk = desk.for_session(holder)
        desk.policy.check_tool(call.tool.name)
        result = _do(desk, call)
        reply = surface.reply(desk, call, result)
    except DeskError as error:
        if error.acted:
            desk.generation.advance()
        if isinstance(error, DesktopLost):
            desk.platforms.forget()
        _note(desk, call, holder, error)
        return surface.refuse(error)
    except Exception:
        bug = _bug_in(call.tool.name)
        logger.exception("%s", bug)
        _note(desk, call, holder, bug)
        return surface.refuse(bug)
    finally:
        desk.stop_key.over(desk.client.id, desk.turn)
        desk.turn.close()
    _note(desk, call, holder, None)
    return reply


def _do(desk: Desk, call: Call) -> object:
    """Do what a call asks for. What runs in the order of the acts stops when its session ends, acts or not."""
    with contextlib.ExitStack() as stack:
        if desk.holder is not None and (call.tool.effect is Effect.ACTS or call.tool.after_acts):
            stack.enter_context(desk.hand.acting(desk.holder.session_id, desk.turn))
            desk.turn.check()
        result: object = call.tool.handler(desk, **call.arguments)
    if desk.holder is not None and call.tool.makes_stale(result):
        desk.generation.advance()
    return result


def _bug_in(name: str) -> DeskError:
    """What the caller is told of an exception that nobody expected."""
    return DeskError(
        f"internal error {uuid4().hex[:8]} in {name}",
        recovery="the server's stderr tells more; try again, or work around this tool",
    )


def _note(desk: Desk, call: Call, holder: Holder | None, error: DeskError | None) -> None:
    """Write the audit line of a call that needs the seat, or that the policy denies."""
    if not call.tool.session and not isinstance(error, Denied):
        return
    is_denied = isinstance(error, _DENIALS)
    desk.audit.write(
        Record(
            agent_id=holder.agent_id if holder else "",
            session_id=holder.session_id if holder else "",
            tool=call.tool.name,
            detail=call.told,
            outcome="ok" if error is None else "denied" if is_denied else "failed",
            reason=_reason(call, error, is_denied) if error else "",
        )
    )


def _note_unread(surface: Surface, desk: Desk, name: str, error: DeskError) -> None:
    """The same for a call whose arguments are no good: none of them is noted."""
    if name in surface.tools and surface.tools[name].session:
        desk.audit.write(Record("", "", name, {}, "failed", error.code))


def _reason(call: Call, error: DeskError, is_denied: bool) -> str:
    # Other messages may quote what was to be typed; whoever denies has not seen it.
    return error.code if call.is_private and not is_denied else str(error)
