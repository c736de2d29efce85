"""When pictures are taken: as soon as something has changed, as often as was wished for, and never for nothing."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from deskhand.desktop.screen.recording.film import Film
from deskhand.desktop.screen.recording.views import View, Watch
from deskhand.desktop.screen.video.encoder import FRAGMENT_SECONDS
from deskhand.desktop.screen.video.outlet import why_not
from deskhand.guard.paths import NewFile
from deskhand.model.errors import Cancelled, DeskError, DesktopLost, NotFound
from deskhand.model.geometry import Rect, Size
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform

_HOLD_SECONDS: Final = FRAGMENT_SECONDS
"""A picture that stays is put into the film again so often: only then is what came before it written to the file."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be recorded: at most `rate` pictures a second, for at most so many `seconds`.

    `create` makes the file, once there is a picture to put into it.
    """

    view: View
    create: Callable[[], NewFile]
    rate: int
    seconds: float


class Shooting:
    """Films what a watch tells of, from the picture on that the film has begun with at `now`."""

    def __init__(
        self, platform: Platform, wish: Wish, watch: Watch, film: Film, size: Size, source: Rect, now: float
    ) -> None:
        self._platform = platform
        self._view = wish.view
        self._watch = watch
        self._film = film
        self._size = size
        self._source = source
        self._period = 1 / wish.rate
        self._next = now + self._period
        self._hold = now + _HOLD_SECONDS
        self._over = now + wish.seconds

    def go_on(self, turn: Turn) -> str:
        """Film until the turn is cancelled, or it cannot go on; why it has ended."""
        try:
            return self._shoot(turn)
        except Cancelled as error:
            return str(error)
        except NotFound:
            return "the window has closed"
        except DesktopLost:
            return "the desktop has gone"
        except OSError as error:
            return why_not(error)

    def _shoot(self, turn: Turn) -> str:
        is_due = False
        while (now := time.monotonic()) < self._over:
            turn.wait((), min(self._next, self._over) - now)
            turn.wait(self._watch.sources, min(self._hold, self._over) - time.monotonic())
            is_due = self._watch.has_changed(self._source) or is_due
            now = time.monotonic()
            if is_due:
                is_due = not self._take(now)
            if now >= self._hold:
                self._film.hold(now)
                self._hold = now + _HOLD_SECONDS
        return "max_seconds are over"

    def _take(self, now: float) -> bool:
        """Take a picture; whether there was anything to see."""
        self._next = max(self._next + self._period, now)
        try:
            seen = self._view.see(self._platform, self._size)
        except DesktopLost:
            raise
        except DeskError:
            return False  # minimized, or about to become another frame: the film keeps what was seen last
        self._source = seen.source
        if self._film.show(seen.pixels, now):
            self._hold = now + _HOLD_SECONDS
        return True
