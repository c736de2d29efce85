"""From what a script says of a thing to the thing itself, with a little patience for one that is about to come."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from deskhand.automation.applescript import menus, targets
from deskhand.automation.applescript.context import Context
from deskhand.automation.applescript.targets import Step
from deskhand.automation.applescript.things import AppThing, ElementThing, WindowThing
from deskhand.desktop import apps
from deskhand.desktop.apps import RunningApp
from deskhand.model.errors import AppNotFound, BadArguments, ElementGone, NotFound
from deskhand.platforms.base import Platform

PATIENCE_SECONDS: Final = 2.0
_LOOK_AGAIN_SECONDS: Final = 0.25

OnScreen = AppThing | WindowThing | ElementThing


@dataclass(frozen=True, slots=True)
class Path:
    """A way to things that is gone anew each time: from an application, or from a thing that was found before."""

    root: OnScreen | None
    steps: tuple[Step, ...] = ()

    @property
    def is_every(self) -> bool:
        """Whether it means all that fit, and not one."""
        return any(step.selector is None for step in self.steps)

    def to(self, step: Step) -> "Path":
        """The way goes on to something in there."""
        return replace(self, steps=(*self.steps, step))

    def words(self) -> str:
        of = [step.words() for step in reversed(self.steps)]
        return " of ".join([*of, self.root.words()] if self.root else of)


def app_of(context: Context, path: Path) -> RunningApp:
    """The application a way begins in, as it is now. Raises Denied where scripts may not tell it anything."""
    root = path.root
    if isinstance(root, AppThing) and not root.is_desktop:
        return told(context, root)
    if isinstance(root, WindowThing | ElementThing):
        return apps.resolve(context.platform, str(root.app.app.pid))
    raise BadArguments(
        f"{path.words()} is in no process", recovery='put it into tell process "X", or write: of process "X"'
    )


def told(context: Context, app: AppThing) -> RunningApp:
    """A running application that the script is about to tell something, by whichever name or number it has found it.

    Raises Denied where scripts may not, AppNotFound and AmbiguousApp.
    """
    running = app.running(context.platform)
    context.permit("", running.names)
    return running


def look(context: Context, path: Path) -> list[OnScreen]:
    """Everything a way leads to now. Raises NotFound where one thing is meant and is not there."""
    if not path.steps:
        return [path.root] if path.root is not None else []
    if path.steps[0].kind == "process":
        return list(_processes(context.platform, path.steps[0]))
    platform, app = context.platform, app_of(context, path)
    if menus.leads_through_bar(path.steps):
        return [trail[-1] for trail in menus.way(platform, app, path.steps)]
    base = path.root if isinstance(path.root, WindowThing | ElementThing) else None
    return list(targets.locate(platform, app, base, path.steps))


def find(context: Context, path: Path) -> OnScreen:
    """The first thing a way leads to; one that an act has just called for may take up to 2 s to come."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    with context.platform.screen.changes() as changes:
        while True:
            try:
                found = look(context, path)
                if found:
                    return found[0]
                raise NotFound(f"there is no {path.words()}")
            except (NotFound, ElementGone, AppNotFound):
                left = deadline - time.monotonic()
                if left <= 0:
                    raise
            # Nothing can appear without changing the screen; the tree may follow a moment later.
            context.turn.wait([changes], min(left, _LOOK_AGAIN_SECONDS))
            changes.take()


def is_there(context: Context, path: Path) -> bool:
    """Whether a way leads anywhere now."""
    if not path.steps and isinstance(path.root, AppThing):
        return path.root.is_desktop or path.root.runs(context.platform)
    try:
        return bool(look(context, path))
    except (NotFound, ElementGone, AppNotFound):
        return False


def _processes(platform: Platform, step: Step) -> Sequence[AppThing]:
    """Applications with windows, frontmost first, that meet a condition; known by their process from here on."""
    running = apps.running(platform)
    front = apps.frontmost(platform)
    running.sort(key=lambda app: front is None or app.app.pid != front.app.pid)
    found = [AppThing(str(app.app.pid), app.app.name) for app in running]
    found = [one for one in found if targets.meets(platform, one, step)]
    if isinstance(step.selector, int):
        found = targets.numbered(found, step.selector)
        if not found:
            raise NotFound(f"no {step.words()}", recovery="call app_list to see running apps")
    return found
