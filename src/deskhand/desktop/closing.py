"""Closing windows, and quitting applications by closing theirs, as people do."""

import time
from typing import Final

from deskhand.desktop.apps import RunningApp
from deskhand.model.errors import NotFound, NotPossible
from deskhand.model.turn import Turn
from deskhand.model.window import Window
from deskhand.platforms.base import Platform

_CLOSE_SECONDS: Final = 5.0
_ASKED_SECONDS: Final = 0.6
_LOOK_AGAIN_SECONDS: Final = 0.2


def close(platform: Platform, window: Window, turn: Turn) -> None:
    """Ask a window to close, and wait until it has. Raises NotPossible where it stays: it may ask something first."""
    turn.check()
    closing = _Closing(platform, window.pid, {window.id})
    platform.windows.close(window.id)
    _wait_until_gone(platform, closing, turn)


def quit_app(platform: Platform, app: RunningApp, turn: Turn) -> None:
    """Close every window of an application, and wait until it has none.

    Raises NotPossible where one stays: it may ask whether to save.
    """
    closing = _Closing(platform, app.app.pid, None)
    for window in app.windows:
        turn.check()
        try:
            platform.windows.close(window.id)
        except NotFound:
            continue  # it went with another of its windows
    _wait_until_gone(platform, closing, turn)


class _Closing:
    """The windows that are to go, and what the application opens meanwhile: a question."""

    def __init__(self, platform: Platform, pid: int | None, ids: set[int] | None) -> None:
        """`ids` None stands for all of the application's."""
        self._platform = platform
        self._pid = pid
        self._ids = ids
        self._before = {window.id for window in platform.windows.all()}
        self._asked_at: float | None = None
        self.left: Window | None = None
        self.question: Window | None = None

    def goes_on(self) -> bool:
        """Whether to wait on: something is left, and no question has stood there for a moment."""
        windows = [one for one in self._platform.windows.all() if self._pid is not None and one.pid == self._pid]
        wanted = windows if self._ids is None else [one for one in self._platform.windows.all() if one.id in self._ids]
        self.question = next((one for one in windows if one.id not in self._before), None)
        self.left = next((one for one in wanted if one != self.question), None)
        if self.question is None:
            self._asked_at = None
        elif self._asked_at is None:
            self._asked_at = time.monotonic()
        has_asked = self._asked_at is not None and time.monotonic() - self._asked_at >= _ASKED_SECONDS
        return self.left is not None and not has_asked


def _wait_until_gone(platform: Platform, closing: _Closing, turn: Turn) -> None:
    """Raises NotPossible for what is left after 5 s, or as soon as the application asks something."""
    deadline = time.monotonic() + _CLOSE_SECONDS
    with platform.screen.changes() as changes:
        while closing.goes_on() and (now := time.monotonic()) < deadline:
            # A window cannot go without changing the screen.
            turn.wait([changes], min(_LOOK_AGAIN_SECONDS, deadline - now))
            changes.take()
    if closing.left is not None:
        asks = f": the window {closing.question.title!r} has come" if closing.question is not None else ""
        raise NotPossible(
            f"the window {closing.left.title!r} does not close{asks}",
            recovery="look at what is asked (inspect_ui), answer that, then try again"
            if asks
            else "see whether it asks something (inspect_ui); an app that does not answer can only be waited for, or ended",
        )
