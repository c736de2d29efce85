"""Acting through the accessibility tree: without pointer and keyboard, wherever the app allows it."""

from dataclasses import dataclass
from typing import Annotated

from deskhand.desk import Desk
from deskhand.desktop import apps
from deskhand.desktop.elements import acting
from deskhand.model.effect import Effect as Seen
from deskhand.surfaces.axi.parameters import AppName, Which
from deskhand.surfaces.axi.results import Acted, Found
from deskhand.tools import ABSENT, Effect, arg, tool

ValueText = Annotated[str, arg("Text, a number, checked/unchecked, or a choice", private=True, max_length=100_000)]
Value = ValueText | int | float


def told(acted: acting.Acted, target: acting.Target) -> Acted:
    """What came of an act, as this surface tells it; an element keeps the title that it was found by."""
    return Acted(
        effect=acted.effect,
        route=acted.route,
        settled_ms=acted.settled.milliseconds,
        element=target.shown(acted.element) if acted.element else ABSENT,
        gone=ABSENT if acted.element else True,
    )


@tool("ax_press", effect=Effect.ACTS, session=True, hints=("inspect_ui to see the result", "screenshot"))
def ax_press(desk: Desk, which: Which) -> Acted:
    """Press a button or activate a control."""
    target = which.target(desk)
    return told(acting.press(desk.platform, target, desk.turn), target)


@tool("ax_set_value", effect=Effect.ACTS, session=True, hints=("ax_press to go on", "inspect_ui"))
def ax_set_value(desk: Desk, which: Which, value: Value) -> Acted:
    """Set a text field, slider, checkbox or choice."""
    target = which.target(desk, acting.takes_value)
    return told(acting.set_value(desk.platform, target, as_text(value), desk.turn), target)


@tool("ax_focus", effect=Effect.ACTS, session=True, hints=("type_text_tool to type there", "key"))
def ax_focus(desk: Desk, which: Which) -> Acted:
    """Give an element the keyboard."""
    target = which.target(desk)
    return told(acting.focus(desk.platform, target, desk.turn), target)


@dataclass(frozen=True, slots=True)
class Raised:
    app: str
    window: str
    active: bool
    effect: Seen


@tool("ax_raise", effect=Effect.ACTS, session=True)
def ax_raise(desk: Desk, app_name: AppName) -> Raised:
    """Bring a running app and its main window to the front."""
    app = apps.resolve(desk.platform, app_name)
    window = apps.bring_forward(desk.platform, app)
    return Raised(app.app.name, window.title, active=True, effect=Seen.CONFIRMED)


@dataclass(frozen=True, slots=True)
class Offered:
    actions: list[str]
    attributes: dict[str, str]
    interfaces: list[str]


@tool(
    "ax_actions",
    effect=Effect.READS,
    session=True,
    idempotent=True,
    hints=("ax_perform with one of the actions", "ax_set_value"),
)
def ax_actions(desk: Desk, which: Which) -> Offered:
    """Actions and attributes of an element."""
    offers = desk.platform.accessibility.offers(which.target(desk).element.node)
    actions = [name or f"(action {number})" for number, name in enumerate(offers.actions)]
    return Offered(actions, dict(offers.attributes), list(offers.interfaces))


@tool("ax_perform", effect=Effect.ACTS, session=True, hints=("inspect_ui to see the result", "screenshot"))
def ax_perform(
    desk: Desk,
    which: Which,
    action: Annotated[str, arg("From ax_actions, or AXPress, AXShowMenu, AXRaise, …", min_length=1, max_length=80)],
) -> Acted:
    """Perform any action of an element."""
    target = which.target(desk)
    return told(acting.perform(desk.platform, target, action, desk.turn), target)


@tool(
    "ax_cache", effect=Effect.WRITES, session=True, idempotent=True, hints=("ax_press to press it", "fill", "interact")
)
def ax_cache(desk: Desk, which: Which) -> Found:
    """Find an element and get a handle_id for it."""
    target = which.target(desk)
    return Found(found=True, element=target.shown(target.element))


def as_text(value: str | float) -> str:
    """A value as people write it: all digits of a number, and none after the point that say nothing."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
