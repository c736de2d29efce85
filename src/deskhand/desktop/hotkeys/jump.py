"""Firing a shortcut in its application."""

from dataclasses import dataclass

from deskhand.desktop import apps, keyboard
from deskhand.desktop.apps import RunningApp
from deskhand.desktop.hotkeys.manifest import Hotkey
from deskhand.desktop.settle import Settled, watching
from deskhand.model.effect import Effect
from deskhand.model.errors import AmbiguousApp, AppNotFound, NotPossible
from deskhand.model.keys import parse_chord
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform


@dataclass(frozen=True, slots=True)
class Jump:
    """What came of a shortcut."""

    app: RunningApp
    settled: Settled

    @property
    def effect(self) -> Effect:
        """That something has changed does not say that it was what the shortcut is for."""
        return Effect.UNVERIFIED if self.settled.changed else Effect.NO_CHANGE


def jump(platform: Platform, hotkey: Hotkey, seconds: float, turn: Turn) -> Jump:
    """Bring the application of a shortcut to the front, press the keys there, and wait for what that sets in motion.

    Raises AppNotFound where it does not run, NotPossible where it does not get the keyboard.
    """
    app = _resolve(platform, hotkey)
    apps.bring_forward(platform, app)
    window = platform.windows.active()
    if window is None or window.pid != app.app.pid:
        raise NotPossible(
            f"{app.app.name} does not have the keyboard: the keys would go elsewhere",
            recovery="look at a screenshot: something else may hold the keyboard",
        )
    turn.check()
    with watching(platform, app.accessible, turn) as watch:
        keyboard.stroke(platform, parse_chord(hotkey.chord))
        return Jump(app, watch.settle(seconds))


def _resolve(platform: Platform, hotkey: Hotkey) -> RunningApp:
    """The running application of a shortcut: by its id where the manifest names one, else by its name."""
    if hotkey.app_id:
        try:
            return apps.resolve(platform, hotkey.app_id)
        except AmbiguousApp:
            return _in_front(platform, hotkey.app_id)
        except AppNotFound:
            pass
    try:
        return apps.resolve(platform, hotkey.app)
    except AmbiguousApp:
        return _in_front(platform, hotkey.app)


def _in_front(platform: Platform, name: str) -> RunningApp:
    """Of several that a name means the one that is in front. Raises AmbiguousApp where that is none of them."""
    front = apps.frontmost(platform)
    if front is not None and name.casefold().removesuffix(".desktop") in front.names:
        return front
    return apps.resolve(platform, name)
