"""What a script does on the desktop: each act goes the way that the tools' acts go, and says what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.automation.applescript import keys, menus, references, values
from deskhand.automation.applescript.context import Context
from deskhand.automation.applescript.references import OnScreen, Path
from deskhand.automation.applescript.things import AppThing, ElementThing, WindowThing
from deskhand.automation.applescript.values import Value, WrongValue
from deskhand.desktop import apps, closing, keyboard, pointer
from deskhand.desktop.elements import acting
from deskhand.desktop.elements.acting import Target
from deskhand.desktop.screen import coordinates
from deskhand.desktop.settle import watching
from deskhand.model.clipboard import text_contents
from deskhand.model.effect import Effect, Route
from deskhand.model.errors import NotFound, NotGranted, NotPossible
from deskhand.model.keys import Chord

AFTER_KEYS_SECONDS: Final = 0.3
_MOST_KEYS: Final = 100
_POPUPS: Final = frozenset({"pop up button", "combo box"})


@dataclass(frozen=True, slots=True)
class Done:
    """What came of an act; `route` is None for what only the window manager or the notifications were asked."""

    effect: Effect
    route: Route | None


def click(context: Context, path: Path) -> Done:
    """Press what a way leads to: through the accessibility tree, or by the pointer where it cannot be done so."""
    if len(path.steps) > 1 and path.steps[-1].kind == "menu item":
        if menus.leads_through_bar(path.steps):
            return _choose_from_bar(context, path)
        if isinstance(path.steps[-1].selector, str) and any(step.kind in _POPUPS for step in path.steps):
            return _choose_from_popup(context, path)
    return _told(acting.press(context.platform, element(context, path), context.turn))


def perform(context: Context, path: Path, action: str) -> Done:
    """Do an action of an element, by its own name or a Mac's."""
    found = references.find(context, path)
    if isinstance(found, WindowThing | AppThing) and action.casefold() == "axraise":
        return bring_forward(context, found)
    return _told(acting.perform(context.platform, element(context, path), action, context.turn))


def click_at(context: Context, place: Value) -> Done:
    """Click at `{x, y}` on the screen."""
    if not values.is_list(place) or len(place) != 2:
        raise WrongValue("a place to click at is a list of two numbers: {x, y}")
    x, y = (values.number(one) for one in place)
    point = coordinates.point_on_display(context.platform, x, y)
    pointer.click(context.platform, point)
    return Done(Effect.UNVERIFIED, Route.POINTER)


def set_property(context: Context, path: Path, name: str, value: Value) -> Done:
    """Set the value of an element, or make something focused, selected or frontmost."""
    if name == "value":
        wanted = str(int(value)) if isinstance(value, bool) else values.text(value)
        return _told(acting.set_value(context.platform, element(context, path), wanted, context.turn))
    if not values.truth(value):
        raise NotPossible(f"{name} cannot be taken away from anything", recovery="give it to something else")
    if name == "frontmost":
        return bring_forward(context, references.find(context, path))
    if name == "focused":
        found = references.find(context, path)
        if isinstance(found, WindowThing):
            return bring_forward(context, found)
        return _told(acting.focus(context.platform, element(context, path), context.turn))
    target = element(context, path)
    if target.element.selected:
        return Done(Effect.CONFIRMED, Route.ACCESSIBILITY)
    return _told(acting.press(context.platform, target, context.turn))


def element(context: Context, path: Path) -> Target:
    """The element a way leads to. Raises NotPossible where that is an application or a window."""
    found = references.find(context, path)
    if not isinstance(found, ElementThing):
        raise NotPossible(
            f"{found.words()} cannot be clicked or set", recovery="name an element in it: a button, a text field, …"
        )
    return found.target(context.platform)


# ---------------------------------------------------------------- menus


def _choose_from_bar(context: Context, path: Path) -> Done:
    """Choose an item of a menu bar: without opening anything where the application does it so, else level by level."""
    references.find(context, path)
    app = references.app_of(context, path)
    trail = menus.way(context.platform, app, path.steps)[0]
    try:
        return _told(acting.press(context.platform, trail[-1].target(context.platform), context.turn))
    except NotPossible:
        if not trail[-1].now(context.platform).element.enabled:
            raise
    done: Done | None = None
    for item in trail[1:]:
        done = _told(acting.press(context.platform, item.target(context.platform), context.turn))
    if done is None:
        raise NotFound(f"{path.words()} is no item")
    return done


def _choose_from_popup(context: Context, path: Path) -> Done:
    """`menu item "X" of menu 1 of pop up button 1`: the choice of a combo box."""
    place = next(number for number, step in enumerate(path.steps) if step.kind in _POPUPS)
    box = element(context, Path(path.root, path.steps[: place + 1]))
    if box.element.role != "combobox":
        return _told(acting.press(context.platform, element(context, path), context.turn))
    choice = str(path.steps[-1].selector)
    return _told(acting.set_value(context.platform, box, choice, context.turn))


# ---------------------------------------------------------------- keys


def keystroke(context: Context, text: str, modifiers: tuple[str, ...]) -> Done:
    """Type a text, or press its characters' keys with modifiers."""
    if modifiers or text in keys.CHARACTERS:
        return press_keys(context, [keys.chord_of_character(character, modifiers) for character in text])
    typed = keyboard.type_text(context.platform, text, context.turn)
    return Done(typed.effect, typed.route)


def press_keys(context: Context, chords: Sequence[Chord]) -> Done:
    """Press chords one after the other, and wait for what they set in motion."""
    if len(chords) > _MOST_KEYS:
        raise WrongValue(f"more than {_MOST_KEYS} keys with modifiers at once")
    front = apps.frontmost(context.platform)
    with watching(context.platform, front.accessible if front else None, context.turn) as watch:
        for chord in chords:
            context.turn.check()
            keyboard.stroke(context.platform, chord)
        watch.settle(AFTER_KEYS_SECONDS)
    # A copy changes nothing on the screen either.
    return Done(Effect.UNVERIFIED, Route.KEYBOARD)


def refuse_wrong_window(context: Context, path: Path | None) -> None:
    """Keys go to the window in front: raise NotPossible where that is not of the application that is told."""
    if path is None or (isinstance(path.root, AppThing) and path.root.is_desktop) or path.root is None:
        return
    app = references.app_of(context, path)
    front = context.platform.windows.active()
    if front is None or front.pid != app.app.pid:
        raise NotPossible(
            f"{app.app.name} is not in front: the keys would go to {front.app if front else 'no window'}",
            recovery=f'activate it first: tell application "{app.app.name}" to activate',
        )


# ---------------------------------------------------------------- applications and windows


def activate(context: Context, app: AppThing) -> Done:
    """Bring an application forward, started if it does not run."""
    if app.is_desktop:
        return Done(Effect.CONFIRMED, None)
    if app.runs(context.platform):
        references.told(context, app)
    elif (installed := apps.find_installed(context.platform, app.name)) is not None:
        context.permit("", apps.names_of_installed(installed))
    done = apps.activate(context.platform, app.name, context.turn)
    return Done(Effect.CONFIRMED if done.running.app.active else Effect.UNVERIFIED, None)


def bring_forward(context: Context, found: OnScreen) -> Done:
    """Bring a running application or one of its windows to the front."""
    if isinstance(found, AppThing):
        apps.bring_forward(context.platform, references.told(context, found))
    elif not isinstance(found, WindowThing):
        raise NotPossible(f"{found.words()} cannot be brought to the front")
    elif not context.platform.windows.activate(found.window.id):
        raise NotPossible(f"the window manager did not bring {found.words()} to the front")
    return Done(Effect.CONFIRMED, None)


def quit_app(context: Context, app: AppThing) -> Done:
    """Close an application's windows as their close buttons would, until it has none; nothing to do without any."""
    if app.is_desktop:
        raise NotPossible("System Events cannot be quit here", recovery="name an application")
    if not app.runs(context.platform):
        return Done(Effect.NO_CHANGE, None)  # the name may be written wrong
    closing.quit_app(context.platform, references.told(context, app), context.turn)
    return Done(Effect.CONFIRMED, None)


def close(context: Context, found: OnScreen) -> Done:
    """Close one window."""
    if not isinstance(found, WindowThing):
        raise NotPossible(f"{found.words()} is not a window", recovery="close window 1, or quit the application")
    closing.close(context.platform, found.window, context.turn)
    return Done(Effect.CONFIRMED, None)


# ---------------------------------------------------------------- beside applications


def set_clipboard(context: Context, text: str) -> Done:
    """Put a text on the clipboard."""
    context.platform.clipboard.write(text_contents(text))
    try:
        is_there = context.platform.clipboard.read().text == text
    except NotGranted:
        is_there = False  # who may write to it need not be allowed to read it
    return Done(Effect.CONFIRMED if is_there else Effect.UNVERIFIED, Route.CLIPBOARD)


def notify(context: Context, title: str, text: str) -> Done:
    """Show a notification. Raises Unsupported where nothing shows them."""
    context.platform.notifications.show(title, text)
    return Done(Effect.UNVERIFIED, None)


def _told(acted: acting.Acted) -> Done:
    return Done(acted.effect, acted.route)
