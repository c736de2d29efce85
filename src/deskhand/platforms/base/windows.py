"""The windows, and what happens to them."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from deskhand.model.geometry import Rect
from deskhand.model.window import Arrangement, Owner, PopupKind, Window


class Windows(Protocol):
    """The windows."""

    def all(self) -> Sequence[Window]:
        """Every window the window manager knows, topmost first."""
        ...

    def arrangement(self) -> Arrangement:
        """The same, as they are arranged at one moment."""
        ...

    def active(self) -> Window | None:
        """The window that has the keyboard."""
        ...

    def activate(self, window: int) -> bool:
        """Bring a window to the front and give it the keyboard; whether that has happened."""
        ...

    def in_front(self) -> Owner | None:
        """Who gets the keys that are pressed now."""
        ...

    def before_a_press(self) -> tuple[Owner | None, Owner | None]:
        """Who is in front, and who would get a press of the pointer where it is: menus and frames belong to somebody too."""
        ...

    def owner(self, window: int) -> Owner | None:
        """Who a window belongs to."""
        ...

    def close(self, window: int) -> None:
        """Ask a window to close, as its close button would; it may ask its user something first."""
        ...

    def popups(self, window: int, kinds: Collection[PopupKind] = tuple(PopupKind)) -> Sequence[Rect]:
        """Where the menus and tooltips of the same application are that no window manager manages."""
        ...

    def wait_until_handled(self, window: int, seconds: float, go_on: Callable[[], None] = lambda: None) -> bool:
        """Wait until a window's application has handled all input sent before; False where it did not say so.

        `go_on` is called now and then and may raise to stop.
        """
        ...

    def manager_name(self) -> str | None:
        """The name of the window manager, None where there is none."""
        ...

    def events(self) -> AbstractContextManager["WindowEvents"]:
        """Hear from now on when windows come, go, move, or get the keyboard."""
        ...


class WindowEvents(Protocol):
    """Tells that something has happened to windows; what it was, the windows themselves tell."""

    def fileno(self) -> int: ...

    def take(self) -> bool:
        """Whether anything may have happened since the last time."""
        ...
