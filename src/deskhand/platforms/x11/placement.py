"""Where the elements of an application really are: what it says, held against its X windows.

GTK 4 (measured with 4.8) counts from the corner of its window without the shadow, and in a menu from the widget that
opened it. LibreOffice counts what it draws itself from below GTK's menu bar. Every toolkit counts in points where it
draws its interface larger (GDK_SCALE=2). All this shows in a window's own element, whose size and place the X server
knows too.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from deskhand.model.element import State
from deskhand.model.geometry import Rect
from deskhand.model.window import Window
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.application import Application
from deskhand.platforms.linux.atspi.nodes import Extents, Node, roles
from deskhand.platforms.linux.atspi.placement import Shift
from deskhand.platforms.x11.windows import X11Windows

_TOLERANCE: Final = 0.04
_WIDEST_SHADOW: Final = 64
_ROOT_PANE: Final = names.NUMBER["root pane"]
_WINDOWS: Final = roles("frame", "window", "dialog")


class X11Placement:
    """What the X server knows of the windows of applications."""

    def __init__(self, windows: X11Windows) -> None:
        self._windows = windows
        self._scales: dict[str, float] = {}

    def shifts(self, application: Application, nodes: Sequence[Node]) -> Mapping[str, Shift | None] | None:
        """See `Placement.shifts`."""
        if application.is_gtk4:
            return self._gtk4_shifts(application, nodes)
        scale = self._scale(application, nodes)
        if scale != 1.0:
            return {node.path: Shift(scale=scale) for node in nodes}
        if any(node.draws_itself for node in nodes):
            return dict(self._office_shifts(application, nodes))
        return None

    def absent(self, application: Application, nodes: Sequence[Node]) -> frozenset[str]:
        """See `Placement.absent`: Chromium has windows ready that it will show some time, and says they show."""
        untitled = [node for node in nodes if node.depth == 0 and not node.name and node.role in _WINDOWS]
        if application.is_gtk4 or not untitled:
            return frozenset()
        own = self._windows_of(application.pid)
        sizes = [rect.size for window in own for rect in (window.bounds, window.frame)]
        if own:
            sizes += [popup.size for popup in self._windows.popups(own[0].id)]
        scale = self._scales.get(application.bus_name, 1.0)
        return frozenset(
            node.path
            for node in untitled
            if node.extents and not any(_fits(size, node.extents, scale) for size in sizes)
        )

    def _scale(self, application: Application, nodes: Sequence[Node]) -> float:
        """How many pixels a point of this application has; asked of the X server once for each application."""
        known = self._scales.get(application.bus_name)
        if known is not None:
            return known
        top = next((node for node in nodes if node.depth == 0 and node.extents and node.role in _WINDOWS), None)
        if top is None or top.extents is None:
            return 1.0
        window = _window_of(top, self._windows_of(application.pid))
        if window is None:
            return 1.0
        scale = _whole_ratio(window, top.extents)
        self._scales[application.bus_name] = scale
        return scale

    def _gtk4_shifts(self, application: Application, nodes: Sequence[Node]) -> dict[str, Shift | None]:
        windows = self._windows_of(application.pid)
        popups = list(self._windows.popups(windows[0].id)) if windows else []
        shifts: dict[str, Shift | None] = {}
        for node in nodes:
            if node.parent == names.ROOT_PATH and node.extents:
                window = _window_of(node, windows)
                shifts[node.path] = _centered(window.bounds, node.extents) if window else None
                if window is not None:
                    windows.remove(window)
            elif node.is_popup:
                popup = _popup_of(node.extents, popups) if node.extents else None
                shifts[node.path] = _centered(popup, node.extents) if popup and node.extents else None
                if popup is not None:
                    popups.remove(popup)
        return shifts

    def _office_shifts(self, application: Application, nodes: Sequence[Node]) -> Iterator[tuple[str, Shift]]:
        """What LibreOffice draws ends at the lower edge of its window."""
        windows = self._windows_of(application.pid)
        drawn: set[str] = set()
        for node in nodes:
            if node.draws_itself:
                drawn.add(node.path)
            if node.role == _ROOT_PANE and node.extents:
                window = _window_of(node, windows)
                yield node.path, _down_to_the_edge(window.bounds, node.extents) if window else Shift()
            elif (node.parent in drawn and not node.draws_itself) or node.depth == 0:
                yield node.path, Shift()

    def _windows_of(self, pid: int) -> list[Window]:
        return [window for window in self._windows.all() if window.pid == pid]


def _window_of(node: Node, windows: Sequence[Window]) -> Window | None:
    """The X window of a window's element: the one with its title, or else the one nearest to its size."""
    if node.extents is None:
        return None
    _, _, width, height = node.extents
    active = bool(node.states & State.ACTIVE)

    def distance(window: Window) -> tuple[bool, int, bool, int]:
        size = window.bounds.size
        difference = abs(size.width - width) + abs(size.height - height)
        # Of two windows with one title and size, the older one comes first in the tree, and has the lower number.
        return (window.title != node.name, difference, window.active != active, window.id)

    return min(windows, key=distance, default=None)


def _centered(window: Rect, extents: Extents) -> Shift:
    """The shadow around a window is as wide on the left as on the right, and is in its X window only."""
    x, y, width, height = extents
    scale = 1.0
    if width and window.width / width > 1.5:
        scale = float(round(window.width / width))
    left = round((window.width - width * scale) / 2)
    top = round((window.height - height * scale) / 2)
    return Shift(window.x + left - round(x * scale), window.y + top - round(y * scale), scale)


def _down_to_the_edge(window: Rect, extents: Extents) -> Shift:
    """How far up LibreOffice counts what fills a window from GTK's menu bar down: by the height of that bar."""
    x, y, width, height = extents
    too_high = window.bottom - (y + height)
    fills = (x, width) == (window.x, window.width) and 0 < too_high < window.height // 2
    return Shift(dy=too_high) if fills else Shift()


def _popup_of(extents: Extents, popups: Sequence[Rect]) -> Rect | None:
    """The popup that is as large as its element says, but for the shadow around it."""
    fitting = [one for one in popups if _fits(one.size, extents, 1.0) or _fits(one.size, extents, 2.0)]
    return min(fitting, key=lambda one: abs(one.width - extents[2]) + abs(one.height - extents[3]), default=None)


def _fits(size: tuple[int, int], extents: Extents, scale: float) -> bool:
    """Whether a window of this size can be the one of these extents: its frame or shadow may belong to it or not."""
    return all(abs(real - told * scale) <= _WIDEST_SHADOW for real, told in zip(size, extents[2:], strict=True))


def _whole_ratio(window: Window, extents: Extents) -> float:
    """2.0 where a window is twice as large as its element says, with or without its frame."""
    for rect in (window.bounds, window.frame):
        ratio = rect.width / extents[2]
        if ratio > 1.5 and abs(ratio - round(ratio)) < _TOLERANCE * ratio:
            return float(round(ratio))
    return 1.0
