"""Acting with pointer and keyboard."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from deskhand.automation import applescript
from deskhand.desk import Desk
from deskhand.desktop import cover, keyboard, pointer
from deskhand.desktop.elements import acting
from deskhand.desktop.gaps import Gap, in_words
from deskhand.desktop.screen import coordinates
from deskhand.model.effect import Effect as Seen
from deskhand.model.effect import Route
from deskhand.model.errors import BadArguments, MissingArgument
from deskhand.model.geometry import Point
from deskhand.model.keys import MODIFIERS, Modifier, parse_chord
from deskhand.model.window import Window
from deskhand.platforms.base import Button
from deskhand.surfaces.axi.parameters import ScreenX, ScreenY, Which
from deskhand.surfaces.axi.results import Text, shortened
from deskhand.tools import ABSENT, Effect, arg, tool

Notches = Annotated[int, arg(ge=-100, le=100)]
_NOTCHES: Final = 3
_ACTS_SHOWN: Final = 20
Modifiers = Annotated[list[Annotated[str, arg(max_length=20)]], arg("Held: ctrl, alt, shift, super", max_length=4)]


@dataclass(frozen=True, slots=True)
class Pointed:
    x: int
    y: int
    window: str | None
    effect: Seen
    route: Route
    warning: str = ABSENT


@tool("click_at", effect=Effect.ACTS, session=True, hints=("inspect_ui to see the effect", "screenshot"))
def click_at(
    desk: Desk,
    which: Which,
    x: ScreenX | None = None,
    y: ScreenY | None = None,
    button: Literal["left", "right", "middle"] = "left",
    modifiers: Modifiers | None = None,
) -> Pointed:
    """Click at screen coordinates or on an element."""
    return _click(desk, which, x, y, times=1, button=Button(button), modifiers=_modifiers(modifiers))


@tool("double_click_at", effect=Effect.ACTS, session=True, hints=("inspect_ui to see the effect", "screenshot"))
def double_click_at(desk: Desk, which: Which, x: ScreenX | None = None, y: ScreenY | None = None) -> Pointed:
    """Double-click at screen coordinates or on an element."""
    return _click(desk, which, x, y, times=2)


@dataclass(frozen=True, slots=True)
class Typed:
    characters: int
    arrived: int | None
    app: str
    into: str | None
    effect: Seen
    route: Route
    warning: str = ABSENT


@tool("type_text_tool", effect=Effect.ACTS, session=True, hints=("key enter to confirm", "ax_focused to read it back"))
def type_text_tool(desk: Desk, text: Annotated[str, arg(private=True, min_length=1, max_length=100_000)]) -> Typed:
    """Type text at the keyboard focus, in any script and layout."""
    typed = keyboard.type_text(desk.platform, text, desk.turn)
    field = typed.field
    missing = typed.arrived is not None and typed.arrived < typed.characters
    return Typed(
        characters=typed.characters,
        arrived=typed.arrived,
        app=typed.window.app,
        into=f"{field.role} {field.title}".strip() if field else None,
        effect=typed.effect,
        route=typed.route,
        warning=_warning(typed.missing) if missing else ABSENT,
    )


def _warning(missing: Sequence[Gap] | None) -> str:
    which = f"; missing is {in_words(missing)}" if missing else ""
    return f"not all of the text is in the field: read it before going on{which}"


@dataclass(frozen=True, slots=True)
class Pressed:
    keys: str
    window: str | None
    effect: Seen
    route: Route


@tool("key", effect=Effect.ACTS, session=True, hints=("inspect_ui to see the effect", "screenshot"))
def key(
    desk: Desk,
    # Private: digit by digit, a PIN can be pressed too.
    keys: Annotated[
        str, arg("e.g. cmd+shift+n; cmd is ctrl here, super the logo key", private=True, min_length=1, max_length=100)
    ],
) -> Pressed:
    """Press a key combination."""
    chord = parse_chord(keys)
    window = desk.platform.windows.active()
    keyboard.stroke(desk.platform, chord)
    return Pressed(keys, window.title if window else None, Seen.UNVERIFIED, Route.KEYBOARD)


@tool("scroll_at", effect=Effect.ACTS, session=True)
def scroll_at(
    desk: Desk,
    x: ScreenX,
    y: ScreenY,
    dx: Notches = 0,
    dy: Notches = 0,
    direction: Literal["up", "down", "left", "right"] | None = None,
    amount: Annotated[int, arg("Notches in that direction (3)", ge=1, le=100)] | None = None,
) -> Pointed:
    """Turn the wheel at a point, by dx/dy notches (right and down positive) or a direction."""
    if direction is None and amount is not None:
        raise BadArguments("amount: it goes with a direction", recovery="name a direction, or give dx and dy alone")
    if direction is None and not (dx or dy):
        raise MissingArgument("Missing required parameter: dy, dx or direction")
    if direction is not None:
        if dx or dy:
            raise BadArguments("direction: give either a direction or dx and dy")
        dx, dy = _notches(direction, amount or _NOTCHES)
    point = coordinates.point_on_display(desk.platform, x, y)
    return _pointed(point, pointer.scroll(desk.platform, point, dx, dy))


@dataclass(frozen=True, slots=True)
class ActRow:
    line: int
    act: str
    effect: Seen
    route: Route | None


@dataclass(frozen=True, slots=True)
class Ran:
    """What a script has come to: its result, and each of its last acts, where it has acted."""

    result: Text
    statements: int
    effect: Seen = ABSENT
    acts: list[ActRow] = ABSENT
    earlier_acts: int = ABSENT
    log: list[str] = ABSENT

    @property
    def acted(self) -> bool:
        """A script may do no more than look: handles stay good then."""
        return self.effect is not ABSENT


@tool("run_applescript_tool", effect=Effect.ACTS, session=True)
def run_applescript_tool(
    desk: Desk, script: Annotated[str, arg(private=True, min_length=1, max_length=applescript.LONGEST_SCRIPT)]
) -> Ran:
    """Run AppleScript's GUI scripting (System Events click, keystroke, set value …) on this desktop."""
    context = applescript.Context(
        desk.platform,
        desk.turn,
        desk.policy.check_script,
        desk.policy.check_shell_script,
    )
    played = applescript.play(script, context)
    rows = [ActRow(deed.line, deed.act, deed.done.effect, deed.done.route) for deed in played.deeds]
    return Ran(
        result=ABSENT if played.result is None else Text(shortened(played.result)),
        statements=played.statements,
        effect=_of_all([row.effect for row in rows]) if rows else ABSENT,
        acts=rows[-_ACTS_SHOWN:] or ABSENT,
        earlier_acts=max(0, len(rows) - _ACTS_SHOWN) or ABSENT,
        log=list(played.logged[-_ACTS_SHOWN:]) or ABSENT,
    )


def _of_all(effects: list[Seen]) -> Seen:
    """What was seen of several acts together: what all have in common, and no more."""
    return effects[0] if len(set(effects)) == 1 else Seen.UNVERIFIED


def _notches(direction: str, amount: int) -> tuple[int, int]:
    return {"up": (0, -amount), "down": (0, amount), "left": (-amount, 0), "right": (amount, 0)}[direction]


def _click(
    desk: Desk,
    which: Which,
    x: float | None,
    y: float | None,
    *,
    times: int,
    button: Button = Button.LEFT,
    modifiers: tuple[Modifier, ...] = (),
) -> Pointed:
    point = _point(desk, which, x, y)
    before = desk.platform.windows.arrangement()
    warning = _menu_warning(desk, before.active, point)
    pointer.click(desk.platform, point, button=button, times=times, modifiers=modifiers)
    return replace(_pointed(point, before.at(point)), warning=warning or ABSENT)


def _menu_warning(desk: Desk, active: Window | None, point: Point) -> str | None:
    """What is to be said of a click that an open menu takes for itself."""
    menus = cover.open_menus(desk.platform, active) if active else []
    if menus and not any(menu.contains(point) for menu in menus):
        return "a menu or list was open: the click may only have closed it, look before going on"
    return None


def _point(desk: Desk, which: Which, x: float | None, y: float | None) -> Point:
    """Where to click: the coordinates given, or the middle of the element meant."""
    if which.any_given:
        if x is not None or y is not None:
            raise BadArguments("x: give either coordinates or an element")
        target = which.target(desk)
        acting.refuse_disabled(target)
        return pointer.place_of(desk.platform, target.element, target.app)
    if x is None or y is None:
        raise MissingArgument("Missing required parameter: x and y, or handle_id, or app_name with role or title")
    return coordinates.point_on_display(desk.platform, x, y)


def _pointed(point: Point, under: Window | None) -> Pointed:
    return Pointed(point.x, point.y, under.title if under else None, Seen.UNVERIFIED, Route.POINTER)


def _modifiers(words: list[str] | None) -> tuple[Modifier, ...]:
    found: list[Modifier] = []
    for word in words or ():
        modifier = MODIFIERS.get(word.casefold())
        if modifier is None:
            raise BadArguments(f"modifiers: {word!r} is none of ctrl, alt, shift, super")
        found.append(modifier)
    return tuple(dict.fromkeys(found))
