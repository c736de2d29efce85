"""A window as the window manager sees it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from deskhand.model.geometry import Point, Rect


class WindowKind(StrEnum):
    """What a window is for (the window types of EWMH)."""

    NORMAL = "normal"
    DIALOG = "dialog"
    UTILITY = "utility"
    DOCK = "dock"
    DESKTOP = "desktop"
    OTHER = "other"

    @property
    def belongs_to_an_app(self) -> bool:
        """Whether people would call it a window of an app, and not a piece of the desktop itself."""
        return self not in (WindowKind.DOCK, WindowKind.DESKTOP)


class PopupKind(StrEnum):
    """What a window that no window manager manages is for."""

    MENU = "menu"
    TOOLTIP = "tooltip"
    OTHER = "other"


OPENED: Final = (PopupKind.MENU, PopupKind.OTHER)
"""What stays until something is chosen in it, or something else is clicked."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who a window belongs to: a process, None where it does not tell, and the names the window has been given."""

    pid: int | None
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """One window. `bounds` are the screen pixels of its contents, `frame` those with title bar and borders.

    `app` is the window class (WM_CLASS), `pid` None where the window does not tell.
    """

    id: int
    title: str
    app: str
    pid: int | None
    bounds: Rect
    frame: Rect
    kind: WindowKind = WindowKind.NORMAL
    active: bool = False
    minimized: bool = False
    workspace: int | None = None
    """None for a window that is on every workspace."""
    belongs_to: int | None = None
    """The window that it was opened over, None where it does not tell."""
    modal: bool = False
    """Whether it wants an answer before its application, or the window it belongs to, takes anything else."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The managed windows of a screen at one moment, topmost first, and the workspace that is shown.

    `workspace` is None where there is only one.
    """

    windows: tuple[Window, ...]
    workspace: int | None = None

    @property
    def active(self) -> Window | None:
        """The window that has the keyboard."""
        return next((window for window in self.windows if window.active), None)

    @property
    def shown(self) -> list[Window]:
        """The windows that are on the screen, docks and the desktop too, topmost first."""
        # Not those on the active window's workspace: on an empty workspace there is none.
        return [
            window
            for window in self.windows
            if not window.minimized and (self.workspace is None or window.workspace in (None, self.workspace))
        ]

    @property
    def visible(self) -> list[Window]:
        """The windows of applications that can be seen, topmost first."""
        return [window for window in self.shown if window.kind.belongs_to_an_app]

    def at(self, point: Point) -> Window | None:
        """The topmost visible window at a point of the screen, None over the bare desktop."""
        return next((window for window in self.visible if window.frame.contains(point)), None)
