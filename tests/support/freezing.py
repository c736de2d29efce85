"""Programs that hang."""

import contextlib
import os
import signal
from collections.abc import Iterator


@contextlib.contextmanager
def frozen(pid: int) -> Iterator[None]:
    """A process does nothing at all while the block runs."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)
