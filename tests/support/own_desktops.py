"""Desktops for one test, which it may break: other window managers, or none, and nobody who keeps windows' contents."""

import contextlib
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import xcffib.xproto

from deskhand.model.geometry import Rect, Size
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.desktop import EmbeddedDesktop, start_embedded
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.session import X11Session
from deskhand.platforms.x11.windows import X11Windows
from tests.support.applications import eventually

OPENBOX = ("openbox", "--sm-disable")


@dataclass(frozen=True, slots=True)
class OwnDesktop:
    """A desktop, and its ports as deskhand has them on any X desktop that it did not start."""

    desktop: EmbeddedDesktop
    platform: Platform
    windows: X11Windows
    server: XServer

    @property
    def environment(self) -> dict[str, str]:
        return self.desktop.environment

    def new_session(self) -> X11Session:
        """Another server's way to this desktop."""
        return X11Session(self.environment, self.desktop.launch)

    def resize(self, size: Size) -> None:
        """Make the screen smaller."""
        # It complains that the (virtual) output does not fit any more, after it has done it.
        command = ["xrandr", "--fb", f"{size.width}x{size.height}"]
        subprocess.run(command, env=self.environment, capture_output=True, check=False, timeout=20)
        eventually(lambda: self.server.screen_size() == size, what="another size of the screen")

    def show_on(self, displays: Mapping[str, Rect], main: str = "") -> None:
        """Show parts of the screen on displays of their own (RandR calls them monitors)."""
        output = "screen"  # a display that has the one (virtual) output takes the place of the usual one
        for name, place in displays.items():
            geometry = f"{place.width}/100x{place.height}/100+{place.x}+{place.y}"
            command = ["xrandr", "--setmonitor", f"{'*' * (name == main)}{name}", geometry, output]
            subprocess.run(command, env=self.environment, check=True, timeout=20)
            output = "none"

    def forget_display(self, name: str) -> None:
        """Take a display away."""
        subprocess.run(["xrandr", "--delmonitor", name], env=self.environment, check=True, timeout=20)

    def show_workspace(self, number: int) -> None:
        """Switch to another workspace."""
        self.server.send_to_root(self.server.root, "_NET_CURRENT_DESKTOP", [number, 0])
        current = "_NET_CURRENT_DESKTOP"
        eventually(lambda: self.server.numbers(self.server.root, current) == (number,), what="another workspace")

    def write_resources(self, resources: str) -> None:
        """Write down what programs should use, as `xrdb` does."""
        data, replace = resources.encode(), xcffib.xproto.PropMode.Replace
        name, text = self.server.atom("RESOURCE_MANAGER"), self.server.atom("STRING")
        self.server.core.ChangeProperty(replace, self.server.root, name, text, 8, len(data), data)
        self.server.sync()


@contextlib.contextmanager
def own_desktop(
    window_manager: Sequence[str] | None = None,
    size: Size = Size(1000, 700),  # noqa: B008
) -> Iterator[OwnDesktop]:
    """A desktop while the block runs; no words for no window manager, None for the usual one."""
    with start_embedded(size, window_manager=window_manager) as desktop:
        session = X11Session(desktop.environment, desktop.launch)
        platform = session.connect()
        server = XServer(desktop.environment)
        windows = X11Windows(server)
        if window_manager is None or window_manager:
            assert windows.wait_for_manager(30)
        try:
            yield OwnDesktop(desktop, platform, windows, server)
        finally:
            server.close()
            platform.close()
            session.close()
