"""Waiting until the screen and an application's tree have come to rest."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.model.errors import DeskError
from deskhand.model.geometry import Rect
from deskhand.model.turn import HasFileno, Turn
from deskhand.platforms.base import AccessibleApp, Changes, Platform, TreeEvents

_FIRST_CHANGE_SECONDS: Final = 0.12
_QUIET_SECONDS: Final = 0.04
_CARET: Final = (4, 80)
"""A text caret blinks: changes no wider and higher than this (pixels) are not counted."""


@dataclass(frozen=True, slots=True)
class Settled:
    """How an act ended on the screen: whether anything changed (and in the tree), and when it had come to rest."""

    changed: bool
    tree_changed: bool
    quiet: bool
    milliseconds: int

    def and_then(self, later: "Settled") -> "Settled":
        """The same with what came after it."""
        return Settled(
            self.changed or later.changed,
            self.tree_changed or later.tree_changed,
            later.quiet,
            self.milliseconds + later.milliseconds,
        )


class Watch:
    """Watches for changes from before an act on; use it with `watching`."""

    def __init__(self, pixels: Changes, tree: TreeEvents | None, turn: Turn) -> None:
        self._pixels = pixels
        self._tree = tree
        self._turn = turn

    def settle(self, limit: float) -> Settled:
        """Wait for what an act has set in motion, at most `limit` seconds from now.

        Comes back as soon as nothing has changed for 40 ms, or when nothing at all has begun to change within 120 ms.
        """
        start = time.monotonic()
        sources: Sequence[HasFileno] = [self._pixels] if self._tree is None else [self._pixels, self._tree]
        changed = tree_changed = False
        rest = start + _FIRST_CHANGE_SECONDS
        while (now := time.monotonic()) < min(rest, start + limit):
            self._turn.wait(sources, min(rest, start + limit) - now)
            pixels = any(not _is_caret(area) for area in self._pixels.take())
            tree = self._tree is not None and self._tree.take() > 0
            if pixels or tree:
                changed, tree_changed = True, tree_changed or tree
                rest = time.monotonic() + _QUIET_SECONDS
        return Settled(changed, tree_changed, now >= rest, round((now - start) * 1000))


@contextlib.contextmanager
def watching(platform: Platform, app: AccessibleApp | None, turn: Turn) -> Iterator[Watch]:
    """Watch the screen, and the tree of an application, while the block runs."""
    with contextlib.ExitStack() as stack:
        pixels = stack.enter_context(platform.screen.changes())
        tree: TreeEvents | None = None
        if app is not None:
            with contextlib.suppress(DeskError):
                tree = stack.enter_context(platform.accessibility.events(app))
        yield Watch(pixels, tree, turn)


def _is_caret(area: Rect) -> bool:
    return area.width <= _CARET[0] and area.height <= _CARET[1]
