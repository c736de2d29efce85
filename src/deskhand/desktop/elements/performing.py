"""Pressing, and whatever else an element can do; giving it the keyboard."""

import re
from collections.abc import Sequence
from typing import Final

from deskhand.desktop.apps import bring_forward
from deskhand.desktop.elements.scene import AFTER_SECONDS, Acted, Scene, Target, Wanted, refuse_disabled
from deskhand.model.effect import Effect, Route
from deskhand.model.element import Element, State
from deskhand.model.errors import NotPossible
from deskhand.model.turn import Turn
from deskhand.platforms.base import Button, Platform

# What toolkits call the one thing that a control is for.
_PRESSES: Final = (
    "click", "press", "activate", "toggle", "jump", "open", "check", "uncheck", "select", "do default",
)  # fmt: skip
_NAMED_BY_OTHERS: Final = {
    "axpress": _PRESSES,
    "press": _PRESSES,
    "axshowmenu": ("showmenu", "menu", "popup", "show menu"),
    "axconfirm": ("activate", "confirm", *_PRESSES),
    "axpick": ("select", *_PRESSES),
    "axincrement": ("increment", "increase"),
    "axdecrement": ("decrement", "decrease"),
}
# A click into these gives them the keyboard and does nothing else.
_FIELDS: Final = frozenset({"textbox", "spinbutton", "terminal", "document", "paragraph", "heading"})


def press(platform: Platform, target: Target, turn: Turn, seconds: float = AFTER_SECONDS) -> Acted:
    """Do the one thing an element is for: press a button, follow a link, choose a menu item."""
    return perform(platform, target, "press", turn, seconds)


def perform(platform: Platform, target: Target, action: str, turn: Turn, seconds: float = AFTER_SECONDS) -> Acted:
    """Do an action of an element by its name: one of its own (`ax_actions` lists them), or macOS's for it.

    Where the application has no such action, pressing goes by the pointer, and showing a menu by its right button.
    Raises NotPossible where neither can be done.
    """
    scene = Scene(platform, target, turn, seconds)
    if action.casefold() == "axraise" and target.app is not None:
        return _raise(scene)
    return perform_in(scene, action)


def perform_in(scene: Scene, action: str, wanted: Wanted | None = None) -> Acted:
    """The same where it may be known what the element is wanted to become."""
    refuse_disabled(scene.target)
    accessibility, node = scene.platform.accessibility, scene.element.node
    offered = accessibility.offers(node).actions
    place = _place_of_action(action, offered)
    if place is not None:
        acted = scene.act(Route.ACCESSIBILITY, lambda: accessibility.perform(node, place), wanted)
        if acted is not None:
            return acted
    return scene.click(_button_for(action, offered), wanted)


def focus(platform: Platform, target: Target, turn: Turn, seconds: float = AFTER_SECONDS) -> Acted:
    """Give an element the keyboard: its window comes forward, and the element says afterwards whether it has it.

    Raises NotPossible where it does not take the keyboard.
    """
    scene = Scene(platform, target, turn, seconds)
    refuse_disabled(scene.target)
    if target.app is not None:
        bring_forward(platform, target.app)
    element = target.element
    acted = scene.act(Route.ACCESSIBILITY, lambda: platform.accessibility.focus(element.node), _has_keyboard)
    if acted is None or acted.effect is not Effect.CONFIRMED:
        if is_field(element) or element.role in _FIELDS:
            return scene.click(Button.LEFT, _has_keyboard)
        if acted is None:
            raise NotPossible(f"{target.words()} does not take the keyboard")
    return acted


def _has_keyboard(element: Element | None) -> bool:
    return element is not None and element.focused


def _raise(scene: Scene) -> Acted:
    app = scene.target.app
    assert app is not None
    acted = scene.act(Route.ACCESSIBILITY, lambda: bring_forward(scene.platform, app) is not None, lambda _: True)
    assert acted is not None, "bringing forward is done or raises"
    return acted


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
    return _numbered(action, len(names))


def _numbered(action: str, count: int) -> int | None:
    """The place in `(action 1)`, which is how an action without a name is listed."""
    match = re.fullmatch(r"\(?action (\d{1,3})\)?", action.strip().casefold())
    return int(match[1]) if match is not None and int(match[1]) < count else None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _button_for(action: str, offered: Sequence[str]) -> Button:
    """The mouse button that does the same as an action. Raises NotPossible for an action it cannot do."""
    word = action.casefold()
    if word in ("press", "axpress"):
        return Button.LEFT
    if word == "axshowmenu":
        return Button.RIGHT
    listed = ", ".join(name or f"(action {number})" for number, name in enumerate(offered)) or "none"
    raise NotPossible(f"this element has no action {action!r}; it offers: {listed}")


def is_field(element: Element) -> bool:
    """Whether text can be typed into an element."""
    return bool(element.states & State.EDITABLE) or element.role == "textbox"
