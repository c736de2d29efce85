"""Esc, pressed by a person, stops the agent: its act, its session, and what it asks for next."""

import contextlib
import logging
import threading
from collections.abc import Callable
from typing import Final

from deskhand.desktop.hand import Hand
from deskhand.guard.seat_file import Holder
from deskhand.guard.sessions import Sessions
from deskhand.model.errors import DeskError, StoppedByUser, Unsupported
from deskhand.model.turn import Turn
from deskhand.platforms.base import Escapes, Listener

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

    def check(self, client: str) -> None:
        """Raise StoppedByUser where a person has stopped this client, and it has not been started again."""
        if self.has_stopped(client):
            raise _stopped_by_user()

    def has_stopped(self, client: str) -> bool:
        """Whether a person has stopped this client, and it has not been started again."""
        return client in self._stopped

    def session_of(self, client: str) -> Holder | None:
        """The session of a client that Esc stops, None where it has none."""
        armed = self._armed
        return armed.holder if armed is not None and armed.holder.client == client else None

    def start_again(self, client: str) -> None:
        """Let a client go on that a person has stopped."""
        self._stopped.discard(client)

    def arm(self, listener: Listener, holder: Holder) -> str | None:
        """Let Esc stop a session from now on, until it ends; why it cannot, where that has not been told of it yet.

        Does nothing where Esc does so already. Raises DesktopLost.
        """
        with self._lock:
            if self._armed is not None and self._armed.is_for(holder):
                return None
            self._disarm()
            try:
                lack = None if listener.keyboards() else "no keyboard is attached yet whose Esc could stop the agent"
                self._armed = _Armed(holder, listener.escapes(), self._stop)
            except Unsupported as error:
                lack = str(error)
                self._armed = _Armed(holder, None, self._stop)
        if lack is not None:
            logger.warning("%s", lack)
        return lack

    def disarm(self, session_id: str) -> None:
        """A session has ended: Esc is anybody's again."""
        with self._lock:
            if self._armed is not None and self._armed.holder.session_id == session_id:
                self._disarm()

    def _disarm(self) -> None:
        if self._armed is not None:
            self._armed.end()
            self._armed = None

    def _stop(self, holder: Holder) -> None:
        """What Esc does, in the thread that has heard it: what takes longest comes last."""
        self._stopped.add(holder.client)
        self._hand.session_ended(holder.session_id, _stopped_by_user())
        # Where the file of the seat is out of reach, the session runs out by itself; it does not act any more.
        with contextlib.suppress(DeskError):
            self._sessions.end(holder.session_id)
        logger.warning("a person has pressed Esc: session %s has been stopped", holder.session_id[:8])


class _Armed:
    """One session that Esc stops, and the thread that waits for that; without `escapes`, Esc stops nothing."""

    def __init__(
        self,
        holder: Holder,
        escapes: contextlib.AbstractContextManager[Escapes] | None,
        stop: Callable[[Holder], None],
    ) -> None:
        self.holder = holder
        self._stop = stop
        self._turn = Turn()
        self._thread: threading.Thread | None = None
        if escapes is not None:
            with contextlib.ExitStack() as stack:
                # Heard from here on: what is pressed before the thread has begun waits for it.
                heard = stack.enter_context(escapes)
                kept = stack.pop_all()
            self._thread = threading.Thread(target=lambda: self._run(heard, kept), name="stop key", daemon=True)
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
            self._stop(self.holder)
        self._turn.close()


def _stopped_by_user() -> StoppedByUser:
    return StoppedByUser("The user pressed Esc: computer use has been stopped")
