"""What a script names on the screen: applications, windows, elements, and what can be asked of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from deskhand.automation.applescript.values import Items, Value, WrongValue
from deskhand.desktop import apps
from deskhand.desktop.apps import RunningApp
from deskhand.desktop.elements.acting import Target
from deskhand.model.element import HIDDEN_VALUE, Element
from deskhand.model.errors import AmbiguousApp, AppNotFound, ElementGone, NotFound
from deskhand.model.geometry import Rect
from deskhand.model.window import Window
from deskhand.platforms.base import Platform

SYSTEM_EVENTS: Final = "system events"
"""The application that scripts ask for processes; here it stands for the desktop."""

_STATES: Final = {"checked": 1, "pressed": 1, "unchecked": 0, "not pressed": 0, "mixed": 2}
_NUMBERS: Final = frozenset({"slider", "spinbutton", "progressbar", "meter", "scrollbar"})


@dataclass(frozen=True, slots=True)
class AppThing:
    """An application, by the name that the script calls it; it need not run.

    `called` is how people call it, where `name` is the number of its process.
    """

    name: str
    called: str = ""

    @property
    def is_desktop(self) -> bool:
        return self.name.strip().casefold() == SYSTEM_EVENTS

    def words(self) -> str:
        return f'application "{self.called or self.name}"'

    def running(self, platform: Platform) -> RunningApp:
        """Raises AppNotFound, or AmbiguousApp naming all that could be meant."""
        return apps.resolve(platform, self.name)

    def runs(self, platform: Platform) -> bool:
        try:
            self.running(platform)
        except AmbiguousApp:
            return True
        except AppNotFound:
            return False
        return True


@dataclass(frozen=True, slots=True)
class WindowThing:
    """A window of an application."""

    app: RunningApp
    window: Window

    def words(self) -> str:
        return f'window "{self.window.title}" of application "{self.app.app.name}"'


@dataclass(frozen=True, slots=True)
class ElementThing:
    """An element, under the title it is shown with."""

    element: Element
    title: str
    app: RunningApp

    def words(self) -> str:
        named = f' "{self.title}"' if self.title else ""
        return f'{self.element.role}{named} of application "{self.app.app.name}"'

    def now(self, platform: Platform) -> "ElementThing":
        """The same as it is now. Raises ElementGone where another element is in its place."""
        element = platform.accessibility.element(self.element.node)
        if element.native_role != self.element.native_role:
            raise ElementGone(f"the {self.element.role} {self.title!r} has gone")
        return ElementThing(element, self.title, self.app)

    def target(self, platform: Platform) -> Target:
        """It as it is now, to act on."""
        return Target(self.now(platform).element, self.app, self.title)


def property_of(platform: Platform, thing: object, name: str) -> Value:
    """What a thing says of itself. Raises WrongValue where it has no such property."""
    found: dict[str, Callable[[], Value]]
    if isinstance(thing, AppThing):
        app = thing.running(platform)
        found = _of_app(app)
    elif isinstance(thing, WindowThing):
        found = _of_window(_now(platform, thing))
    elif isinstance(thing, ElementThing):
        found = _of_element(platform, thing.now(platform))
    else:
        raise WrongValue(f"only what is on the screen has a {name}")
    if name not in found:
        raise WrongValue(f"{thing.words()} has no {name} here; it has: {', '.join(sorted(found))}")
    return found[name]()


def _of_app(app: RunningApp) -> dict[str, Callable[[], Value]]:
    return {
        "name": lambda: app.app.name,
        "title": lambda: app.app.name,
        "frontmost": lambda: app.app.active,
        "visible": lambda: not app.app.hidden,
        "unix id": lambda: app.app.pid,
        "bundle identifier": lambda: app.app.bundle_id or None,
        "background only": lambda: False,
    }


def _of_window(thing: WindowThing) -> dict[str, Callable[[], Value]]:
    window = thing.window
    found: dict[str, Callable[[], Value]] = {
        "name": lambda: window.title,
        "title": lambda: window.title,
        "focused": lambda: window.active,
        "frontmost": lambda: window.active,
        "visible": lambda: not window.minimized,
        "enabled": lambda: True,
        "role": lambda: "window",
        "role description": lambda: "window",
        "subrole": lambda: window.kind.value,
    }
    return found | _place(window.frame)


def _of_element(platform: Platform, thing: ElementThing) -> dict[str, Callable[[], Value]]:
    element = thing.element
    found: dict[str, Callable[[], Value]] = {
        "name": lambda: thing.title or None,
        "title": lambda: thing.title or None,
        "value": lambda: value_of(platform, element),
        "description": lambda: element.description or thing.title or None,
        "help": lambda: element.description or None,
        "enabled": lambda: element.enabled,
        "focused": lambda: element.focused,
        "selected": lambda: element.selected,
        "role": lambda: element.role,
        "role description": lambda: element.role,
        "subrole": lambda: element.native_role,
    }
    return found | _place(element.bounds)


def _place(bounds: Rect | None) -> dict[str, Callable[[], Value]]:
    return {
        "position": lambda: Items([bounds.x, bounds.y]) if bounds else None,
        "size": lambda: Items([bounds.width, bounds.height]) if bounds else None,
    }


def value_of(platform: Platform, element: Element) -> Value:
    """What an element holds: a whole text, a number, 1 or 0 for what is checked; a password is not read."""
    if element.value == HIDDEN_VALUE:
        return HIDDEN_VALUE
    if element.value in _STATES:
        return _STATES[element.value]
    if element.role in _NUMBERS:
        try:
            held = float(element.value or "")
        except ValueError:
            return element.value
        return int(held) if held.is_integer() else held
    text = platform.accessibility.text(element.node) if element.role == "textbox" else None
    return text if text is not None else element.value or (element.title if element.role == "label" else None)


def _now(platform: Platform, thing: WindowThing) -> WindowThing:
    for window in platform.windows.all():
        if window.id == thing.window.id:
            return WindowThing(thing.app, window)
    raise NotFound(f"the window {thing.window.title!r} has gone", recovery="call list_windows_tool to see what is open")
