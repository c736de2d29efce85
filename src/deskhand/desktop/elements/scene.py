"""One act and what it may change: the element, the windows around it, the tree, the pixels."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from deskhand.desktop import pointer
from deskhand.desktop.apps import RunningApp, bring_forward
from deskhand.desktop.elements.shown import Shown
from deskhand.desktop.settle import Settled, Watch, watching
from deskhand.model.effect import Effect, Route
from deskhand.model.element import Element, State
from deskhand.model.errors import ElementGone, NotAnswering, NotPossible
from deskhand.model.turn import Turn
from deskhand.platforms.base import Button, Platform

AFTER_SECONDS: Final = 0.3
"""How long an act's consequences are waited for at most, where the caller says nothing."""


_ARRIVAL_SECONDS: Final = 1.0

Wanted = Callable[[Element | None], bool]
"""Whether an element is as it was meant to become; None stands for one that has gone."""


@dataclass(frozen=True, slots=True)
class Target:
    """An element to act on, and the application it is in (None where it shows no windows now)."""

    element: Element
    app: RunningApp | None
    called: str | None = None
    """The title it was found by, where that may be another than its own."""

    def words(self) -> str:
        """What it is, in a sentence."""
        return f"the {self.element.role} {(self.called or self.element.title)!r}"

    def shown(self, now: Element) -> Shown:
        """It as it is now, still called what it was found by, unless its own name has changed meanwhile."""
        is_called_so = (now.node, now.title) == (self.element.node, self.element.title)
        return Shown(now, self.called if self.called and is_called_so else now.title, 0)


@dataclass(frozen=True, slots=True)
class Acted:
    """What came of an act. `element` is as it is now, None where it has gone."""

    element: Element | None
    effect: Effect
    route: Route
    settled: Settled


@dataclass(frozen=True, slots=True)
class Scene:
    """An element that is about to be acted on, and for how long the consequences are waited for."""

    platform: Platform
    target: Target
    turn: Turn
    seconds: float = AFTER_SECONDS

    @property
    def element(self) -> Element:
        return self.target.element

    def at(self, element: Element) -> "Scene":
        """The same for another element of the application."""
        return replace(self, target=Target(element, self.target.app))

    def act(self, route: Route, do: Callable[[], bool], wanted: Wanted | None = None) -> Acted | None:
        """Do it, wait for what it sets in motion, and compare; None where the application says it did nothing.

        Where it is known what is `wanted` of the element, that is waited for a little longer, and decides.
        """
        self.turn.check()
        app = self.target.app
        before, windows = self.now() or self.element, self._windows()
        with watching(self.platform, app.accessible if app else None, self.turn) as watch:
            if not _done(do):
                return None
            settled = watch.settle(self.seconds)
            if wanted is not None:
                settled = self._wait_for(wanted, watch, settled)
            elif settled.changed and not self._seen(before, windows, settled):
                # A button shows at once that it was pressed; a browser may come to what that is for later.
                settled = settled.and_then(watch.settle(self.seconds))
            now, seen = self.now(), self._seen(before, windows, settled)
        if seen if wanted is None else wanted(now):
            effect = Effect.CONFIRMED
        else:
            effect = Effect.UNVERIFIED if seen or settled.changed else Effect.NO_CHANGE
        return Acted(now, effect, route, settled)

    def _seen(self, before: Element, windows: list[tuple[int, str, bool]], settled: Settled) -> bool:
        """Whether something has come of it: in the tree, the windows, or the element."""
        now = self.now()
        return settled.tree_changed or windows != self._windows() or now is None or _differs(before, now)

    def _wait_for(self, wanted: Wanted, watch: Watch, settled: Settled) -> Settled:
        """Browsers hand an act on to the process of the page, which may come to it later."""
        deadline = time.monotonic() + _ARRIVAL_SECONDS
        while not wanted(self.now()) and time.monotonic() < deadline:
            settled = settled.and_then(watch.settle(_ARRIVAL_SECONDS))
        return settled

    def click(self, button: Button, wanted: Wanted | None = None) -> Acted:
        """Click in the middle of the element. Raises NotPossible where it is not on the screen, or stays covered."""
        element, app = self.element, self.target.app
        if app is not None and app.app.hidden:
            bring_forward(self.platform, app)
            element = self.now() or element
        point = pointer.place_of(self.platform, element, app)

        def click() -> bool:
            pointer.click(self.platform, point, button=button)
            return True

        acted = self.act(Route.POINTER, click, wanted)
        assert acted is not None, "a click is always done"
        return acted

    def now(self) -> Element | None:
        """The element as it is now, None where it has gone."""
        try:
            return self.platform.accessibility.element(self.element.node)
        except ElementGone:
            return None

    def _windows(self) -> list[tuple[int, str, bool]]:
        """The windows there are; what those of other applications are called may change by itself."""
        own = self.target.app.app.pid if self.target.app else None
        windows = self.platform.windows.all()
        return sorted((one.id, one.title if one.pid == own else "", one.active) for one in windows)


def refuse_disabled(target: Target) -> None:
    """Raise NotPossible where the element takes nothing."""
    if not target.element.enabled:
        raise NotPossible(f"{target.words()} is disabled", recovery="do first what enables it, then try again")


def _done(do: Callable[[], bool]) -> bool:
    try:
        return do()
    except ElementGone:
        return True  # it went in the middle of its own action, as a dialog's button does
    except NotAnswering:
        return True  # Qt answers only when the dialog it has opened is closed again; what came of it is looked at


def _differs(old: Element, new: Element) -> bool:
    # Pressing gives a button the keyboard also where it does nothing else; for a field that is what it is for.
    counted = ~State(0) if old.states & State.EDITABLE or old.role == "textbox" else ~State.FOCUSED
    states = (old.states & counted) == (new.states & counted)
    return not states or (old.title, old.value, old.bounds) != (new.title, new.value, new.bounds)


def already_there(element: Element, route: Route) -> Acted:
    """Nothing to do: the element is as it should be."""
    nothing = Settled(changed=False, tree_changed=False, quiet=True, milliseconds=0)
    return Acted(element, Effect.CONFIRMED, route, nothing)
