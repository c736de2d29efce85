"""What a recording looks at: a part of the screen, or a window wherever it is."""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

from deskhand.desktop.screen import coordinates
from deskhand.desktop.screen.recording.canvas import even, middle, on_canvas, shrunk_to_fit
from deskhand.model.geometry import Point, Rect, Size
from deskhand.model.turn import HasFileno
from deskhand.model.window import Window
from deskhand.platforms.base import Changes, Platform, PointerChanges

_POINTER_REACH: Final = 128
"""How far from the place it points at a pointer may draw."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture in the size of the film, and the part of the screen it shows."""

    pixels: bytes
    source: Rect


class View(ABC):
    """What is recorded, in words and in pictures."""

    target: str

    @abstractmethod
    def size(self, platform: Platform) -> Size:
        """The size of the film. Raises what `see` raises."""

    @abstractmethod
    def see(self, platform: Platform, canvas: Size) -> Seen:
        """It as it is now. Raises NotFound or NotPossible where there is nothing to see."""

    @abstractmethod
    def changes(self, platform: Platform) -> AbstractContextManager[Changes]:
        """Watch what changes of it."""

    @abstractmethod
    def is_in(self, areas: Sequence[Rect]) -> bool:
        """Whether anything of it is among what has changed."""


@dataclass(frozen=True, slots=True)
class PartView(View):
    """A part of the screen."""

    target: str
    part: Rect

    def size(self, platform: Platform) -> Size:
        """See View.size."""
        return even(self.part.size)

    def see(self, platform: Platform, canvas: Size) -> Seen:
        """See View.see."""
        inside = coordinates.part_on_displays(platform, self.part)  # the screen may have become smaller
        at = Point(inside.x - self.part.x, inside.y - self.part.y)
        return Seen(on_canvas(platform.screen.grab(inside), canvas, at), self.part)

    def changes(self, platform: Platform) -> AbstractContextManager[Changes]:
        """See View.changes."""
        return platform.screen.changes()

    def is_in(self, areas: Sequence[Rect]) -> bool:
        """See View.is_in."""
        return any(not area.intersection(self.part).is_empty for area in areas)


@dataclass(frozen=True, slots=True)
class WindowView(View):
    """A window with its frame, also while it is covered."""

    target: str
    window: int

    def size(self, platform: Platform) -> Size:
        """See View.size."""
        return even(platform.screen.grab_window(self.window, lambda size: size).size)

    def see(self, platform: Platform, canvas: Size) -> Seen:
        """See View.see."""
        capture = platform.screen.grab_window(self.window, lambda size: shrunk_to_fit(size, canvas))
        return Seen(on_canvas(capture, canvas, middle(capture.size, canvas)), capture.source)

    def changes(self, platform: Platform) -> AbstractContextManager[Changes]:
        """See View.changes."""
        return platform.screen.window_changes(self.window)

    def is_in(self, areas: Sequence[Rect]) -> bool:
        """See View.is_in."""
        return bool(areas)


class Watch:
    """Tells whether a view may look different from when it was last seen."""

    def __init__(self, platform: Platform, view: View, pixels: Changes, pointer: PointerChanges) -> None:
        self._platform = platform
        self._view = view
        self._pixels = pixels
        self._pointer = pointer
        self._pointed_at = platform.pointer.position()

    @property
    def sources(self) -> Sequence[HasFileno]:
        """What there is to read when something may have changed."""
        return self._pixels, self._pointer

    def has_changed(self, source: Rect) -> bool:
        """Whether it has; `source` is the part of the screen it was. Raises NotFound where the window has gone."""
        changed = self._view.is_in(self._pixels.take())
        if self._pointer.take():
            before, self._pointed_at = self._pointed_at, self._platform.pointer.position()
            changed = changed or _is_near(before, source) or _is_near(self._pointed_at, source)
        return changed


@contextlib.contextmanager
def watching(platform: Platform, view: View) -> Iterator[Watch]:
    """Watch a view while the block runs."""
    with view.changes(platform) as pixels, platform.pointer.changes() as pointer:
        yield Watch(platform, view, pixels, pointer)


def screen_view(platform: Platform) -> View:
    """The whole screen, all displays."""
    return PartView("screen", Rect(0, 0, *platform.screen.size()))


def display_view(platform: Platform, number: int) -> View:
    """One display. Raises OffScreen where there is none."""
    display = coordinates.display_of(platform, number)
    return PartView(f"display {display.id}", coordinates.part_on_displays(platform, display.bounds))


def region_view(platform: Platform, part: Rect) -> View:
    """A part of the screen. Raises OffScreen where that is nothing."""
    inside = coordinates.part_on_displays(platform, part)
    return PartView("region {} {} {} {}".format(*inside), inside)


def window_view(window: Window) -> View:
    """A window."""
    return WindowView(f"window {window.title}", window.id)


def _is_near(point: Point, part: Rect) -> bool:
    reach = _POINTER_REACH
    return Rect(part.x - reach, part.y - reach, part.width + 2 * reach, part.height + 2 * reach).contains(point)
