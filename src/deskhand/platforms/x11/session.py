"""The X desktop around us, and how its ports come together."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from deskhand.model.errors import DesktopLost
from deskhand.model.geometry import Size
from deskhand.platforms.base import Platform
from deskhand.platforms.linux.audio import LinuxAudio
from deskhand.platforms.linux.desktop_files import InstalledApps
from deskhand.platforms.linux.notifications import DesktopNotifications
from deskhand.platforms.linux.patience import Patience
from deskhand.platforms.linux.players import LinuxPlayers
from deskhand.platforms.linux.shell import PosixShell
from deskhand.platforms.linux.speech.speech import LinuxSpeech
from deskhand.platforms.linux.system import LinuxSystem
from deskhand.platforms.x11.accessibility import X11Accessibility, session_bus_address
from deskhand.platforms.x11.apps import Launch, X11Apps
from deskhand.platforms.x11.clipboard.clipboard import X11Clipboard
from deskhand.platforms.x11.clipboard.holder_client import HolderClient
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.dialogs.dialogs import X11Dialogs
from deskhand.platforms.x11.displays import X11Displays
from deskhand.platforms.x11.errors import translate_errors
from deskhand.platforms.x11.keyboard.keyboard import X11Keyboard
from deskhand.platforms.x11.listener import X11Listener
from deskhand.platforms.x11.pointer import X11Pointer
from deskhand.platforms.x11.screen import X11Screen
from deskhand.platforms.x11.windows import X11Windows


@translate_errors
@dataclass(slots=True)
class X11Session:
    """An X desktop. `launch` starts programs where they are not to be children of this process."""

    environment: Mapping[str, str]
    launch: Launch | None = None
    name: str = "x11"
    _holder: HolderClient = field(init=False)
    _installed: InstalledApps = field(init=False)
    _speech: LinuxSpeech = field(init=False)

    def __post_init__(self) -> None:
        self._installed = InstalledApps(self.environment)
        self._holder = HolderClient(self.environment)
        self._speech = LinuxSpeech(self.environment, self.launch)

    def connect(self) -> Platform:
        """All ports on a connection of their own.

        Raises PermissionMissing where the X server is out of reach, DesktopLost where it goes meanwhile.
        """
        server = XServer(self.environment)
        try:
            return self._ports(server)
        except BaseException:
            server.close()
            raise

    def _ports(self, server: XServer) -> Platform:
        patience = Patience()
        windows = X11Windows(server, patience)
        keyboard, screen = X11Keyboard(server, patience), X11Screen(server, self.environment)
        accessibility = X11Accessibility(server, windows, self.environment, patience)

        def close() -> None:
            # Of a desktop that has gone there is nothing to give back.
            with contextlib.suppress(DesktopLost):
                keyboard.release_all()
                keyboard.restore()
            screen.close()
            accessibility.close()
            server.close()

        return Platform(
            name=self.name,
            pointer=X11Pointer(server, self.environment),
            keyboard=keyboard,
            listener=X11Listener(server),
            screen=screen,
            displays=X11Displays(server),
            windows=windows,
            clipboard=X11Clipboard(server, self._holder, patience),
            accessibility=accessibility,
            apps=X11Apps(self.environment, self._installed, self.launch),
            system=LinuxSystem(self.environment),
            audio=LinuxAudio(self.environment),
            speech=self._speech,
            players=LinuxPlayers(session_bus_address(self.environment)),
            notifications=DesktopNotifications(self.environment),
            dialogs=X11Dialogs(server),
            shell=PosixShell(self.environment),
            close=close,
        )

    def close(self) -> None:
        """Let go of the clipboard's holder, which goes on by itself."""
        self._holder.close()


def open_session(environment: Mapping[str, str], size: Size | None) -> X11Session:
    """The X desktop that the environment names; its size is what it is."""
    return X11Session(environment)
