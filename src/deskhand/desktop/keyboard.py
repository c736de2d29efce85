"""Typing a text so that it arrives, and saying whether it has."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from deskhand.desktop import apps, clipboard, cover
from deskhand.desktop.gaps import Gap, gaps
from deskhand.model.effect import Effect, Route
from deskhand.model.element import Element, NodeRef, State
from deskhand.model.errors import Denied, DeskError, NotPossible, after_acting
from deskhand.model.keys import Chord, parse_chord
from deskhand.model.turn import Turn
from deskhand.model.window import OPENED, PopupKind, Window
from deskhand.platforms.base import Platform, WindowEvents

LONG: Final = 200
"""From so many characters on, a text is handed over whole where the application takes it that way."""

_ARRIVAL_SECONDS: Final = 2.0
_HANDLED_SECONDS: Final = 1.0
_CHANGING_SECONDS: Final = 0.2
_LOOK_AGAIN_SECONDS: Final = 0.01


@dataclass(frozen=True, slots=True)
class Typed:
    """What came of a text. `arrived` counts the characters found in the field, None where it cannot be read.

    `missing` tells which are not there, None where that cannot be told.
    """

    window: Window
    field: Element | None
    route: Route
    effect: Effect
    characters: int
    arrived: int | None
    missing: tuple[Gap, ...] | None = None


def type_text(platform: Platform, text: str, turn: Turn) -> Typed:
    """Type a text where the keyboard focus is.

    A short text goes key by key. A long one is put into the field at once through the accessible text, or pasted (what
    was on the clipboard is put back), where the application allows it. Raises BadArguments for a text with characters
    that cannot be typed, NotPossible where no window has the keyboard, or an open menu would take the text for commands.
    """
    platform.keyboard.check(text)
    window = _window_with_keyboard(platform)
    # A click or keys from just before may still be on their way: they decide which field it is, and what is in it.
    platform.windows.wait_until_handled(window.id, _HANDLED_SECONDS, turn.check)
    field = _focused_field(platform)
    if len(text) > 1:
        _refuse_menus(platform, window, field)
    before = None if _leads_on(text, field) else _text_of(platform, field)
    route = _enter(platform, text, window, field, _arrival(platform, field, before, text), turn)
    after = _wait_for_arrival(platform, field, before, text, window, turn)
    return _judged(window, field, route, text, before, after)


def replace_text(platform: Platform, text: str, turn: Turn) -> Route:
    """Type over everything in the field that has the keyboard; the way it went."""
    window = _window_with_keyboard(platform)
    stroke(platform, parse_chord("ctrl+a"))
    if not text:
        stroke(platform, parse_chord("delete"))
        return Route.KEYBOARD
    if len(text) < LONG and "\n" not in text:
        with _saying_where_it_stopped(text):
            platform.keyboard.type(text, window.id, _while_active(platform, window, turn))
        return Route.KEYBOARD
    field = _focused_field(platform)
    clipboard.paste(platform, text, window.id, parse_chord("ctrl+v"), turn, _arrival(platform, field, "", text))
    return Route.CLIPBOARD


def stroke(platform: Platform, chord: Chord) -> None:
    """Press a chord and let it go; nothing is left pressed, whatever happens."""
    try:
        platform.keyboard.press(chord)
    finally:
        platform.keyboard.release_all()


def hold(platform: Platform, chord: Chord, seconds: float, turn: Turn) -> None:
    """Keep a chord's keys down for so long; nothing is left pressed, whatever happens.

    Raises as Turn.check does, and NotPossible where another window takes the keyboard: the keys are not meant for that.
    """
    with platform.windows.events() as events:
        before = platform.windows.active()
        start = time.monotonic()
        try:
            platform.keyboard.press(chord)
            with after_acting():
                while (left := start + seconds - time.monotonic()) > 0 and not turn.is_hurried:
                    turn.wait([events], left)
                    if events.take() and not _is_same(before, platform.windows.active()):
                        platform.keyboard.release_all()
                        raise _taken(_next_active(platform, events, turn), time.monotonic() - start)
        finally:
            platform.keyboard.release_all()


def _is_same(before: Window | None, now: Window | None) -> bool:
    return (now.id if now else None) == (before.id if before else None)


def _next_active(platform: Platform, events: WindowEvents, turn: Turn) -> Window | None:
    """The window that has the keyboard once it has gone from one to another: in between, none has."""
    deadline = time.monotonic() + _CHANGING_SECONDS
    while (now := platform.windows.active()) is None and (left := deadline - time.monotonic()) > 0:
        turn.wait([events], left)
        events.take()
    return now


def _taken(by: Window | None, seconds: float) -> NotPossible:
    taken = f"the window {by.title!r} took the keyboard" if by else "no window has the keyboard any more"
    return NotPossible(
        f"{taken} after {seconds:.1f} s: the keys were let go",
        recovery="bring the right window forward, then hold them for the rest of the time",
    )


# ---------------------------------------------------------------- ways


def _enter(
    platform: Platform,
    text: str,
    window: Window,
    field: Element | None,
    has_arrived: Callable[[], bool] | None,
    turn: Turn,
) -> Route:
    if len(text) >= LONG and field is not None and field.states & State.EDITABLE:
        one_line = not field.states & State.MULTI_LINE
        if not (one_line and "\n" in text):
            node = field.node
            if _quietly(lambda: platform.accessibility.insert_text(node, text)):
                return Route.ACCESSIBILITY
            clipboard.paste(platform, text, window.id, parse_chord("ctrl+v"), turn, has_arrived)
            return Route.CLIPBOARD
    with _saying_where_it_stopped(text):
        platform.keyboard.type(text, window.id, _while_active(platform, window, turn))
    return Route.KEYBOARD


@contextlib.contextmanager
def _saying_where_it_stopped(text: str) -> Iterator[None]:
    """What stops a text says from where on nothing was typed, and not what: errors are noted where texts must not be."""
    try:
        yield
    except DeskError as error:
        if error.typed is not None:
            error.acted = error.acted or error.typed > 0
            at = f"from position {error.typed} on" if error.typed else "at all"
            error.args = (f"{error} (typed {error.typed} of {len(text)} characters: nothing {at})",)
            error.typed = None
        raise


def _while_active(platform: Platform, window: Window, turn: Turn) -> Callable[[], None]:
    """Stops a text that is being typed once another window has the keyboard: the rest is not meant for that one."""

    def go_on() -> None:
        turn.check()
        now = platform.windows.active()
        if now is not None and now.id != window.id:
            raise NotPossible(
                f"the window {now.title!r} took the keyboard in the middle of the text",
                recovery="read both windows for how much has arrived where, bring the right one forward, type the rest",
            )

    return go_on


def _quietly(attempt: Callable[[], bool]) -> bool:
    try:
        return attempt()
    except Denied:
        raise
    except DeskError:
        return False


# ---------------------------------------------------------------- before and after


def _window_with_keyboard(platform: Platform) -> Window:
    window = platform.windows.active()
    if window is None or not window.kind.belongs_to_an_app:
        raise NotPossible(
            "no window has the keyboard: the text would go nowhere",
            recovery="bring an app to the front with app_activate, or click into a field",
        )
    return window


def _refuse_menus(platform: Platform, window: Window, field: Element | None) -> None:
    """Raise NotPossible where a menu has the keyboard: each letter would choose something in it.

    Qt says of a field that it has the keyboard also while a menu takes the keys. A list that is open below a field,
    with what could come next, takes none.
    """
    in_field = field is not None and field.states & State.EDITABLE
    if cover.open_menus(platform, window, (PopupKind.MENU,) if in_field else OPENED):
        raise NotPossible(
            "a menu or list is open, which would take the text for commands",
            recovery="close it with key escape, then give a field the keyboard; key presses a single letter in the menu",
        )


def _focused_field(platform: Platform) -> Element | None:
    """The element that will get the text, None where the application does not tell."""
    try:
        app = apps.frontmost(platform)
        if app is None or app.accessible is None:
            return None
        return platform.accessibility.focused(app.accessible)
    except DeskError:
        return None


def _text_of(platform: Platform, field: Element | None) -> str | None:
    """What is in the field; None where that would tell nothing: a page or a tab has a text, but takes none."""
    if field is None or not field.states & State.EDITABLE:
        return None
    return _read(platform, field.node)


def _leads_on(text: str, field: Element | None) -> bool:
    """Whether a text goes on elsewhere than in the field it begins in: what is in that at its end tells nothing then."""
    one_line = field is not None and not field.states & State.MULTI_LINE
    return one_line and not {"\n", "\r", "\t"}.isdisjoint(text)


def _read(platform: Platform, node: NodeRef) -> str | None:
    try:
        return platform.accessibility.text(node)
    except DeskError:
        return None


def _arrival(platform: Platform, field: Element | None, before: str | None, text: str) -> Callable[[], bool] | None:
    """How to look whether a text is in the field, None where that cannot be seen."""
    if field is None or before is None or not field.states & State.EDITABLE:
        return None
    node = field.node

    def has_arrived() -> bool:
        after = _read(platform, node)
        return after is None or _is_in(text, before, after)

    return has_arrived


def _wait_for_arrival(
    platform: Platform, field: Element | None, before: str | None, text: str, window: Window, turn: Turn
) -> str | None:
    """The field's text once what was typed is in it, or as soon as nothing more has come for 1 s."""
    if field is None:
        return None
    deadline = time.monotonic() + _ARRIVAL_SECONDS + len(text) / 1000
    platform.windows.wait_until_handled(window.id, _HANDLED_SECONDS, turn.check)
    if before is None:
        return None
    after = _read(platform, field.node)
    last_change, last = time.monotonic(), after
    while after is not None and not _is_in(text, before, after) and time.monotonic() < deadline:
        # The application has handled the keys; it may pass them on to another process that draws the page.
        turn.wait([], _LOOK_AGAIN_SECONDS)
        after = _read(platform, field.node)
        if after != last:
            last_change, last = time.monotonic(), after
        if time.monotonic() - last_change > _HANDLED_SECONDS:
            break
    return after


def _is_in(text: str, before: str, after: str) -> bool:
    return after.count(text) > before.count(text) or after == text


def _judged(
    window: Window, field: Element | None, route: Route, text: str, before: str | None, after: str | None
) -> Typed:
    if before is None or after is None:
        return Typed(window, field, route, Effect.UNVERIFIED, len(text), None)
    if _is_in(text, before, after):
        return Typed(window, field, route, Effect.CONFIRMED, len(text), len(text), ())
    if after == before:
        return Typed(window, field, route, Effect.NO_CHANGE, len(text), 0, (Gap(0, text),))
    missing = gaps(text, before, after)
    lost = len(text) + len(before) - len(after) if missing is None else sum(len(gap.text) for gap in missing)
    return Typed(window, field, route, Effect.UNVERIFIED, len(text), min(len(text), max(0, len(text) - lost)), missing)
