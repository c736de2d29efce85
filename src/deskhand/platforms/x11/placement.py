"""Where the elements of an application really are: what it says, held against its X windows.

GTK 4 (measured with 4.8) counts from the corner of its window without the shadow, and in a menu from the widget that
opened it. Every toolkit counts in points where it draws its interface larger (GDK_SCALE=2). Both show in a window's own
element, whose size and place the X server knows too.
"""

from collections.abc import Mapping, Sequence

from deskhand.model.geometry import Rect
from deskhand.model.window import Window
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.link import Application
from deskhand.platforms.linux.atspi.placement import Shift
from deskhand.platforms.linux.atspi.reading import Node
from deskhand.platforms.x11.windows import X11Windows

_TOLERANCE = 0.04
_POPUPS = frozenset(names.NUMBER[word] for word in ("menu", "popup menu", "tool tip", "panel", "dialog"))


class X11Placement:
    """What the X server knows of the windows of applications."""

    def __init__(self, windows: X11Windows) -> None:
        self._windows = windows
        self._scales: dict[str, float] = {}

    def shifts(self, application: Application, nodes: Sequence[Node]) -> Mapping[str, Shift | None] | None:
        """See `Placement.shifts`."""
        if application.toolkit == "GTK":
            return self._gtk4_shifts(application, nodes)
        scale = self._scale(application, nodes)
        if scale == 1.0:
            return None
        return {node.path: Shift(scale=scale) for node in nodes}

    def _scale(self, application: Application, nodes: Sequence[Node]) -> float:
        """How many pixels a point of this application has; asked of the X server once for each application."""
        known = self._scales.get(application.bus_name)
        if known is not None:
            return known
        top = next((node for node in nodes if node.depth == 0 and node.extents), None)
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
        shifts: dict[str, Shift | None] = {}
        for node in nodes:
            if node.parent == names.ROOT_PATH and node.extents:
                window = _window_of(node, windows)
                shifts[node.path] = _centered(window.bounds, node.extents) if window else None
        popups = list(self._windows.popups(windows[0].id)) if windows else []
        for node in nodes:
            if popups and node.role in _POPUPS and node.extents and node.path not in shifts:
                popup = next((one for one in popups if _same_size(one, node.extents)), None)
                if popup is not None:
                    popups.remove(popup)
                    shifts[node.path] = _centered(popup, node.extents)
        return shifts

    def _windows_of(self, pid: int) -> list[Window]:
        return [window for window in self._windows.all() if window.pid == pid]


def _window_of(node: Node, windows: Sequence[Window]) -> Window | None:
    """The X window of a window's element: the one with its title, or else the one nearest to its size."""
    assert node.extents is not None
    _, _, width, height = node.extents

    def distance(window: Window) -> tuple[bool, int]:
        size = window.bounds.size
        return (window.title != node.name, abs(size.width - width) + abs(size.height - height))

    return min(windows, key=distance, default=None)


def _centered(window: Rect, extents: tuple[int, int, int, int]) -> Shift:
    """The shadow around a window is as wide on the left as on the right, and is in its X window only."""
    x, y, width, height = extents
    scale = 1.0
    if width and window.width / width > 1.5:
        scale = float(round(window.width / width))
    left = round((window.width - width * scale) / 2)
    top = round((window.height - height * scale) / 2)
    return Shift(window.x + left - round(x * scale), window.y + top - round(y * scale), scale)


def _same_size(rect: Rect, extents: tuple[int, int, int, int]) -> bool:
    return rect.size == extents[2:] or rect.size == (2 * extents[2], 2 * extents[3])


def _whole_ratio(window: Window, extents: tuple[int, int, int, int]) -> float:
    """2.0 where a window is twice as large as its element says, with or without its frame."""
    for rect in (window.bounds, window.frame):
        ratio = rect.width / extents[2]
        if ratio > 1.5 and abs(ratio - round(ratio)) < _TOLERANCE * ratio:
            return float(round(ratio))
    return 1.0
