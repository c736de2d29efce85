"""From the wishes of a command line to a running server, and to its clean end."""

import asyncio
import gc
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from deskhand.guard.given import EVERYTHING, Given
from deskhand.model.frame import Framing
from deskhand.platforms.awaited import AwaitedSession
from deskhand.platforms.base import Session
from deskhand.server.opening import Opening, memory_of
from deskhand.server.stdio import Entrance, take_stdio

if TYPE_CHECKING:
    from deskhand.server.mcp import McpServer

_QUICK_SWITCH_SECONDS = 0.0005
_ASKING = "computer"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is to be served, and how. `only` None stands for every tool."""

    only: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    read_only: bool = False
    strict: bool = False
    clicks_per_second: int = 10
    policy: Path | None = None
    seat_idle: float = 60.0
    surfaces: tuple[str, ...] = ("axi",)
    framing: Framing = field(default_factory=Framing)
    given: Given = field(default_factory=Given)
    """What the computer surface may use without asking."""
    own_desktop: bool = False
    """Whether nothing of the user's is on the desktop."""


async def serve(open_session: Callable[[], Session], wishes: Wishes) -> None:
    """Serve a desktop over standard input and output until the client goes.

    What is slow to load does so beside the loop, so that a client's first questions are answered meanwhile.
    Where there is no desktop to open, that is said at every call, until there is one.
    Raises UnknownTool for a tool that is wished for and is none, BadPolicy for a policy that cannot be used.
    """
    entrance = Entrance(Opening(memory_of(repr(wishes))))
    gone = take_stdio(entrance)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_QUICK_SWITCH_SECONDS)
    try:
        server, session = await asyncio.to_thread(_load, open_session, wishes)
    finally:
        sys.setswitchinterval(usual)
    # What has been loaded stays: the collector need not look through it at every turn.
    gc.collect()
    gc.freeze()
    try:
        await entrance.let_in(server, gone)
    finally:
        # First of all nothing may stay pressed: a client that has gone may not leave us much time.
        await server.close()
        await asyncio.to_thread(session.close)
        entrance.close()


def _load(open_session: Callable[[], Session], wishes: Wishes) -> "tuple[McpServer, Session]":
    session = AwaitedSession(open_session)
    if session.lack is not None:
        _log.warning("%s; %s", session.lack, session.lack.recovery)
    try:
        from deskhand.desk import open_desk
        from deskhand.guard.policy_file import load_policy
        from deskhand.server.mcp import McpServer
        from deskhand.surfaces.chosen import check_tools_of, chosen_surface

        policy = load_policy(wishes.policy)
        check_tools_of(policy)
        surface = chosen_surface(
            wishes.only, wishes.without, read_only=wishes.read_only, strict=wishes.strict, names=wishes.surfaces
        )
        desk = open_desk(
            session,
            tool_count=len(surface.tools),
            policy=policy,
            clicks_per_second=wishes.clicks_per_second,
            seat_idle=wishes.seat_idle,
            framing=wishes.framing,
            given=_given(wishes, policy.given),
        )
        return McpServer(surface, desk), session
    except BaseException:
        session.close()
        raise


def _given(wishes: Wishes, by_policy: Given) -> Given:
    """What each client may use without asking. Only who uses the computer surface has to ask at all."""
    if _ASKING not in wishes.surfaces:
        return EVERYTHING
    given = by_policy.and_also(wishes.given)
    if wishes.own_desktop and given == Given():
        given = EVERYTHING
    if given.everything:
        _log.warning("every application is granted in full, with the clipboard and the system's key combinations")
    return given
