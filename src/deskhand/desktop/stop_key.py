"""Esc, pressed by a person, stops the agent: its act, its session, and what it asks for next."""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from deskhand.desktop.hand import Hand
from deskhand.guard.seat_file import Holder
from deskhand.guard.sessions import Sessions
from deskhand.model.errors import DeskError, StoppedByUser, Unsupported
from deskhand.model.turn import Turn
from deskhand.platforms.base import Escapes, Listener

Take = Callable[[Callable[[], object]], Holder | None]
"""Takes the seat; what it is given is to be called when that has been waited for, just before it is ours."""
_HOUR: Final = 3600.0

logger = logging.getLogger(__name__)


class StopKey:
    """Waits for a person's Esc while a session is armed; where none is, nothing runs and nothing listens.

    Whoever has been stopped stays so until `start_again`.
    """

    def __init__(self, sessions: Sessions, hand: Hand) -> None:
        self._sessions = sessions
        self._hand = hand
        self._lock = threading.Lock()
        self._armed: _Armed | None = None
        self._stopped: set[str] = set()
        self._running: dict[str, list[Turn]] = {}
        """The calls that are under way, by client."""

    # ------------------------------------------------------------ who is stopped

    def begin(self, client: str, turn: Turn) -> None:
        """A call of a client begins: Esc stops it from now on, until it is `over`.

        Raises StoppedByUser where a person has stopped this client, and it has not been started again.
        """
        with self._lock:
            self._running.setdefault(client, []).append(turn)
        self.check(client)

    def over(self, client: str, turn: Turn) -> None:
        """A call has ended; nothing where it has not begun."""
        with self._lock:
            left = [one for one in self._running.pop(client, ()) if one is not turn]
            if left:
                self._running[client] = left

    def check(self, client: str) -> None:
        """Raise StoppedByUser where a person has stopped this client, and it has not been started again."""
        if self.has_stopped(client):
            raise _stopped_by_user()

    def has_stopped(self, client: str) -> bool:
        """Whether a person has stopped this client, and it has not been started again."""
        return client in self._stopped

    def start_again(self, client: str) -> None:
        """Let a client go on that a person has stopped."""
        self._stopped.discard(client)

    # ------------------------------------------------------------ which session Esc stops

    def session_of(self, client: str) -> Holder | None:
        """The session of a client that Esc stops, None where it has none."""
        armed = self._armed
        return armed.holder if armed is not None and armed.holder.client == client else None

    def taking(self, listener: Listener, client: str, take: Take, tell: Callable[[str], None]) -> Holder | None:
        """Take the seat by `take`, and let Esc stop its session until that ends: no Esc is lost in between.

        `take` is given what forgets the Esc that was meant for somebody else, while it has waited for the seat. `tell`
        is told why Esc cannot stop it, once for each session. Raises StoppedByUser, DesktopLost, and what `take` does.
        """
        self.check(client)
        with contextlib.ExitStack() as unused:
            # Heard from before the seat is ours: whoever sees that it is, and presses Esc, is heard.
            ear = None if self._hears(client) else unused.enter_context(_listening(listener))
            holder = take(ear.forget if ear else _nothing)
            while holder is not None and not self._arm(holder, client, ear, unused, tell):
                # The session that was heard has ended at this moment, and nobody has listened for the new one.
                self._sessions.end(holder.session_id)
                ear = unused.enter_context(_listening(listener))
                holder = take(ear.forget)
        try:
            self.check(client)
        except StoppedByUser:
            if holder is not None:
                self._sessions.end(holder.session_id)
            raise
        return holder

    def joining(
        self, listener: Listener, client: str, find: Callable[[], Holder], tell: Callable[[str], None]
    ) -> Holder:
        """Let Esc stop a session that somebody has taken before, and a client that acts in it.

        Raises what `find` raises, which finds it, and what `taking` does.
        """
        with contextlib.ExitStack() as unused:
            holder = find()
            if not self._arm(holder, client, None, unused, tell):
                ear = unused.enter_context(_listening(listener))
                holder = find()
                self._arm(holder, client, ear, unused, tell)
        self.check(client)
        return holder

    def disarm(self, session_id: str) -> None:
        """A session has ended: Esc is anybody's again."""
        with self._lock:
            if self._armed is not None and self._armed.holder.session_id == session_id:
                self._disarm()

    # ------------------------------------------------------------ inside

    def _hears(self, client: str) -> bool:
        """Whether a session of this client is armed."""
        armed = self._armed
        return armed is not None and armed.holder.client == client and armed.is_for(armed.holder)

    def _arm(
        self,
        holder: Holder,
        client: str,
        ear: "_Ear | None",
        unused: contextlib.ExitStack,
        tell: Callable[[str], None],
    ) -> bool:
        """Let Esc stop a session, by the ear that `unused` would close; False where there is none, and it does not."""
        with self._lock:
            if self._armed is not None and self._armed.is_for(holder):
                self._armed.clients.add(client)
                return True
            if ear is None:
                return False
            self._disarm()
            self._armed = _Armed(holder, client, ear, unused.pop_all(), self._stop)
        if ear.lack:
            logger.warning("%s", ear.lack)
            tell(ear.lack)
        return True

    def _disarm(self) -> None:
        if self._armed is not None:
            self._armed.end()
            self._armed = None

    def _stop(self, armed: "_Armed") -> None:
        """What Esc does, in the thread that has heard it: what takes longest comes last."""
        session_id = armed.holder.session_id
        with self._lock:
            clients = {armed.holder.client, *armed.clients}
            self._stopped |= clients
            running = [turn for client in clients for turn in self._running.get(client, ())]
        for turn in running:
            turn.cancel(_stopped_by_user())
        self._hand.session_ended(session_id, _stopped_by_user())
        # Where the file of the seat is out of reach, the session runs out by itself; it does not act any more.
        with contextlib.suppress(DeskError):
            self._sessions.end(session_id)
        logger.warning("a person has pressed Esc: session %s has been stopped", session_id[:8])


@dataclass(frozen=True, slots=True)
class _Ear:
    """What hears Esc; without `escapes`, nothing does, and `lack` says why."""

    escapes: Escapes | None
    lack: str = ""

    def forget(self) -> None:
        """Forget what has been heard so far."""
        if self.escapes is not None:
            self.escapes.take()


@contextlib.contextmanager
def _listening(listener: Listener) -> Iterator[_Ear]:
    """Hear Esc from now on. Raises DesktopLost."""
    with contextlib.ExitStack() as stack:
        try:
            lack = "" if listener.keyboards() else "no keyboard is attached yet whose Esc could stop the agent"
            ear = _Ear(stack.enter_context(listener.escapes()), lack)
        except Unsupported as error:
            ear = _Ear(None, str(error))
        yield ear


class _Armed:
    """One session that Esc stops, and the thread that waits for that, and closes what it listens with."""

    def __init__(
        self, holder: Holder, client: str, ear: _Ear, kept: contextlib.ExitStack, stop: "Callable[[_Armed], None]"
    ) -> None:
        self.holder = holder
        self.clients = {client}
        """Who acts in it."""
        self._stop = stop
        self._turn = Turn()
        self._thread: threading.Thread | None = None
        if ear.escapes is not None:
            # What was pressed since the ear has been open waits for the thread.
            self._thread = threading.Thread(target=self._run, args=(ear.escapes, kept), name="stop key", daemon=True)
            self._thread.start()

    def is_for(self, holder: Holder) -> bool:
        """Whether this session is stopped by Esc, or cannot be; not once its thread has lost the desktop."""
        lives = self._thread is None or self._thread.is_alive()
        return lives and self.holder.session_id == holder.session_id

    def end(self) -> None:
        """Wait no more."""
        self._turn.cancel()

    def _run(self, escapes: Escapes, kept: contextlib.ExitStack) -> None:
        # Its session has ended, or the desktop has gone: then there is nothing left to stop.
        with kept, contextlib.suppress(DeskError):
            while not escapes.take():
                self._turn.wait([escapes], _HOUR)
            self._turn.check()
            self._stop(self)
        self._turn.close()


def _stopped_by_user() -> StoppedByUser:
    return StoppedByUser("The user pressed Esc: computer use has been stopped")


def _nothing() -> None:
    """There is nothing to forget."""
