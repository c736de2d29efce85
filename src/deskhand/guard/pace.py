"""How fast clicks may come."""

import math
import threading
import time
from collections import deque
from typing import Final

from deskhand.model.errors import TooFast

DEFAULT_CLICKS_PER_SECOND: Final = 10


class Pace:
    """A limit of so many clicks in any second; 0 for none."""

    def __init__(self, per_second: int = DEFAULT_CLICKS_PER_SECOND) -> None:
        self.per_second = per_second
        self._times: deque[float] = deque()
        self._lock = threading.Lock()

    def click(self, times: int = 1) -> None:
        """Count the clicks of one act, two for a double click; raises TooFast where they would be too many."""
        if not self.per_second:
            return
        times = min(times, self.per_second)  # a limit of one click lets a double click pass each second
        with self._lock:
            now = time.monotonic()
            while self._times and self._times[0] <= now - 1.0:
                self._times.popleft()
            too_many = len(self._times) + times - self.per_second
            if too_many > 0:
                left = self._times[too_many - 1] + 1.0 - now
                raise TooFast(
                    f"more than {self.per_second} clicks in one second",
                    seconds=left,
                    recovery=f"wait {math.ceil(left * 1000)} ms, then click again",
                )
            self._times.extend([now] * times)
