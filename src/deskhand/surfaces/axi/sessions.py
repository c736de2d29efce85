"""Taking the seat and giving it back: only who has it may act."""

from dataclasses import dataclass
from typing import Annotated

from deskhand.desk import Desk
from deskhand.guard.seat_file import Holder
from deskhand.guard.sessions import DEFAULT_TIMEOUT, DEFAULT_TTL
from deskhand.tools import ABSENT, Effect, arg, tool

_QUEUE_SHOWN = 3
AgentId = Annotated[str, arg(min_length=1, max_length=100)]
SessionId = Annotated[str, arg(min_length=1, max_length=64)]
Ttl = Annotated[float, arg("Seconds it lasts", ge=1, le=86_400)]


@dataclass(frozen=True, slots=True)
class Granted:
    granted: bool
    session_id: str = ABSENT
    expires_in: float = ABSENT
    reason: str = ABSENT


@tool(
    "acquire_session",
    effect=Effect.WRITES,
    waits=True,
    hints=("inspect_ui to look around", "release_session when done"),
)
def acquire_session(
    desk: Desk,
    agent_id: AgentId,
    purpose: Annotated[str, arg(max_length=500)] = "",
    ttl: Ttl = DEFAULT_TTL,
    timeout: Annotated[float, arg("Seconds to wait in line", ge=0, le=3600)] = DEFAULT_TIMEOUT,
) -> Granted:
    """Take exclusive control of input; waits in line until it is free or timeout."""
    holder = desk.acquire_seat(agent_id, purpose, ttl, timeout)
    if holder is None:
        return Granted(granted=False, reason=_why_not(desk, timeout))
    return Granted(granted=True, session_id=holder.session_id, expires_in=round(holder.ttl, 1))


def _why_not(desk: Desk, timeout: float) -> str:
    holder = desk.sessions.view().holder
    whom = f"agent {holder.agent_id!r} holds it" if holder else "others were before you"
    return f"the seat did not come free within {timeout:g} s: {whom}"


@dataclass(frozen=True, slots=True)
class Released:
    released: bool


@tool("release_session", effect=Effect.WRITES, idempotent=True, after_acts=True)
def release_session(desk: Desk, agent_id: AgentId, session_id: SessionId) -> Released:
    """Give control back; the next in line gets it."""
    desk.sessions.release(session_id, agent_id)
    return Released(released=True)


@dataclass(frozen=True, slots=True)
class Extended:
    expires_in: float


@tool("extend_session", effect=Effect.WRITES, waits=True)
def extend_session(
    desk: Desk, session_id: SessionId, agent_id: AgentId | None = None, ttl: Ttl | None = None
) -> Extended:
    """Restart the time of an active session."""
    holder = desk.sessions.extend(session_id, agent_id, ttl)
    return Extended(round(holder.ttl, 1))


@dataclass(frozen=True, slots=True)
class CurrentSession:
    session_id: str
    agent_id: str
    purpose: str
    ttl_remaining: float


@dataclass(frozen=True, slots=True)
class Waiting:
    agent_id: str
    purpose: str
    waiting: float


@dataclass(frozen=True, slots=True)
class SessionStatus:
    current_session: CurrentSession | None
    queue_length: int
    queue: list[Waiting]


@tool("session_status", effect=Effect.READS, idempotent=True)
def session_status(desk: Desk) -> SessionStatus:
    """Who holds control, for how long, and who waits."""
    view = desk.sessions.view()
    return SessionStatus(
        current_session=_current(desk, view.holder, view.ttl_remaining) if view.holder else None,
        queue_length=len(view.queue),
        queue=[Waiting(one.agent_id, one.purpose, round(view.now - one.since, 1)) for one in view.queue[:_QUEUE_SHOWN]],
    )


def _current(desk: Desk, holder: Holder, remaining: float) -> CurrentSession:
    # The whole id is a key to the seat: only its holder is told it.
    mine = holder.client == desk.client.id
    session_id = holder.session_id if mine else f"{holder.session_id[:8]}…"
    return CurrentSession(session_id, holder.agent_id, holder.purpose, round(max(0.0, remaining), 1))
