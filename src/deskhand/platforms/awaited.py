"""A desktop that may not be there yet: every use looks for it, until it has been found.

A client may start its servers before anybody has logged in, and shows what a call answers, not why a server ended.
"""

import threading
from collections.abc import Callable, Mapping

from deskhand.model.errors import DeskError
from deskhand.platforms.base import Platform, Session


class AwaitedSession:
    """Stands for the session that `open_session` will give. `lack` is why there is none so far."""

    name = "awaited"

    def __init__(self, open_session: Callable[[], Session]) -> None:
        self._open = open_session
        self._lock = threading.Lock()
        self._found: Session | None = None
        self.lack: DeskError | None = None
        try:
            self._session()
        except DeskError as error:
            self.lack = error

    @property
    def environment(self) -> Mapping[str, str]:
        """What a program needs to be started on this desktop. Raises what `open_session` raises."""
        return self._session().environment

    def connect(self) -> Platform:
        """All ports, on connections of their own. Raises what `open_session` raises."""
        return self._session().connect()

    def close(self) -> None:
        """End what belongs to this session alone."""
        if self._found is not None:
            self._found.close()

    def _session(self) -> Session:
        with self._lock:
            if self._found is None:
                self._found = self._open()
            return self._found
