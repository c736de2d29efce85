"""One agent at a time holds the seat of a display: taking it, waiting for it, keeping it, giving it back."""

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from deskhand.guard.bell import Bell, ring
from deskhand.guard.process import Process, deaths_of
from deskhand.guard.seat_file import Holder, SeatFile, SeatState, Waiter
from deskhand.model.errors import BadArguments, DeskError, SessionRequired
from deskhand.model.turn import Turn

DEFAULT_TTL: Final = 120.0
DEFAULT_TIMEOUT: Final = 30.0
_WORTH_WRITING: Final = 0.1
"""The part of its idle time by which an act must lengthen a session for the file to be written: acts come in bursts."""
DEFAULT_IDLE: Final = 60.0


@dataclass(frozen=True, slots=True)
class SeatView:
    """The seat as a caller may see it. Seconds count from now."""

    holder: Holder | None
    ttl_remaining: float
    queue: tuple[Waiter, ...]
    now: float


class Sessions:
    """The seat of one display, for all clients of this process.

    `seat` names the display when it is first needed. `on_end` is told a session of this process that has ended, for
    whatever reason. `last_used` tells when a session was last under way (time.monotonic).
    """

    def __init__(
        self,
        directory: Path,
        seat: Callable[[], str],
        on_end: Callable[[Holder], None] = lambda holder: None,
        last_used: Callable[[str], float] = lambda session_id: 0.0,
    ) -> None:
        self._seat = seat
        self._directory = directory
        self._on_end = on_end
        self._last_used = last_used
        self._taken: tuple[str, float] | None = None
        """The session that lasts for as long as it is used, and the seconds it may be idle."""
        self._timer: threading.Timer | None = None
        self._due = 0.0
        self._closed = False
        self._lock = threading.Lock()
        self._mine: Holder | None = None
        """The session that clients of this process act in, until its end has been noticed. Changed under the lock of
        the seat's file alone."""

    @cached_property
    def _file(self) -> SeatFile:
        return SeatFile(self._directory, self._seat())

    # ------------------------------------------------------------ asking

    def acquire(
        self,
        client: str,
        agent_id: str,
        purpose: str,
        ttl: float,
        timeout: float,
        turn: Turn,
        just_before: Callable[[], object] = lambda: None,
    ) -> Holder | None:
        """Take the seat, waiting in line for it for at most `timeout` seconds; None where it did not come free.

        Who holds it already keeps it, for `ttl` seconds from now. `just_before` is called when it is to be ours. Raises
        Cancelled.
        """
        with self._changed() as state:
            holder = state.holder
            if holder is not None and holder.client == client:
                holder.agent_id, holder.purpose = agent_id, purpose
                return self._renewed(holder, ttl)
            if holder is None and not state.queue:
                return self._seated(state, client, agent_id, purpose, ttl)
        if timeout <= 0:
            return None
        with self._in_line(client, agent_id, purpose, timeout) as (waiter, bell):
            return self._wait(waiter, bell, ttl, turn, just_before)

    def take(self, client: str, agent_id: str, purpose: str, idle: float) -> Holder | None:
        """Take the seat for an act, or keep it; None where somebody else has it, or is about to.

        It lasts for as long as it is used, and `idle` seconds more. A session that this client has acquired stays as it
        is, but for its time.
        """
        with self._changed() as state:
            holder, now = state.holder, time.monotonic()
            if holder is None and not state.queue:
                holder = self._seated(state, client, agent_id, purpose, idle)
                self._taken = (holder.session_id, idle)
            if holder is None or holder.client != client:
                return None
            if now + idle - holder.expires > _WORTH_WRITING * idle:
                holder.expires = now + idle
            self._keep_an_eye_on(holder)
            return holder

    def release(self, session_id: str, agent_id: str) -> None:
        """Give the seat back. Raises SessionRequired where this session does not hold it."""
        with self._changed() as state:
            _named(state, session_id, agent_id)
            state.holder = None

    def end(self, session_id: str) -> None:
        """Free the seat of a session, whoever wants that."""
        with self._changed() as state:
            if state.holder is not None and state.holder.session_id == session_id:
                state.holder = None

    def extend(self, session_id: str, agent_id: str | None, ttl: float | None) -> Holder:
        """Keep the seat for `ttl` more seconds (as long as at first, without one)."""
        with self._changed() as state:
            holder = _named(state, session_id, agent_id)
            return self._renewed(holder, ttl or holder.ttl)

    def view(self) -> SeatView:
        """Who holds the seat and who waits for it."""
        with self._changed() as state:
            now = time.monotonic()
            remaining = state.holder.expires - now if state.holder else 0.0
            return SeatView(state.holder, remaining, tuple(state.queue), now)

    def require(self, client: str, session_id: str | None) -> Holder:
        """The session a call belongs to: named, or held by its connection. Raises SessionRequired."""
        with self._changed() as state:
            holder = state.holder
            if holder is None:
                raise SessionRequired("no agent holds the seat, and acting needs it")
            if session_id is not None and session_id != holder.session_id:
                raise SessionRequired(f"session {session_id[:8]} does not hold the seat (any more)")
            if session_id is None and client != holder.client:
                raise SessionRequired(f"agent {holder.agent_id!r} holds the seat")
            self._keep_an_eye_on(holder)
            return holder

    def leave(self, client: str) -> None:
        """A connection has closed: its session ends."""
        # Where the desktop is out of reach, or the file, there is no seat to give back.
        with contextlib.suppress(DeskError), self._changed() as state:
            holder = state.holder
            if holder is not None and holder.client == client:
                state.holder = None

    def close(self) -> None:
        """Give back what this process holds."""
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
        with contextlib.suppress(DeskError), self._changed() as state:
            holder = state.holder
            if holder is not None and holder.process == Process.this():
                state.holder = None

    # ------------------------------------------------------------ inside

    @contextlib.contextmanager
    def _changed(self) -> Iterator[SeatState]:
        """The seat under its lock; whoever has died or run out of time has left it before."""
        with self._file.changed() as state:
            for waiter in state.tidy():
                self._bell_of(waiter.ticket).unlink(missing_ok=True)
            try:
                yield state
            finally:
                # Under the lock still: nobody can be given the seat before its end has been noticed.
                self._notice_end(state.holder)
        for waiter in state.called():
            ring(self._bell_of(waiter.ticket))

    def _notice_end(self, holder: Holder | None) -> None:
        """Tell when the session of this process is over: given back, run out, or taken over."""
        mine = self._mine
        if mine is not None and (holder is None or holder.session_id != mine.session_id):
            self._mine = None
            self._on_end(mine)

    def _seated(self, state: SeatState, client: str, agent_id: str, purpose: str, ttl: float) -> Holder:
        now = time.monotonic()
        state.holder = Holder(
            session_id=secrets.token_hex(8),
            agent_id=agent_id,
            purpose=purpose,
            ttl=ttl,
            expires=now + ttl,
            client=client,
            process=Process.this(),
        )
        self._keep_an_eye_on(state.holder)
        return state.holder

    def _renewed(self, holder: Holder, ttl: float) -> Holder:
        holder.ttl, holder.expires = ttl, time.monotonic() + ttl
        self._keep_an_eye_on(holder)
        return holder

    def _keep_an_eye_on(self, holder: Holder) -> None:
        """See to it that the end of a session is noticed in time, also when nobody asks."""
        self._notice_end(holder)
        self._mine = holder
        due = self._next_look(holder)
        with self._lock:
            if self._closed or (self._timer is not None and self._timer.is_alive() and self._due <= due):
                return  # it will look in time, and again as long as the session goes on
            if self._timer is not None:
                self._timer.cancel()
            self._due = due
            self._timer = threading.Timer(due - time.monotonic() + 0.01, self._look_for_end)
            self._timer.daemon = True
            self._timer.start()

    def _look_for_end(self) -> None:
        with self._lock:
            self._timer = None
        with contextlib.suppress(DeskError), self._changed() as state:
            holder, mine = state.holder, self._mine
            if holder is not None and mine is not None and holder.session_id == mine.session_id:
                idle = self._idle_seconds(holder)
                if idle is not None:
                    holder.expires = max(holder.expires, self._last_used(holder.session_id) + idle)
                self._keep_an_eye_on(holder)

    def _next_look(self, holder: Holder) -> float:
        """When to look again: at the end, and long before it where the session may be in use and last longer."""
        idle = self._idle_seconds(holder)
        before = holder.expires - idle / 2 if idle is not None else 0.0
        return before if before > time.monotonic() else holder.expires

    def _idle_seconds(self, holder: Holder) -> float | None:
        """How long a session may be idle, None for one that has a fixed time."""
        return self._taken[1] if self._taken is not None and self._taken[0] == holder.session_id else None

    @contextlib.contextmanager
    def _in_line(self, client: str, agent_id: str, purpose: str, timeout: float) -> Iterator[tuple[Waiter, Bell]]:
        """A place at the end of the queue, left when the block ends."""
        now = time.monotonic()
        waiter = Waiter(secrets.token_hex(6), agent_id, purpose, now, now + timeout, client, Process.this())
        with contextlib.closing(Bell(self._bell_of(waiter.ticket))) as bell:
            try:
                with self._changed() as state:
                    state.queue.append(waiter)
                yield waiter, bell
            finally:
                with self._changed() as state:
                    state.queue = [one for one in state.queue if one.ticket != waiter.ticket]

    def _bell_of(self, ticket: str) -> Path:
        return self._directory / f"wait-{ticket}"

    def _wait(
        self, waiter: Waiter, bell: Bell, ttl: float, turn: Turn, just_before: Callable[[], object]
    ) -> Holder | None:
        """Wait until it is our turn: woken by who gives the seat back, or by the death of who is before us."""
        said = 0
        while True:
            with self._changed() as state:
                position = next((at for at, one in enumerate(state.queue) if one.ticket == waiter.ticket), None)
                if position is None:
                    return None  # our time is up
                if state.holder is not None and state.holder.client == waiter.client:
                    return self._renewed(state.holder, ttl)  # another call of this client was before us
                if position == 0 and state.holder is None:
                    state.queue.pop(0)
                    just_before()
                    return self._seated(state, waiter.client, waiter.agent_id, waiter.purpose, ttl)
                before = [state.queue[position - 1].process] if position else []
                if state.holder is not None:
                    before.append(state.holder.process)
                expires = state.holder.expires if state.holder else waiter.until
            if position + 1 != said:
                said = position + 1
                turn.report(f"waiting for the seat: number {said} in line")
            with deaths_of(before) as deaths:
                # One that is dead already is noticed at the next look.
                seconds = min(waiter.until, expires) - time.monotonic() + 0.001 if deaths is not None else 0.0
                turn.wait([bell, *(deaths or [])], seconds)
            bell.drain()


def _named(state: SeatState, session_id: str, agent_id: str | None) -> Holder:
    if state.holder is None or state.holder.session_id != session_id:
        raise SessionRequired(f"session {session_id[:8]} does not hold the seat (any more)")
    if agent_id not in (None, state.holder.agent_id):
        raise BadArguments("agent_id: another agent holds this session", recovery="name the agent that took it")
    return state.holder
