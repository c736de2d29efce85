"""One question to the human at a time: who is asked by two agents at once cannot know which of them gets the answer."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from deskhand.guard.file_lock import lock
from deskhand.model.errors import NotPossible, PermissionMissing

_AT_ONCE: Final = 0.0


class Questions:
    """The questions that the agents of one display ask, in whatever process. `seat` names the display."""

    def __init__(self, directory: Path, seat: Callable[[], str]) -> None:
        self._directory = directory
        self._seat = seat

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """A question is open while the block runs, or for as long as this process lives.

        Raises NotPossible where another is, PermissionMissing where that cannot be told.
        """
        name = "".join(one if one.isalnum() else "-" for one in self._seat())
        try:
            path = self._directory / f"question{name}.lock"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise PermissionMissing(f"{self._directory} cannot be used: {error.strerror}") from None
        try:
            if not lock(descriptor, _AT_ONCE):
                raise NotPossible(
                    "the user is being asked by another agent at this moment, and answers one question at a time",
                    recovery="wait until that is answered (120 s at most), then call request_access again",
                )
            yield
        finally:
            os.close(descriptor)
