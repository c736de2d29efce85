"""How long an application that says nothing is waited for: once, by all that asks it, not once for each question."""

import time
from collections.abc import Callable
from typing import Final

MOST_SECONDS: Final = 2.0
"""How long one application may keep a call."""

_LEAST_SECONDS: Final = 0.05
"""What every question gets: an application that goes on again answers it, and is trusted from then on."""

_GIVEN_BACK: Final = 0.1
"""Seconds that may be waited again, for each second in which nothing was asked of an application that hangs."""


class Patience:
    """What is left of it for each application, by process. Not for two threads at once.

    The accessibility bus, the windows and the keyboard of a thread share one: an application that has let the one wait
    is not waited for by the others. Any answer restores all of it.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._spent: dict[int, tuple[float, float]] = {}
        """How long a process was waited for in vain, and when that was."""

    def left(self, pid: int) -> float:
        """Seconds that a process may be waited for now."""
        spent = self._spent.get(pid)
        if spent is None:
            return MOST_SECONDS
        seconds, at = spent
        return min(MOST_SECONDS, max(_LEAST_SECONDS, MOST_SECONDS - seconds + _GIVEN_BACK * (self._now() - at)))

    def within(self, pid: int, seconds: float) -> float:
        """How much of these seconds a process may be waited for: all of them where it has let nobody wait so far."""
        return min(seconds, self.left(pid)) if pid in self._spent else seconds

    def is_spent(self, pid: int) -> bool:
        """Whether no more than the least is left."""
        return self.left(pid) <= _LEAST_SECONDS

    def waited(self, pid: int, seconds: float) -> None:
        """A process was waited for in vain."""
        self._spent[pid] = (MOST_SECONDS - self.left(pid) + seconds, self._now())

    def answered(self, pid: int) -> None:
        """A process has said something."""
        if self._spent:
            self._spent.pop(pid, None)
