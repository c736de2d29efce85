"""How much of a script may run: so many statements, for so long, and no longer than its caller wants it."""

import time
from typing import Final

from deskhand.automation.applescript.failures import ScriptEnded
from deskhand.model.turn import Turn

MOST_STATEMENTS: Final = 10_000
"""That run, in loops each time."""
MOST_SECONDS: Final = 120.0


class OutOfBounds(ScriptEnded):
    """Raised when a script runs longer than it may; `try` does not hold it back."""

    recovery = "let the script do less, or split it"


class Bounds:
    """What one run has used of it. Its seconds count from now."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._deadline = time.monotonic() + MOST_SECONDS
        self.statements = 0

    def count(self) -> None:
        """One statement more, or one turn of a loop. Raises as `check` does."""
        self.statements += 1
        if self.statements > MOST_STATEMENTS:
            raise OutOfBounds(f"the script ran more than {MOST_STATEMENTS:,} statements")
        self.check()

    def check(self) -> None:
        """May it go on? Raises OutOfBounds, or what has ended the call."""
        self._turn.check()
        if self.seconds_left <= 0:
            raise OutOfBounds(f"the script ran longer than {MOST_SECONDS:.0f} s")

    @property
    def seconds_left(self) -> float:
        return self._deadline - time.monotonic()

    def wait(self, seconds: float) -> None:
        """Let time pass; the call's end ends the wait. Raises OutOfBounds where there is not so much time left."""
        if seconds > self.seconds_left:
            raise OutOfBounds(f"a delay of {seconds:g} s is longer than the script may still run")
        if seconds > 0:
            self._turn.wait([], seconds)
