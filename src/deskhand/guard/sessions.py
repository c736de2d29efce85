"""One agent at a time holds the seat of a display: taking it, waiting for it, keeping it, giving it back."""

import contextlib
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from deskhand.guard.seat_file import Holder, Process, SeatFile, SeatState, Waiter
from deskhand.model.errors import BadArguments, SessionRequired
from deskhand.model.turn import HasFileno, Turn

DEFAULT_TTL: Final = 120.0
DEFAULT_TIMEOUT: Final = 30.0


@dataclass(frozen=True, slots=True)
class SeatView:
    """The seat as a caller may see it. Seconds count from now."""

    holder: Holder | None
    ttl_remaining: float
    queue: tuple[Waiter, ...]
    now: float


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in the queue."""

    waiter: Waiter
    waker: socket.socket

    def drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                self.waker.recv(16)


class Sessions:
    """The seat of one display, for all clients of this process.

    `seat` names the display when it is first needed. `on_end` is told a session of this process that has ended, for
    whatever reason.
    """

    def __init__(
        self, directory: Path, seat: Callable[[], str], on_end: Callable[[Holder], None] = lambda holder: None
    ) -> None:
        self._seat = seat
        self._directory = directory
        self._on_end = on_end
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._mine: Holder | None = None
        """The session given to a client of this process, until its end has been noticed."""

    @cached_property
    def _file(self) -> SeatFile:
        return SeatFile(self._directory, self._seat())

    # ------------------------------------------------------------ asking

    def acquire(
        self, client: str, agent_id: str, purpose: str, ttl: float, timeout: float, turn: Turn
    ) -> Holder | None:
        """Take the seat, waiting in line for it for at most `timeout` seconds; None where it did not come free.

        Who holds it already keeps it, for `ttl` seconds from now. Raises Cancelled.
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
        with self._in_line(agent_id, purpose, timeout) as place:
            return self._wait(place, client, ttl, turn)

    def release(self, client: str, agent_id: str, session_id: str) -> None:
        """Give the seat back. Raises SessionRequired where this session does not hold it."""
        with self._changed() as state:
            holder = _named(state, session_id)
            if holder.agent_id != agent_id:
                raise BadArguments("agent_id: another agent holds this session", recovery="name the agent that took it")
            state.holder = None

    def extend(self, session_id: str, ttl: float | None) -> Holder:
        """Keep the seat for `ttl` more seconds (as long as at first, without one)."""
        with self._changed() as state:
            holder = _named(state, session_id)
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
            holder.last_action = time.monotonic()
            return holder

    def leave(self, client: str) -> None:
        """A connection has closed: its session ends."""
        with self._changed() as state:
            holder = state.holder
            if holder is not None and holder.client == client:
                state.holder = None

    def close(self) -> None:
        """Give back what this process holds."""
        if self._timer is not None:
            self._timer.cancel()
        with self._changed() as state:
            holder = state.holder
            if holder is not None and holder.process == Process.this():
                state.holder = None

    # ------------------------------------------------------------ inside

    @contextlib.contextmanager
    def _changed(self) -> Iterator[SeatState]:
        """The seat under its lock; whoever has died or run out of time has left it before."""
        try:
            with self._file.changed() as state:
                state.tidy()
                yield state
        finally:
            self._notice_end(state.holder)
        if state.queue and state.holder is None:
            _wake(state.queue[0])

    def _notice_end(self, holder: Holder | None) -> None:
        """Tell when the session of this process is over: given back, run out, or taken over."""
        with self._lock:
            mine = self._mine
            if mine is None or (holder is not None and holder.session_id == mine.session_id):
                return
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
            last_action=now,
        )
        with self._lock:
            self._mine = state.holder
        self._watch(ttl)
        return state.holder

    def _renewed(self, holder: Holder, ttl: float) -> Holder:
        holder.ttl, holder.expires = ttl, time.monotonic() + ttl
        self._watch(ttl)
        return holder

    def _watch(self, ttl: float) -> None:
        """See to it that a session which nobody extends ends on time, also when nobody asks."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(ttl + 0.01, self.view)
            self._timer.daemon = True
            self._timer.start()

    @contextlib.contextmanager
    def _in_line(self, agent_id: str, purpose: str, timeout: float) -> Iterator[_Place]:
        """A place at the end of the queue, left when the block ends."""
        now = time.monotonic()
        ticket = secrets.token_hex(6)
        path = self._directory / f"wait-{ticket}"
        waker = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        waker.setblocking(False)
        waker.bind(str(path))
        waiter = Waiter(ticket, agent_id, purpose, now, now + timeout, Process.this(), str(path))
        try:
            with self._changed() as state:
                state.queue.append(waiter)
            yield _Place(waiter, waker)
        finally:
            with self._changed() as state:
                state.queue = [one for one in state.queue if one.ticket != ticket]
            waker.close()
            path.unlink(missing_ok=True)

    def _wait(self, place: _Place, client: str, ttl: float, turn: Turn) -> Holder | None:
        """Wait until it is our turn: woken by who gives the seat back, or by the death of who is before us."""
        waiter, said = place.waiter, 0
        while True:
            with self._changed() as state:
                position = next((at for at, one in enumerate(state.queue) if one.ticket == waiter.ticket), None)
                if position is None:
                    return None  # our time is up
                if position == 0 and state.holder is None:
                    state.queue.pop(0)
                    return self._seated(state, client, waiter.agent_id, waiter.purpose, ttl)
                before = [state.queue[position - 1].process] if position else []
                if state.holder is not None:
                    before.append(state.holder.process)
                expires = state.holder.expires if state.holder else waiter.until
            if position + 1 != said:
                said = position + 1
                turn.report(f"waiting for the seat: number {said} in line")
            with _deaths_of(before) as deaths:
                # One that is dead already is noticed at the next look.
                seconds = min(waiter.until, expires) - time.monotonic() + 0.001 if deaths is not None else 0.0
                turn.wait([place.waker, *(deaths or [])], seconds)
            place.drain()


@dataclass(frozen=True, slots=True)
class _Descriptor:
    """An open file descriptor, to wait for."""

    number: int

    def fileno(self) -> int:
        return self.number


@contextlib.contextmanager
def _deaths_of(processes: list[Process]) -> Iterator[list[HasFileno] | None]:
    """Descriptors that become readable when one of these processes ends; None where one has."""
    with contextlib.ExitStack() as stack:
        deaths: list[HasFileno] = []
        one_has_died = False
        for pid in {process.pid for process in processes} - {os.getpid()}:
            try:
                descriptor = os.pidfd_open(pid)
            except ProcessLookupError:
                one_has_died = True
                continue
            stack.callback(os.close, descriptor)
            deaths.append(_Descriptor(descriptor))
        yield None if one_has_died else deaths


def _named(state: SeatState, session_id: str) -> Holder:
    if state.holder is None or state.holder.session_id != session_id:
        raise SessionRequired(f"session {session_id[:8]} does not hold the seat (any more)")
    return state.holder


def _wake(waiter: Waiter) -> None:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as messenger:
        messenger.setblocking(False)
        messenger.sendto(b"!", waiter.socket)
