"""What the screen shows, and the displays it is made of."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from deskhand.model.display import Display
from deskhand.model.geometry import Rect, Size
from deskhand.model.image import Capture


class Changes(Protocol):
    """Reports of changed pixels."""

    def fileno(self) -> int: ...

    def take(self) -> Sequence[Rect]:
        """The parts of the screen that have changed since the last time."""
        ...


class Screen(Protocol):
    """Pictures of the screen. Parts are screen pixels."""

    def size(self) -> Size:
        """The size of the whole screen, all displays."""
        ...

    def grab(self, part: Rect, size: Size | None = None, *, pointer: bool = True) -> Capture:
        """A part of the screen, scaled down to `size`."""
        ...

    def grab_window(self, window: int, shrink: Callable[[Size], Size], *, pointer: bool = True) -> Capture:
        """A window with its frame, also where others cover it."""
        ...

    def changes(self) -> AbstractContextManager[Changes]:
        """Watch what changes from now on."""
        ...

    def window_changes(self, window: int) -> AbstractContextManager[Changes]:
        """Watch what changes of a window with its frame, also where others cover it.

        The parts are pixels of the frame; `take` raises NotFound as soon as the window has gone.
        """
        ...


class Displays(Protocol):
    """The displays (monitors)."""

    def all(self) -> Sequence[Display]:
        """Every display, the main one first."""
        ...
