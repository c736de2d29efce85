"""All recordings of this server: few at a time, each for the session that began it, and none left unfinished."""

import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from deskhand.desktop.screen.recording.recorder import Recorder
from deskhand.desktop.screen.recording.shooting import Wish
from deskhand.desktop.screen.recording.views import View
from deskhand.desktop.screen.video import encoder
from deskhand.guard.paths import NewFile, dated_file, new_file
from deskhand.model.errors import BadArguments, NotAnswering, NotFound, NotPossible, SessionRequired
from deskhand.model.recording import Recording
from deskhand.platforms.base import Platform

MOST_AT_ONCE: Final = 3
DEFAULT_RATE: Final = 15
DEFAULT_SECONDS: Final = 3600.0
_SUFFIX: Final = ".mp4"
_REMEMBERED: Final = 20
_END_SECONDS: Final = 10.0


class Recordings:
    """The recordings of a server. `connect` gives the calling thread its platform, `let_go` closes that."""

    def __init__(self, connect: Callable[[], Platform], let_go: Callable[[], None], folder: Callable[[], Path]) -> None:
        self._connect = connect
        self._let_go = let_go
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[str, Recorder] = {}
        self._count = 0
        self._over: deque[str] = deque(maxlen=_REMEMBERED)
        """Sessions that have ended."""

    def start(
        self,
        view: View,
        session_id: str,
        *,
        path: str | None = None,
        rate: int = DEFAULT_RATE,
        seconds: float = DEFAULT_SECONDS,
    ) -> Recording:
        """Begin to record, into a new file (one named after the date, without a path); its first picture is taken.

        Raises Unsupported, BadArguments, PermissionMissing, or NotPossible where too many go on already.
        """
        encoder.require()

        def create() -> NewFile:
            return dated_file(self._folder(), _SUFFIX) if path is None else new_file(path, _SUFFIX)

        recorder = self._add(session_id, Wish(view, create, rate, seconds))
        try:
            recorder.begin(self._connect, self._let_go)
        except BaseException:
            with self._lock:
                del self._known[recorder.name]
            raise
        return _told(recorder)

    def stop(self, name: str | None) -> Recording:
        """End a recording (the only one, without a name), and say what came of it; one that has ended stays so."""
        recorder = self._named(name)
        recorder.stop("it was stopped")
        if not recorder.wait(_END_SECONDS):
            raise NotAnswering(f"{recorder.name} did not end within {_END_SECONDS:g} s")
        return _told(recorder)

    def all(self) -> list[Recording]:
        """Those that go on, and those that have ended last, the newest first."""
        with self._lock:
            recorders = list(self._known.values())
        return [state for one in reversed(recorders) if (state := one.state()) is not None]

    def session_ended(self, session_id: str) -> None:
        """A session is over, and what it records ends."""
        with self._lock:
            self._over.append(session_id)
            for recorder in self._known.values():
                if recorder.session_id == session_id:
                    recorder.stop("the session has ended")

    def close(self) -> None:
        """End all that go on, and wait for their files for some seconds."""
        with self._lock:
            recorders = list(self._known.values())
        for recorder in recorders:
            recorder.stop("the server has ended")
        deadline = time.monotonic() + _END_SECONDS
        for recorder in recorders:
            recorder.wait(deadline - time.monotonic())

    # ------------------------------------------------------------ inside

    def _add(self, session_id: str, wish: Wish) -> Recorder:
        with self._lock:
            if session_id in self._over:  # between its admission and now
                raise SessionRequired("the session has ended")
            running = [one.name for one in self._known.values() if one.goes_on]
            if len(running) >= MOST_AT_ONCE:
                raise NotPossible(
                    f"{len(running)} recordings go on already: {', '.join(running)}",
                    recovery="call record_stop for one of them first",
                )
            self._forget_the_oldest()
            self._count += 1
            recorder = Recorder(f"r{self._count}", session_id, wish)
            self._known[recorder.name] = recorder
            return recorder

    def _forget_the_oldest(self) -> None:
        ended = [name for name, one in self._known.items() if not one.goes_on]
        for name in ended[: max(0, len(ended) - _REMEMBERED + 1)]:
            del self._known[name]

    def _named(self, name: str | None) -> Recorder:
        with self._lock:
            if name is not None and name in self._known:
                return self._known[name]
            running = [one for one in self._known.values() if one.goes_on]
        if name is not None:
            raise NotFound(f"there is no recording {name}", recovery="call record_list to see those there are")
        if len(running) == 1:
            return running[0]
        if running:
            listed = ", ".join(one.name for one in running)
            raise BadArguments(f"several recordings go on: {listed}", recovery="name one of them by recording_id")
        raise NotFound("no recording goes on", recovery="call record_list to see those that have ended")


def _told(recorder: Recorder) -> Recording:
    state = recorder.state()
    assert state is not None
    return state
