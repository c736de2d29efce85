"""Acting on elements, and telling honestly what came of it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.desktop import keyboard, pointer
from deskhand.desktop.apps import RunningApp, bring_forward
from deskhand.desktop.settle import Settled, watching
from deskhand.model.effect import Effect, Route
from deskhand.model.element import HIDDEN_VALUE, Element, State
from deskhand.model.errors import BadArguments, ElementGone, NotPossible
from deskhand.model.turn import Turn
from deskhand.platforms.base import Button, Platform

AFTER_SECONDS: Final = 0.3
"""How long an act's consequences are waited for at most, where the caller says nothing."""

# What toolkits call the one thing that a control is for.
_PRESSES: Final = ("click", "press", "activate", "toggle", "jump", "open", "check", "uncheck", "select", "do default")
_NAMED_BY_OTHERS: Final = {
    "axpress": _PRESSES,
    "press": _PRESSES,
    "axshowmenu": ("showmenu", "menu", "popup", "show menu"),
    "axconfirm": ("activate", "confirm", *_PRESSES),
    "axpick": ("select", *_PRESSES),
    "axincrement": ("increment", "increase"),
    "axdecrement": ("decrement", "decrease"),
}
_TRUE: Final = frozenset({"true", "1", "on", "yes", "checked", "selected", "pressed"})
_FALSE: Final = frozenset({"false", "0", "off", "no", "unchecked", "unselected", "not pressed"})
_CHECKABLE: Final = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
_NUMBERS: Final = frozenset({"slider", "spinbutton", "progressbar", "scrollbar", "meter"})


@dataclass(frozen=True, slots=True)
class Target:
    """An element to act on, and the application it is in (None where it shows no windows now)."""

    element: Element
    app: RunningApp | None


@dataclass(frozen=True, slots=True)
class Acted:
    """What came of an act. `element` is as it is now, None where it has gone."""

    element: Element | None
    effect: Effect
    route: Route
    settled: Settled


def press(platform: Platform, target: Target, turn: Turn, seconds: float = AFTER_SECONDS) -> Acted:
    """Do the one thing an element is for: press a button, follow a link, choose a menu item."""
    return perform(platform, target, "press", turn, seconds)


def perform(platform: Platform, target: Target, action: str, turn: Turn, seconds: float = AFTER_SECONDS) -> Acted:
    """Do an action of an element by its name: one of its own (`ax_actions` lists them), or macOS's for it.

    Where the application has no such action, pressing goes by the pointer, and showing a menu by its right button.
    Raises NotPossible where neither can be done.
    """
    element = target.element
    _refuse_disabled(element)
    offered = platform.accessibility.offers(element.node).actions
    place = _place_of_action(action, offered)
    if place is not None:
        scene = _Scene(platform, target, turn, seconds)
        acted = scene.act(Route.ACCESSIBILITY, lambda: platform.accessibility.perform(element.node, place))
        if acted is not None:
            return acted
    return _click(platform, target, _button_for(action, offered), turn, seconds)


def focus(platform: Platform, target: Target, turn: Turn, seconds: float = AFTER_SECONDS) -> Acted:
    """Give an element the keyboard: its window comes forward, and the element says afterwards whether it has it."""
    _refuse_disabled(target.element)
    if target.app is not None:
        bring_forward(platform, target.app)
    node = target.element.node
    acted = _Scene(platform, target, turn, seconds).act(Route.ACCESSIBILITY, lambda: platform.accessibility.focus(node))
    if acted is None or acted.element is None or not acted.element.focused:
        acted = _click(platform, target, Button.LEFT, turn, seconds)
    focused = acted.element is not None and acted.element.focused
    return Acted(acted.element, Effect.CONFIRMED if focused else Effect.UNVERIFIED, acted.route, acted.settled)


def set_value(platform: Platform, target: Target, value: str, turn: Turn, seconds: float = AFTER_SECONDS) -> Acted:
    """Set what an element holds: a field's text, a slider's number, whether a box is checked, a choice.

    Raises BadArguments where the value is not of the element's kind.
    """
    element = target.element
    _refuse_disabled(element)
    if element.role in _CHECKABLE or element.states & State.CHECKABLE:
        return _set_checked(platform, target, value, turn, seconds)
    if element.role in _NUMBERS:
        return _set_number(platform, target, value, turn, seconds)
    if element.role == "combobox" and not element.states & State.EDITABLE:
        return _choose(platform, target, value, turn, seconds)
    return _set_text(platform, target, value, turn, seconds)


# ---------------------------------------------------------------- the kinds of values


def _set_checked(platform: Platform, target: Target, value: str, turn: Turn, seconds: float) -> Acted:
    wanted = value.strip().casefold()
    if wanted not in _TRUE | _FALSE:
        raise BadArguments(f"value: a {target.element.role} is checked or unchecked, not {value!r}")
    if bool(target.element.states & State.CHECKED) == (wanted in _TRUE):
        return _already_there(target, Route.ACCESSIBILITY)
    return press(platform, target, turn, seconds)


def _set_number(platform: Platform, target: Target, value: str, turn: Turn, seconds: float) -> Acted:
    try:
        number = float(value)
    except ValueError:
        raise BadArguments(f"value: a {target.element.role} holds a number, not {value!r}") from None
    node = target.element.node
    acted = _Scene(platform, target, turn, seconds).act(
        Route.ACCESSIBILITY, lambda: platform.accessibility.set_number(node, number)
    )
    if acted is None:
        raise NotPossible(f"the {target.element.role} {target.element.title!r} does not take a number")
    return _confirmed_if(acted, acted.element is not None and _same_number(acted.element.value, number))


def _choose(platform: Platform, target: Target, value: str, turn: Turn, seconds: float) -> Acted:
    """Choose an entry of a combo box by its words: its entries are elements below it, also while it is closed."""
    if target.element.value == value or target.element.title == value:
        return _already_there(target, Route.ACCESSIBILITY)
    choices = platform.accessibility.choices(target.element.node)
    fitting = [one for one in choices if one.title.strip().casefold() == value.strip().casefold()]
    if not fitting:
        listed = ", ".join(repr(one.title) for one in choices[:12])
        raise NotPossible(
            f"{value!r} is not a choice of {target.element.title!r}",
            recovery=f"choose one of {listed}" if listed else "open it with ax_press to see its choices",
        )
    chosen = Target(fitting[0], target.app)
    acted = press(platform, chosen, turn, seconds)
    now = platform.accessibility.element(target.element.node)
    done = value.strip().casefold() in ((now.value or "").casefold(), now.title.casefold())
    return Acted(now, Effect.CONFIRMED if done else acted.effect, acted.route, acted.settled)


def _set_text(platform: Platform, target: Target, value: str, turn: Turn, seconds: float) -> Acted:
    """Through the accessible text, and where that changes nothing (Chromium, Firefox) by typing over it."""
    node = target.element.node
    hidden = target.element.value == HIDDEN_VALUE
    acted = _Scene(platform, target, turn, seconds).act(
        Route.ACCESSIBILITY, lambda: platform.accessibility.set_text(node, value)
    )
    if acted is not None and (hidden or _holds(platform, target, value)):
        return _confirmed_if(acted, not hidden)
    if not target.element.states & (State.EDITABLE | State.FOCUSABLE):
        raise NotPossible(f"the {target.element.role} {target.element.title!r} does not take text")
    focus(platform, target, turn, seconds)
    with watching(platform, target.app.accessible if target.app else None, turn) as watch:
        route = keyboard.replace_text(platform, value, turn)
        settled = watch.settle(seconds)
    now = _element_now(platform, target)
    done = not hidden and _holds(platform, target, value)
    return Acted(now, Effect.CONFIRMED if done else Effect.UNVERIFIED, route, settled)


def _holds(platform: Platform, target: Target, value: str) -> bool:
    """Whether a field holds this text now."""
    try:
        text = platform.accessibility.text(target.element.node)
    except ElementGone:
        return False
    return text is not None and text.rstrip("\n") == value.rstrip("\n")


# ---------------------------------------------------------------- doing and looking


class _Scene:
    """What an act may change: its element, and the windows around it."""

    def __init__(self, platform: Platform, target: Target, turn: Turn, seconds: float) -> None:
        self._platform = platform
        self._target = target
        self._turn = turn
        self._seconds = seconds

    def act(self, route: Route, do: Callable[[], bool]) -> Acted | None:
        """Do it, wait for what it sets in motion, and compare; None where the application says it did nothing."""
        self._turn.check()
        app = self._target.app
        windows = self._windows()
        with watching(self._platform, app.accessible if app else None, self._turn) as watch:
            try:
                done = do()
            except ElementGone:
                done = True  # it went in the middle of its own action, as a dialog's button does
            if not done:
                return None
            settled = watch.settle(self._seconds)
        now = _element_now(self._platform, self._target)
        if settled.tree_changed or windows != self._windows() or now is None or _differs(self._target.element, now):
            effect = Effect.CONFIRMED
        else:
            effect = Effect.UNVERIFIED if settled.changed else Effect.NO_CHANGE
        return Acted(now, effect, route, settled)

    def _windows(self) -> list[tuple[int, str, bool]]:
        return sorted((one.id, one.title, one.active) for one in self._platform.windows.all())


def _differs(old: Element, new: Element) -> bool:
    return (old.states, old.value, old.bounds) != (new.states, new.value, new.bounds)


def _element_now(platform: Platform, target: Target) -> Element | None:
    try:
        return platform.accessibility.element(target.element.node)
    except ElementGone:
        return None


def _click(platform: Platform, target: Target, button: Button, turn: Turn, seconds: float) -> Acted:
    point = pointer.place_of(platform, target.element, target.app)

    def click() -> bool:
        pointer.click(platform, point, button=button)
        return True

    acted = _Scene(platform, target, turn, seconds).act(Route.POINTER, click)
    assert acted is not None, "a click is always done"
    return acted


def _already_there(target: Target, route: Route) -> Acted:
    """Nothing to do: the element is as it should be."""
    return Acted(
        target.element, Effect.CONFIRMED, route, Settled(changed=False, tree_changed=False, quiet=True, milliseconds=0)
    )


def _confirmed_if(acted: Acted, confirmed: bool) -> Acted:
    return Acted(acted.element, Effect.CONFIRMED if confirmed else Effect.UNVERIFIED, acted.route, acted.settled)


# ---------------------------------------------------------------- names of actions


def _place_of_action(action: str, offered: Sequence[str]) -> int | None:
    """Where an action stands among those offered, None where it does not."""
    names = [_plain(name) for name in offered]
    wanted = _NAMED_BY_OTHERS.get(action.casefold(), (action,))
    for word in wanted:
        if _plain(word) in names:
            return names.index(_plain(word))
    # Chromium and Firefox offer the one action of an element without a name.
    if action.casefold() in ("press", "axpress") and names and not names[0]:
        return 0
    return None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _button_for(action: str, offered: Sequence[str]) -> Button:
    """The mouse button that does the same as an action. Raises NotPossible for an action it cannot do."""
    word = action.casefold()
    if word in ("press", "axpress"):
        return Button.LEFT
    if word == "axshowmenu":
        return Button.RIGHT
    listed = ", ".join(name or "(unnamed)" for name in offered) or "none"
    raise NotPossible(f"this element has no action {action!r}; it offers: {listed}")


def _refuse_disabled(element: Element) -> None:
    if not element.enabled:
        raise NotPossible(
            f"the {element.role} {element.title!r} is disabled", recovery="do first what enables it, then try again"
        )


def _same_number(shown: str | None, number: float) -> bool:
    try:
        return shown is not None and abs(float(shown) - number) < 1e-6 * max(1.0, abs(number))
    except ValueError:
        return False
