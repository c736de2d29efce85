"""Setting what an element holds: a field's text, a slider's number, whether a box is checked, a choice."""

import math
from dataclasses import replace
from typing import Final

from deskhand.desktop import cover, keyboard
from deskhand.desktop.elements.performing import focus, is_field, perform_in
from deskhand.desktop.elements.scene import AFTER_SECONDS, Acted, Scene, Target, Wanted, already_there, refuse_disabled
from deskhand.model.effect import Effect, Route
from deskhand.model.element import HIDDEN_VALUE, Element, State
from deskhand.model.errors import BadArguments, ElementGone, NotPossible
from deskhand.model.keys import parse_chord
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform

_TRUE: Final = frozenset({"true", "1", "on", "yes", "checked", "selected", "pressed"})
_FALSE: Final = frozenset({"false", "0", "off", "no", "unchecked", "unselected", "not pressed"})
_CHECKABLE: Final = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
_TOGGLED: Final = frozenset({"pressed", "not pressed"})
_NUMBERS: Final = frozenset({"slider", "spinbutton", "progressbar", "scrollbar", "meter"})


def set_value(platform: Platform, target: Target, value: str, turn: Turn, seconds: float = AFTER_SECONDS) -> Acted:
    """Set what an element holds.

    Raises BadArguments where the value is not of the element's kind, NotPossible where the element does not take one.
    """
    scene = Scene(platform, target, turn, seconds)
    refuse_disabled(scene.target)
    element = target.element
    if element.role in _CHECKABLE or element.states & State.CHECKABLE or element.value in _TOGGLED:
        return _set_checked(scene, value)
    if element.role in _NUMBERS:
        return _set_number(scene, value)
    if element.role == "combobox" and not element.states & State.EDITABLE:
        return _choose(scene, value)
    return _set_text(scene, value)


def takes_value(element: Element) -> bool:
    """Whether a value can be set: a field, not the row or group around it that has its name."""
    return (
        is_field(element)
        or element.role in _CHECKABLE | _NUMBERS | {"combobox"}
        or bool(element.states & State.CHECKABLE)
        or element.value in _TOGGLED
    )


# ---------------------------------------------------------------- checked, numbers


def _set_checked(scene: Scene, value: str) -> Acted:
    wanted = value.strip().casefold()
    if wanted not in _TRUE | _FALSE:
        raise BadArguments(f"value: a {scene.element.role} is checked or unchecked, not {value!r}")
    on = wanted in _TRUE
    if _is_on(scene.element) == on:
        return already_there(scene.element, Route.ACCESSIBILITY)
    return perform_in(scene, "press", lambda now: now is not None and _is_on(now) == on)


def _is_on(element: Element) -> bool:
    return bool(element.states & State.CHECKED) or element.value == "pressed"


def _set_number(scene: Scene, value: str) -> Acted:
    element = scene.element
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadArguments(f"value: a {element.role} holds a number, not {value!r}")
    if _holds_number(element, number):
        return already_there(element, Route.ACCESSIBILITY)

    def holds(now: Element | None) -> bool:
        return _holds_number(now, number)

    accessibility = scene.platform.accessibility
    acted = scene.act(Route.ACCESSIBILITY, lambda: accessibility.set_number(element.node, number), holds)
    if acted is not None and acted.effect is not Effect.NO_CHANGE:
        return acted
    if is_field(element):
        return _type_over(scene, value, holds)
    if acted is None:
        raise NotPossible(f"{scene.target.words()} does not take a number")
    return acted


def _holds_number(element: Element | None, number: float) -> bool:
    try:
        return element is not None and abs(float(element.value or "") - number) < 1e-5 * max(1.0, abs(number))
    except ValueError:
        return False


# ---------------------------------------------------------------- choices


def _choose(scene: Scene, value: str) -> Acted:
    """Choose an entry of a combo box by its words: its entries are elements below it, also while it is closed."""
    if _is(scene.element.value, value):
        return already_there(scene.element, Route.ACCESSIBILITY)
    accessibility = scene.platform.accessibility
    choices, opened = accessibility.choices(scene.element.node), False
    if not any(_is(one.title, value) for one in choices) and (not choices or scene.element.value is None):
        # GTK 4 makes the list only when it opens; before, a row of libadwaita has only the choice that is made.
        perform_in(scene, "press")
        opened = True
        choices = accessibility.choices(scene.element.node)
    chosen = next((one for one in choices if _is(one.title, value)), None)
    if chosen is None:
        if opened and _list_is_open(scene):
            keyboard.stroke(scene.platform, parse_chord("escape"))
        listed = ", ".join(dict.fromkeys(repr(one.title) for one in choices[:12]))
        raise NotPossible(
            f"{value!r} is not a choice of {scene.target.words()}",
            recovery=f"choose one of {listed}" if listed else "open it with ax_press and press the choice",
        )

    def holds(_: Element | None) -> bool:
        now = scene.now()
        return now is not None and _is(now.value, value)

    acted = _press_choice(scene.at(chosen), holds, is_told=scene.element.value is not None)
    if acted is None:
        acted = _type_choice(scene, chosen.title, holds)
    return replace(acted, element=scene.now())


def _press_choice(scene: Scene, holds: Wanted, *, is_told: bool) -> Acted | None:
    """Press an entry in its list; None where that does not choose it.

    Where the box does not tell what is chosen in it (rows of libadwaita), a change is all there is to see.
    """
    try:
        acted = perform_in(scene, "press", holds)
    except NotPossible:
        return None
    enough = (Effect.CONFIRMED,) if is_told else (Effect.CONFIRMED, Effect.UNVERIFIED)
    return acted if acted.effect in enough else None


def _type_choice(scene: Scene, title: str, holds: Wanted) -> Acted:
    """Firefox tells the page of a choice only where it was made by hand: letters find the entry in a closed list.

    Qt gives a combo box the keyboard only when its list is open; there the entry that was found is entered.
    """
    is_open = _list_is_open(scene)
    if not is_open:
        try:
            focus(scene.platform, scene.target, scene.turn, scene.seconds)
        except NotPossible:
            perform_in(scene, "press")
            is_open = True

    def write() -> bool:
        window = scene.platform.windows.active()
        if window is not None:
            scene.platform.keyboard.type(title, window.id, scene.turn.check)
            # Without a list, Enter would press the dialog's own button.
            if is_open and cover.open_menus(scene.platform, window):
                keyboard.stroke(scene.platform, parse_chord("enter"))
        return window is not None

    acted = scene.act(Route.KEYBOARD, write, holds)
    if acted is None:
        raise NotPossible("no window has the keyboard", recovery="bring the app forward with app_activate")
    return acted


def _list_is_open(scene: Scene) -> bool:
    window = scene.platform.windows.active()
    return window is not None and bool(cover.open_menus(scene.platform, window))


def _is(held: str | None, value: str) -> bool:
    return (held or "").strip().casefold() == value.strip().casefold()


# ---------------------------------------------------------------- text


def _set_text(scene: Scene, value: str) -> Acted:
    """Through the accessible text, and where that changes nothing (Chromium, Firefox) by typing over it."""
    _refuse_unwritable(value)
    element, accessibility = scene.element, scene.platform.accessibility
    if not is_field(element):
        raise NotPossible(
            f"{scene.target.words()} does not take text",
            recovery="find the textbox in it, or give it the keyboard with ax_focus and use type_text_tool",
        )
    # Nobody can read whether a password has arrived; that something has changed is all that can be told.
    hidden = element.value == HIDDEN_VALUE

    def holds(_: Element | None) -> bool:
        return _holds(scene, value)

    acted = scene.act(
        Route.ACCESSIBILITY, lambda: accessibility.set_text(element.node, value), None if hidden else holds
    )
    if acted is not None and acted.effect is Effect.CONFIRMED:
        return replace(acted, effect=Effect.UNVERIFIED) if hidden else acted
    return _type_over(scene, value, None if hidden else holds)


def _type_over(scene: Scene, value: str, holds: Wanted | None) -> Acted:
    """Give a field the keyboard and type over what it holds."""
    focused = focus(scene.platform, scene.target, scene.turn, scene.seconds)
    if focused.effect is not Effect.CONFIRMED:
        # Whatever has the keyboard instead would be overwritten.
        raise NotPossible(
            f"{scene.target.words()} does not say that it has the keyboard",
            recovery="click into it with click_at, then use type_text_tool",
        )
    routes: list[Route] = []

    def write() -> bool:
        routes.append(keyboard.replace_text(scene.platform, value, scene.turn))
        return True

    acted = scene.act(Route.KEYBOARD, write, holds)
    assert acted is not None, "typing is always done"
    effect = Effect.UNVERIFIED if holds is None else acted.effect
    return replace(acted, route=routes[0], effect=effect)


def _holds(scene: Scene, value: str) -> bool:
    """Whether a field holds this text now."""
    try:
        text = scene.platform.accessibility.text(scene.element.node)
    except ElementGone:
        return False
    return text is not None and text.rstrip("\n") == value.rstrip("\n")


def _refuse_unwritable(value: str) -> None:
    """Raise BadArguments for what no text can hold; a bus would drop whoever sends it."""
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise BadArguments("value: a text cannot hold null characters or half characters (lone surrogates)")
