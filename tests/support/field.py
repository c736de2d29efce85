"""A text field of a real application: what was typed is read back from it."""

from dataclasses import dataclass
from typing import Self

from deskhand.desktop import keyboard, pointer
from deskhand.desktop.elements import looking
from deskhand.model.element import Element, NodeRef, Query, State
from deskhand.model.keys import parse_chord
from deskhand.platforms.base import Platform
from tests.support.applications import Application, eventually, wait_for


@dataclass(slots=True)
class Field:
    """One field, which has the keyboard."""

    application: Application
    window: int
    node: NodeRef

    @classmethod
    def of(cls, application: Application, title: str | None = None, seconds: float = 30) -> Self:
        """The first field of an application that can be seen; it is given the keyboard by a click."""
        platform = application.platform
        application.activate()
        element = eventually(lambda: _visible_field(application, title), seconds=seconds, what="a text field")
        assert element is not None
        pointer.click(platform, pointer.place_of(platform, element, application.running))
        eventually(lambda: platform.accessibility.element(element.node).focused, what="the keyboard in the text field")
        return cls(application, application.running.windows[0].id, element.node)

    @property
    def platform(self) -> Platform:
        return self.application.platform

    def clear(self) -> None:
        """Empty it, and see to it that its window has the keyboard."""
        assert self.platform.windows.activate(self.window)
        self.text()
        assert self.platform.accessibility.set_text(self.node, "")
        eventually(lambda: self.now() == "", what="an empty field")

    def clear_by_keys(self) -> None:
        """Empty it where it cannot be set."""
        self.press("ctrl+a")
        self.press("delete")
        eventually(lambda: self.now() in ("", "\n"), what="an empty field")

    def type(self, text: str) -> None:
        """Type with the keyboard port."""
        self.platform.keyboard.type(text, self.window, lambda: None)

    def press(self, written: str) -> None:
        """Press a chord and let it go."""
        keyboard.stroke(self.platform, parse_chord(written))

    def now(self) -> str:
        """What is in it now."""
        return self.platform.accessibility.text(self.node) or ""

    def comes_to(self, text: str, seconds: float = 20) -> bool:
        """Whether it holds this text, once all has arrived; for applications that hand keys on to another process."""
        self._is_handled(seconds)
        found = wait_for(lambda: self.now().rstrip("\n") == text.rstrip("\n"), seconds=seconds)
        assert self.now().rstrip("\n") == text.rstrip("\n")
        return bool(found)

    def text(self) -> str:
        """What is in it when all that was typed has been handled."""
        assert self._is_handled(20)
        return self.now()

    def _is_handled(self, seconds: float) -> bool:
        """Whether the application has come to all keys: asked again, as who has hung before gets no long look."""
        return bool(wait_for(lambda: self.platform.windows.wait_until_handled(self.window, seconds), seconds=seconds))


def _visible_field(application: Application, title: str | None) -> Element | None:
    view = looking.find(application.platform, application.running, Query("textbox", title), limit=100)
    elements = [shown.element for shown in view.shown]
    return next((one for one in elements if one.bounds and one.states & State.EDITABLE), None)
