"""Windows as people mean them: the visible ones, and the one under a point."""

from collections.abc import Sequence

from deskhand.model.errors import AmbiguousApp, NotFound
from deskhand.model.geometry import Point
from deskhand.model.window import Window
from deskhand.platforms.base import Platform


def visible(platform: Platform) -> list[Window]:
    """The windows of applications that can be seen now, topmost first."""
    return [window for window in _shown(platform) if window.kind.belongs_to_an_app]


def _shown(platform: Platform) -> list[Window]:
    windows = platform.windows.all()
    # Not that of the active window: on an empty workspace there is none.
    workspace = platform.windows.workspace()
    return [
        window
        for window in windows
        if not window.minimized and (workspace is None or window.workspace in (None, workspace))
    ]


def find(platform: Platform, name: str | None, window_id: int | None) -> Window:
    """The window of an id, or of a title (whole, or a part of it). Raises NotFound, or AmbiguousApp naming all."""
    windows = platform.windows.all()
    if window_id is not None:
        found = [window for window in windows if window.id == window_id]
        what = f"no window has the id {window_id}"
    else:
        found = _titled(windows, name or "")
        what = f"no window is called {name!r}"
    if not found:
        raise NotFound(what, recovery="call list_windows_tool to see the windows there are")
    if len(found) > 1:
        listed = ", ".join(f"{window.title!r} (id {window.id})" for window in found)
        raise AmbiguousApp(f"{name!r} means several windows: {listed}", recovery="name one of them by window_id")
    return found[0]


def at(platform: Platform, point: Point) -> Window | None:
    """The topmost window at a point of the screen, None over the bare desktop."""
    return next((window for window in visible(platform) if window.frame.contains(point)), None)


def topmost(platform: Platform, point: Point) -> Window | None:
    """What lies at a point of the screen, a dock and the desktop itself too; None where no window does."""
    return next((window for window in _shown(platform) if window.frame.contains(point)), None)


def _titled(windows: Sequence[Window], name: str) -> list[Window]:
    wanted = name.strip().casefold()
    whole = [window for window in windows if window.title.casefold() == wanted]
    return whole or [window for window in windows if wanted and wanted in window.title.casefold()]
