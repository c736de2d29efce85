"""A lock on a file that all processes of this user respect, and that is not waited for for ever."""

import fcntl
import random
import time
from typing import Final

_FIRST_PAUSE_SECONDS: Final = 0.0005
_LONGEST_PAUSE_SECONDS: Final = 0.02


def lock(descriptor: int, deadline: float) -> bool:
    """Lock an open file until it is closed; False where another has it locked until `deadline` (time.monotonic)."""
    pause = _FIRST_PAUSE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Nobody has it for longer than a write takes, but for a process that was stopped in the middle of that.
            if time.monotonic() > deadline:
                return False
            # Not all at the same moment, and the longer the less often.
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)
        else:
            return True
