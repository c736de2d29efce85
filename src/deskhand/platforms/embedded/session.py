"""A desktop of our own as a session: started at once, ready when first connected to, replaced when it has died."""

import contextlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from deskhand.model.errors import DeskError, DesktopLost, PermissionMissing
from deskhand.model.geometry import Size
from deskhand.platforms.base import Platform, missing
from deskhand.platforms.embedded.desktop import EmbeddedDesktop, start_embedded
from deskhand.platforms.x11.accessibility import switch_on
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.keyboard.keyboard import X11Keyboard
from deskhand.platforms.x11.screen import X11Screen
from deskhand.platforms.x11.session import X11Session
from deskhand.platforms.x11.windows import X11Windows

_USUAL_SIZE: Final = Size(1920, 1080)
_MANAGER_SECONDS: Final = 10.0
# 56 characters that the layout lacks fit on these keys at once (twice as many letters).
RESERVED_KEYS: Final = (200, 255)


class EmbeddedSession:
    """A desktop of our own."""

    name = "embedded"

    def __init__(self, size: Size, *, home: Path | None = None, for_agents: bool = False) -> None:
        """Programs there have a home of their own, an empty one without `home`.

        With `for_agents`, servers that join it take it for one of their own.
        """
        self._size = size
        self._home = home
        self._for_agents = for_agents
        self._lock = threading.Lock()
        self._desktop: EmbeddedDesktop | None = None
        self._session: X11Session | None = None
        self._keeping: XServer | None = None

    def start_soon(self) -> None:
        """Begin to start in the background; what goes wrong is told by the first call that needs the desktop."""

        def start() -> None:
            with contextlib.suppress(DeskError):
                self._ready()

        threading.Thread(target=start, name="embedded desktop", daemon=True).start()

    @property
    def environment(self) -> Mapping[str, str]:
        """What a program needs to be started on this desktop; starts it if need be."""
        return self._ready().environment

    def connect(self) -> Platform:
        """All ports on connections of their own.

        Raises DesktopLost once after the desktop has died, unless a port has said so already.
        """
        session = self._ready()
        try:
            platform = session.connect()
        except (PermissionMissing, DesktopLost):
            self._replace(session)
            raise _death() from None

        def close() -> None:
            platform.close()
            with self._lock:
                is_dead = self._session is session and not self._is_up()
            if is_dead:
                self._replace(session)

        return replace(platform, dialogs=_nobody(), close=close)

    def is_alive(self) -> bool:
        """Whether its processes run."""
        return self._desktop is not None and self._desktop.is_alive()

    def launch(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
        """Start any program on this desktop; the number of its process."""
        session = self._ready()
        assert session.launch is not None
        try:
            return session.launch(command, environment or {}, None)
        except DesktopLost:
            self._replace(session)
            raise

    def close(self) -> None:
        """End the desktop and everything on it."""
        with self._lock:
            self._end()

    def _ready(self) -> X11Session:
        with self._lock:
            if self._session is not None and not self._is_up():
                self._end()
                raise _death()
            if self._session is None:
                self._start()
            assert self._session is not None
            return self._session

    def _is_up(self) -> bool:
        """Whether the desktop works: its keeper may still be busy with ending it."""
        return self.is_alive() and self._keeping is not None and self._keeping.is_there()

    def _replace(self, session: X11Session) -> None:
        """Let the next call start a new desktop, if none has yet."""
        with self._lock:
            if self._session is session:
                self._end()

    def _start(self) -> None:
        """Raises what is missing; nothing is left half started."""
        try:
            self._try_to_start()
        except BaseException:
            self._end()
            raise

    def _try_to_start(self) -> None:
        self._desktop = start_embedded(self._size, home=self._home, for_agents=self._for_agents)
        self._desktop.environment["AT_SPI_BUS_ADDRESS"] = switch_on(self._desktop.environment)
        self._keeping = server = XServer(self._desktop.environment)
        X11Keyboard(server).reserve(*RESERVED_KEYS)
        # Kept for as long as the connection lives: pictures of covered windows are right at once.
        X11Screen(server, self._desktop.environment).keep_contents()
        if not X11Windows(server).wait_for_manager(_MANAGER_SECONDS):
            raise DesktopLost("the window manager of the embedded desktop did not start")
        self._session = X11Session(self._desktop.environment, self._desktop.launch, self.name)

    def _end(self) -> None:
        if self._session is not None:
            self._session.close()
        if self._keeping is not None:
            self._keeping.close()
        if self._desktop is not None:
            self._desktop.close()
        self._session = self._keeping = self._desktop = None


def _nobody() -> Any:
    """A question would wait in vain for its whole time."""
    return missing(
        "asking in a window",
        reason="nobody sits at a desktop of the agent's own",
        remedy="grant it ahead of time (deskhand mcp --grant APP), or use a client that can ask its user",
    )


def _death() -> DesktopLost:
    return DesktopLost("the embedded desktop has died", recovery="call again: a new one is started then")


def open_session(environment: Mapping[str, str], size: Size | None) -> EmbeddedSession:
    """A new desktop; it starts in the background."""
    session = EmbeddedSession(size or _USUAL_SIZE)
    session.start_soon()
    return session
