"""One desktop, port by port; the sessions it is reached through; what a platform lacks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NoReturn, Protocol

from deskhand.model.errors import Unsupported
from deskhand.platforms.base.accessibility import Accessibility
from deskhand.platforms.base.clipboard import Clipboard
from deskhand.platforms.base.input import Keyboard, Listener, Pointer
from deskhand.platforms.base.messages import Dialogs, Notifications
from deskhand.platforms.base.programs import Apps, Shell, System
from deskhand.platforms.base.screen import Displays, Screen
from deskhand.platforms.base.sound import Audio, Players, Speech
from deskhand.platforms.base.windows import Windows


@dataclass(frozen=True, slots=True)
class Platform:
    """One desktop, port by port."""

    name: str
    pointer: Pointer
    keyboard: Keyboard
    listener: Listener
    screen: Screen
    displays: Displays
    windows: Windows
    clipboard: Clipboard
    accessibility: Accessibility
    apps: Apps
    system: System
    audio: Audio
    speech: Speech
    players: Players
    notifications: Notifications
    dialogs: Dialogs
    shell: Shell
    close: Callable[[], None]

    def ports(self) -> dict[str, Any]:
        """The ports by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("name", "close")}


class Session(Protocol):
    """A desktop that can be connected to, by each thread for itself."""

    name: str

    @property
    def environment(self) -> Mapping[str, str]:
        """What a program needs to be started on this desktop."""
        ...

    def connect(self) -> Platform:
        """All ports, on connections of their own. Raises PermissionMissing or DesktopLost."""
        ...

    def close(self) -> None:
        """End what belongs to this session alone."""
        ...


class Missing:
    """Stands where a port would be; any use of it says why there is none."""

    def __init__(self, port: str, reason: str, remedy: str) -> None:
        self.reason = reason
        self.remedy = remedy
        self._message = f"{port} is not available: {reason}"

    def __getattr__(self, name: str) -> NoReturn:
        raise Unsupported(self._message, recovery=self.remedy)


def missing(port: str, *, reason: str, remedy: str) -> Any:
    """A stand-in for a port of any type."""
    return Missing(port, reason, remedy)
