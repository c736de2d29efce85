"""From the wishes of a command line to a running server, and to its clean end."""

import asyncio
import gc
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from deskhand import __version__
from deskhand.guard.given import EVERYTHING, Given
from deskhand.model.frame import Framing
from deskhand.platforms.awaited import AwaitedSession
from deskhand.platforms.base import Session
from deskhand.server.opening import Opening, memory_of
from deskhand.server.stdio import Entrance, end_of_process, take_stdio

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


@dataclass(frozen=True, slots=True)
class Places:
    """Where clients may come to. `port` None for no port, 0 for a free one; `socket` None for no Unix socket."""

    port: int | None = None
    host: str = "127.0.0.1"
    socket: Path | None = None
    token_file: Path | None = None
    """The file of the token that every client must show."""


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
        server, session = await asyncio.to_thread(load, open_session, wishes)
    finally:
        sys.setswitchinterval(usual)
    _keep_loaded()
    try:
        await entrance.let_in(server, gone)
    finally:
        # First of all nothing may stay pressed: a client that has gone may not leave us much time.
        await server.close()
        await asyncio.to_thread(session.close)
        entrance.close()


async def listen(
    open_session: Callable[[], Session], wishes: Wishes, places: Places, announce: Callable[[str], None]
) -> None:
    """Serve a desktop at a port, a Unix socket or both, to any number of clients, until SIGTERM, SIGINT or SIGHUP.

    `announce` is told each address once clients can come. Raises CannotListen or BadToken where they could not, and
    what `serve` raises.
    """
    from deskhand.server.addresses import Address, open_port, open_socket_file
    from deskhand.server.token import load_token

    gone = end_of_process()
    token = load_token(places.token_file) if places.token_file else None
    addresses: list[Address] = []
    try:
        if places.port is not None:
            addresses.append(open_port(places.host, places.port, has_token=token is not None))
        if places.socket is not None:
            addresses.append(open_socket_file(places.socket))
        server, session = await asyncio.to_thread(load, open_session, wishes)
        _keep_loaded()
        from deskhand.server.listening import Reception

        reception = Reception(server, token)
        try:
            for address in addresses:
                await reception.open(address)
                announce(str(address))
            await gone.wait()
        finally:
            await reception.close()
            await server.close()
            await asyncio.to_thread(session.close)
    finally:
        for address in addresses:
            address.close()


def _keep_loaded() -> None:
    """What has been loaded stays: the collector need not look through it at every turn."""
    gc.collect()
    gc.freeze()


def load(
    open_session: Callable[[], Session], wishes: Wishes, name: str = "deskhand", version: str = __version__
) -> "tuple[McpServer, Session]":
    """A server of a desktop, and that desktop: both are the caller's to close. Takes half a second.

    Raises UnknownTool for a tool that is wished for and is none, BadPolicy for a policy that cannot be used.
    """
    session = AwaitedSession(open_session)
    if session.lack is not None:
        _log.warning("%s; %s", session.lack, session.lack.recovery)
    try:
        from deskhand.desk import open_desk
        from deskhand.guard.policy_file import load_policy
        from deskhand.platforms.linux.heaps import share_heaps
        from deskhand.server.mcp import McpServer
        from deskhand.surfaces.chosen import check_tools_of, chosen_surface

        share_heaps()
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
            given=_given(wishes, policy.given, session),
            esc_stops=_ASKING in wishes.surfaces,
        )
        return McpServer(surface, desk, name=name, version=version), session
    except BaseException:
        session.close()
        raise


def _given(wishes: Wishes, by_policy: Given, session: AwaitedSession) -> Given:
    """What each client may use without asking. Only who uses the computer surface has to ask at all."""
    if _ASKING not in wishes.surfaces:
        return EVERYTHING
    given = by_policy.and_also(wishes.given)
    if given == Given() and (wishes.own_desktop or _is_kept_for_agents(session)):
        given = EVERYTHING
    if given.everything:
        _log.warning("every application is granted in full, with the clipboard and the system's key combinations")
    return given


def _is_kept_for_agents(session: AwaitedSession) -> bool:
    from deskhand.platforms.embedded.kept import is_kept_for_agents

    return session.lack is None and is_kept_for_agents(session.environment)
