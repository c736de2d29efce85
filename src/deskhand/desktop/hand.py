"""The act that runs now, and the session it belongs to: what must stop when that ends, and let go of what it holds."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from deskhand.model.errors import DeskError, SessionRequired
from deskhand.model.turn import Turn


class Hand:
    """What acts. `let_go` releases, in the thread that acts, every key and button that it holds pressed.

    `soon` has something done in that thread, after what it is at; whoever has the threads sets it.
    """

    def __init__(self, let_go: Callable[[], None]) -> None:
        self._let_go = let_go
        self.soon: Callable[[Callable[[], None]], None] = lambda work: None
        self._lock = threading.Lock()
        self._running: tuple[str, Turn] | None = None
        self._used: tuple[str, float] = ("", 0.0)
        self._ended: tuple[str, DeskError | None] = ("", None)

    @contextlib.contextmanager
    def acting(self, session_id: str, turn: Turn) -> Iterator[None]:
        """An act runs while the block does."""
        with self._lock:
            self._running = (session_id, turn)
            if session_id == self._ended[0]:  # between its admission and now
                turn.cancel(self._ended[1] or _session_over())
        try:
            yield
        finally:
            with self._lock:
                self._running = None
                self._used = (session_id, time.monotonic())
                is_over = session_id == self._ended[0]
            if is_over:
                self._let_go()

    def session_ended(self, session_id: str, why: DeskError | None = None) -> None:
        """Stop the act that runs for a session: it may not go on without the seat. Nothing stays pressed.

        What has ended it is told once: the first reason counts.
        """
        with self._lock:
            if self._ended[0] == session_id:
                return
            self._ended = (session_id, why)
            if self._running is not None and self._running[0] == session_id:
                self._running[1].cancel(why or _session_over())
        self.soon(self._let_go)

    def last_used(self, session_id: str) -> float:
        """When an act of a session was last under way (time.monotonic): now, while one is; 0 where none has been."""
        with self._lock:
            if self._running is not None and self._running[0] == session_id:
                return time.monotonic()
            return self._used[1] if self._used[0] == session_id else 0.0


def _session_over() -> SessionRequired:
    return SessionRequired("the session ended while this act was going on; it was stopped")
