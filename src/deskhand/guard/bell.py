"""A bell that one process waits at and any other of this user can ring: a named pipe."""

import contextlib
import os
from pathlib import Path


class Bell:
    """Where one waits to be rung for. It is gone when it is closed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        os.mkfifo(path, 0o600)
        # Open for writing too: so it does not end when one who has rung closes it.
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def fileno(self) -> int:
        return self._descriptor

    def drain(self) -> None:
        """Forget that it was rung."""
        with contextlib.suppress(BlockingIOError):
            while True:
                os.read(self._descriptor, 64)

    def close(self) -> None:
        os.close(self._descriptor)
        self._path.unlink(missing_ok=True)


def ring(path: Path) -> None:
    """Wake whoever waits at a bell; nothing happens where nobody does."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            os.write(descriptor, b"!")
        finally:
            os.close(descriptor)
