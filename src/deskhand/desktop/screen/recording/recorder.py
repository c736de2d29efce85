"""One recording, for whoever has it made: it begins, goes on in a thread of its own, and ends when it is told to."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

from deskhand.desktop.screen.recording.film import Film
from deskhand.desktop.screen.recording.shooting import Shooting, Wish
from deskhand.desktop.screen.recording.views import watching
from deskhand.model.errors import Cancelled, NotAnswering
from deskhand.model.recording import Recording
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform

_BEGIN_SECONDS: Final = 20.0


class Recorder:
    """A recording, for other threads than its own."""

    def __init__(self, name: str, session_id: str, wish: Wish) -> None:
        self.name = name
        self.session_id = session_id
        self._wish = wish
        self._turn = Turn()
        self._begun: Future[None] = Future()
        self._film: Film | None = None
        self._thread: threading.Thread | None = None
        self.goes_on = True
        """Whether it is being made, or about to."""

    def begin(self, connect: Callable[[], Platform], let_go: Callable[[], None]) -> None:
        """Return when the first picture has been taken. Raises what keeps it from being so.

        Its thread has a platform of its own: `connect` gives it, `let_go` closes it.
        """
        self._thread = threading.Thread(
            target=self._run, args=(connect, let_go), name=f"recording {self.name}", daemon=True
        )
        self._thread.start()
        try:
            self._begun.result(_BEGIN_SECONDS)
        except TimeoutError:
            self.stop("it did not begin in time")
            raise NotAnswering(f"no picture could be taken within {_BEGIN_SECONDS:g} s") from None

    def stop(self, why: str) -> None:
        """Ask it to end; it does so soon. Nothing happens to one that has ended."""
        self._turn.cancel(Cancelled(why))

    def wait(self, seconds: float) -> bool:
        """Wait until it has ended and its file is whole; whether it is."""
        if self._thread is not None:
            self._thread.join(max(0.0, seconds))
        return not self.goes_on

    def state(self) -> Recording | None:
        """The recording as it is now, None before its first picture."""
        return None if self._film is None else self._film.state(self.name, self._wish.view.target)

    # ------------------------------------------------------------ in its thread

    def _run(self, connect: Callable[[], Platform], let_go: Callable[[], None]) -> None:
        try:
            self._record(connect())
        except BaseException as error:
            if self._begun.done():
                raise
            self._begun.set_exception(error)
        finally:
            self.goes_on = False
            self._turn.close()
            let_go()

    def _record(self, platform: Platform) -> None:
        view = self._wish.view
        size = view.size(platform)
        with watching(platform, view) as watch:
            now = time.monotonic()
            seen = view.see(platform, size)
            film = self._film = Film(self._wish.create(), size, self._wish.rate, seen.pixels, now)
            why = "an internal error"
            try:
                self._begun.set_result(None)
                why = Shooting(platform, self._wish, watch, film, size, seen.source, now).go_on(self._turn)
            finally:
                film.finish(why)
