"""Several steps in one call: act, wait until the screen has come to rest, and tell what there is then."""

from dataclasses import dataclass
from typing import Annotated

from deskhand.desk import Desk
from deskhand.desktop import apps
from deskhand.desktop.apps import RunningApp
from deskhand.desktop.elements import acting, looking
from deskhand.desktop.elements.shown import Shown
from deskhand.desktop.hotkeys.jump import jump
from deskhand.desktop.settle import watching
from deskhand.model.effect import Effect as Seen
from deskhand.model.effect import Route
from deskhand.model.element import HIDDEN_VALUE
from deskhand.model.errors import BadArguments, MissingArgument
from deskhand.surfaces.axi.actions import Value, as_text, told
from deskhand.surfaces.axi.parameters import AppName, HotkeyId, Settle, Which, frontmost, one_app
from deskhand.surfaces.axi.results import Acted, Inspected
from deskhand.tools import ABSENT, Effect, arg, tool


@dataclass(frozen=True, slots=True)
class Navigated:
    chord: str
    label: str
    effect: Seen
    route: Route
    settled_ms: int
    inspected: Inspected


@tool("navigate", effect=Effect.ACTS, session=True, hints=("ax_press or fill with a handle_id to act", "screenshot"))
def navigate(
    desk: Desk,
    key: HotkeyId,
    app: AppName | None = None,
    settle_ms: Settle = 300,
) -> Navigated:
    """Fire a hotkey by its id and return the app's elements."""
    hotkey = desk.hotkeys.find(key, app)
    done = jump(desk.platform, hotkey, settle_ms / 1000, desk.turn)
    # The shortcut may have opened a window of another app.
    seen = _inspected(desk, frontmost(desk))
    return Navigated(hotkey.chord, hotkey.label, done.effect, Route.KEYBOARD, done.settled.milliseconds, seen)


@tool("interact", effect=Effect.ACTS, session=True, hints=("inspect_ui to see the whole result", "screenshot"))
def interact(
    desk: Desk,
    which: Which,
    action: Annotated[str, arg("press, focus, set_value, or an action of the element", max_length=80)] = "press",
    value: Value | None = None,
    settle_ms: Settle = 200,
) -> Acted:
    """Find an element, act on it, return its new state."""
    if value is not None and action.casefold() != "set_value":
        raise BadArguments("value: only the action set_value takes one", recovery="leave it out, or set_value with it")
    sets = action.casefold() == "set_value"
    target = which.target(desk, acting.takes_value if sets else None)
    seconds = settle_ms / 1000
    if sets:
        return told(acting.set_value(desk.platform, target, _given(value), desk.turn, seconds), target)
    if action.casefold() == "focus":
        return told(acting.focus(desk.platform, target, desk.turn, seconds), target)
    return told(acting.perform(desk.platform, target, action, desk.turn, seconds), target)


@dataclass(frozen=True, slots=True)
class Filled:
    """`matched` says whether the field holds the text now; None for a password, which is not read."""

    matched: bool | None
    effect: Seen
    route: Route
    settled_ms: int
    element: Shown = ABSENT


@tool("fill", effect=Effect.ACTS, session=True, hints=("ax_press to submit", "key enter"))
def fill(
    desk: Desk,
    which: Which,
    text: Annotated[str, arg(private=True, max_length=100_000)],
    settle_ms: Settle = 100,
) -> Filled:
    """Replace the text of a field, return what it holds then."""
    target = which.target(desk, acting.takes_value)
    done = acting.set_value(desk.platform, target, text, desk.turn, settle_ms / 1000)
    hidden = done.element is not None and done.element.value == HIDDEN_VALUE
    return Filled(
        matched=None if hidden else done.effect is Seen.CONFIRMED,
        effect=done.effect,
        route=done.route,
        settled_ms=done.settled.milliseconds,
        element=target.shown(done.element) if done.element else ABSENT,
    )


@dataclass(frozen=True, slots=True)
class ActivatedAndInspected:
    launched: bool
    effect: Seen
    settled_ms: int
    inspected: Inspected


@tool(
    "activate_and_inspect",
    effect=Effect.ACTS,
    session=True,
    hints=("ax_press or fill with a handle_id to act", "screenshot"),
)
def activate_and_inspect(
    desk: Desk,
    app_name: AppName | None = None,
    bundle_id: AppName | None = None,
    settle_ms: Settle = 500,
) -> ActivatedAndInspected:
    """Bring an app forward (started if need be) and return its elements."""
    done = apps.activate(desk.platform, one_app(bundle_id, app_name), desk.turn)
    with watching(desk.platform, done.running.accessible, desk.turn) as watch:
        settled = watch.settle(settle_ms / 1000)
    app = apps.resolve(desk.platform, str(done.running.app.pid))
    return ActivatedAndInspected(done.launched, done.effect, settled.milliseconds, _inspected(desk, app))


def _given(value: str | float | None) -> str:
    if value is None:
        raise MissingArgument("Missing required parameter: value")
    return as_text(value)


def _inspected(desk: Desk, app: RunningApp) -> Inspected:
    return Inspected(app.app.name, app.app.pid, looking.look(desk.platform, app, full=False))
