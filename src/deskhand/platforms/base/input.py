"""The pointer and the keyboard, and what a person does with theirs."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Protocol

from deskhand.model.geometry import Point
from deskhand.model.keys import Chord, Modifier


class Button(StrEnum):
    """A button of the mouse."""

    LEFT = "left"
    RIGHT = "right"
    MIDDLE = "middle"
    BACK = "back"
    FORWARD = "forward"


class Pointer(Protocol):
    """The mouse pointer. Places are screen pixels."""

    def position(self) -> Point: ...

    def move(self, to: Point) -> None: ...

    def press(self, button: Button) -> None: ...

    def release(self, button: Button) -> None: ...

    def click(self, button: Button, times: int = 1) -> None:
        """Press and release a button so many times, as fast as a double click needs."""
        ...

    def scroll(self, dx: int, dy: int) -> None:
        """Turn the wheel by so many notches: right and down are positive."""
        ...

    def release_all(self) -> None:
        """Let go of every button this process holds."""
        ...

    def held(self) -> Collection[Button]:
        """The buttons this process holds."""
        ...

    def changes(self) -> AbstractContextManager["PointerChanges"]:
        """Watch whether it moves or looks different from now on."""
        ...


class PointerChanges(Protocol):
    """Reports of a pointer that moves or looks different."""

    def fileno(self) -> int: ...

    def take(self) -> bool:
        """Whether anything has changed since the last time."""
        ...


class Keyboard(Protocol):
    """The keyboard. Nothing stays pressed after a call, but for `press`."""

    def check(self, text: str) -> None:
        """Raise BadArguments where a text holds what no key writes."""
        ...

    def type(self, text: str, window: int, go_on: Callable[[], None]) -> None:
        """Type a text into the window that has the keyboard; `go_on` is called now and then and may raise to stop.

        What stops it carries how many characters had been `typed`.
        """
        ...

    def check_chord(self, chord: Chord) -> None:
        """Raise BadArguments where nobody knows a key of that name."""
        ...

    def press(self, chord: Chord) -> None:
        """Press a chord's keys and keep them down."""
        ...

    def hold(self, modifiers: Sequence[Modifier]) -> None:
        """Press modifiers and keep them down."""
        ...

    def release_all(self) -> None:
        """Let go of every key this process holds."""
        ...

    def held_modifiers(self) -> list[str]:
        """The modifiers that are down now, by anybody, in words."""
        ...

    def locks(self) -> tuple[bool, bool]:
        """Whether Caps Lock and Num Lock are on."""
        ...

    def restore(self) -> None:
        """Take back what typing has changed of the layout."""
        ...


class Listener(Protocol):
    """What a person does at the desktop, told apart from what programs send."""

    def keyboards(self) -> Sequence[str]:
        """What the keyboards are called that a person can press Esc on. Raises Unsupported where that cannot be told."""
        ...

    def escapes(self) -> AbstractContextManager["Escapes"]:
        """Hear from now on when a person presses Esc, whoever has the keyboard. Raises Unsupported.

        On a connection of its own: another thread may go on with it.
        """
        ...


class Escapes(Protocol):
    """Tells that a person has pressed Esc."""

    def fileno(self) -> int: ...

    def take(self) -> bool:
        """Whether somebody has since the last time."""
        ...
