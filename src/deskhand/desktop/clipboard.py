"""Pasting a text while leaving what was on the clipboard there."""

import time
from collections.abc import Callable
from typing import Final

from deskhand.model.clipboard import text_contents
from deskhand.model.errors import NotPossible
from deskhand.model.keys import Chord
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform

_PASTE_SECONDS: Final = 3.0
_HANDLED_SECONDS: Final = 1.0
_ARRIVAL_SECONDS: Final = 2.0
_LOOK_AGAIN_SECONDS: Final = 0.01


def paste(
    platform: Platform,
    text: str,
    window: int,
    chord: Chord,
    turn: Turn,
    has_arrived: Callable[[], bool] | None = None,
) -> None:
    """Paste a text into the window that has the keyboard, then put back all forms of what was on the clipboard.

    `has_arrived` looks whether the text is there, where that can be seen. Raises NotPossible where the application does
    not fetch it.
    """
    turn.check()
    with platform.clipboard.lent(text_contents(text)):
        try:
            platform.keyboard.press(chord)
        finally:
            platform.keyboard.release_all()
        if not platform.clipboard.wait_until_pasted(window, _PASTE_SECONDS):
            raise NotPossible("the application did not paste", recovery="click into a text field, then try again")
        # It has the text, and may ask for another form of it before it is done.
        platform.windows.wait_until_handled(window, _HANDLED_SECONDS, turn.check)
        if has_arrived is not None:
            _wait_for(has_arrived, turn)


def _wait_for(has_arrived: Callable[[], bool], turn: Turn) -> None:
    deadline = time.monotonic() + _ARRIVAL_SECONDS
    while not has_arrived() and time.monotonic() < deadline:
        turn.wait([], _LOOK_AGAIN_SECONDS)
