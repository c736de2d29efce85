"""A window as the window manager sees it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from deskhand.model.geometry import Rect


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
