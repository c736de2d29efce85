"""What a client has seen of the screen: the last picture of a display, in which its coordinates are counted."""

import math
from collections.abc import Sequence

from deskhand.desktop import apps, windows
from deskhand.desktop.screen import capture, coordinates
from deskhand.guard.access import Access
from deskhand.model.display import Display
from deskhand.model.errors import NotPossible, OffScreen
from deskhand.model.frame import Frame, Framing, within_limits
from deskhand.model.geometry import Point, Rect
from deskhand.model.image import Picture
from deskhand.model.window import Window
from deskhand.platforms.base import Platform


class Frames:
    """One client's pictures of displays. Its calls come one after the other."""

    def __init__(self, framing: Framing, access: Access) -> None:
        self.framing = framing
        self._access = access
        self.pinned: str | None = None
        """The name of the display that is looked at, None for the one where the work is."""
        self._last: tuple[str, Frame] | None = None

    # ------------------------------------------------------------ looking

    def display(self, platform: Platform) -> Display:
        """The display to look at now. Raises OffScreen where the pinned one has gone."""
        displays = platform.displays.all()
        if self.pinned is None:
            return _busiest(platform, displays, self._access)
        for one in displays:
            if one.name == self.pinned:
                return one
        raise OffScreen(
            f"the display {self.pinned} is not there any more: {coordinates.describe(displays)}",
            recovery='choose another one with switch_display, or "auto"',
        )

    def screenshot(self, platform: Platform) -> Picture:
        """A picture of that display; from now on coordinates are counted in it."""
        display = self.display(platform)
        frame = self._frame_of(platform, display)
        picture = capture.picture(platform, frame.display, frame.size)
        self._last = display.name, frame
        return picture

    def zoom(self, platform: Platform, part: Rect) -> Picture:
        """A part of the screen with all its pixels, as far as a model takes them. Coordinates mean what they did."""
        return capture.picture(platform, part, within_limits(part.size))

    def pin(self, platform: Platform, which: str | int) -> Display:
        """Look at a display from now on, by its name or number; "auto" for the one where the work is.

        Raises OffScreen where there is none of that name.
        """
        displays = platform.displays.all()
        wanted = str(which).strip().casefold()
        if wanted == "auto":
            self.pinned = None
            return self.display(platform)
        for one in displays:
            if wanted in (one.name.casefold(), str(one.id)):
                self.pinned = one.name
                return one
        raise OffScreen(
            f"there is no display {str(which)[:40]!r}: {coordinates.describe(displays)}",
            recovery='name one of them by its number, or "auto"',
        )

    # ------------------------------------------------------------ counting

    def frame(self, platform: Platform) -> Frame:
        """The last picture; before the first, what it would be. Raises NotPossible where its display has changed since."""
        if self._last is None:
            return self._frame_of(platform, self.display(platform))
        name, frame = self._last
        now = next((_shown(platform, one) for one in platform.displays.all() if one.name == name), None)
        if now != frame.display:
            became = f"is {now.width}x{now.height} at {now.x},{now.y} now" if now else "has gone"
            raise NotPossible(
                f"the display {name} {became}: coordinates of the last screenshot mean nothing any more",
                recovery="take a screenshot first",
            )
        return frame

    def point(self, platform: Platform, x: float, y: float) -> Point:
        """The screen pixel of a point of the last picture. Raises OffScreen where it has no such point."""
        return self.frame(platform).to_screen(x, y)

    def part(self, platform: Platform, x0: float, y0: float, x1: float, y1: float) -> Rect:
        """The screen pixels of a part of the last picture; the edges at x1 and y1 are outside.

        Raises OffScreen for a part that is not all in it.
        """
        frame = self.frame(platform)
        last = math.ceil(x1) - 1, math.ceil(y1) - 1
        start, end = frame.to_screen(x0, y0), frame.to_screen(max(x0, last[0]), max(y0, last[1]))
        return Rect(start.x, start.y, end.x + 1 - start.x, end.y + 1 - start.y)

    def _frame_of(self, platform: Platform, display: Display) -> Frame:
        shown = _shown(platform, display)
        return Frame(self.framing.size_for(shown.size), shown)


def _shown(platform: Platform, display: Display) -> Rect:
    """The part of the screen that a display shows: it may reach beyond a screen that was made smaller."""
    return coordinates.part_on_displays(platform, display.bounds)


def _busiest(platform: Platform, displays: Sequence[Display], access: Access) -> Display:
    """The display that holds most of the windows that may be used, or of all where none may; else the main one."""
    if len(displays) == 1:
        return displays[0]
    shown = windows.visible(platform)
    centers = [window.frame.center for window in _granted(platform, shown, access) or shown]
    # Of several the first, which is the main one.
    return max(displays, key=lambda one: sum(map(one.bounds.contains, centers)))


def _granted(platform: Platform, shown: Sequence[Window], access: Access) -> Sequence[Window]:
    """The windows of applications that are granted."""
    if access.given.everything:
        return shown
    running = [(app.identity, app.windows) for app in apps.running(platform)]
    ids = {one.id for who, own in running if access.tier_of(who.names, who.categories) for one in own}
    return [window for window in shown if window.id in ids]
