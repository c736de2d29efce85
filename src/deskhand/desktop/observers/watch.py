"""One application that is watched, by a thread of its own: one that hangs keeps no other waiting."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from deskhand.desktop import apps
from deskhand.desktop.apps import RunningApp
from deskhand.desktop.observers.following import Following
from deskhand.desktop.observers.identity import Identity
from deskhand.model.element import Element
from deskhand.model.errors import Cancelled, DeskError, DesktopLost
from deskhand.model.event import Event, EventKind
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform, WindowEvents

_HOUR: Final = 3600.0
_NAMING_SECONDS: Final = 3.0
_LOOK_AGAIN_SECONDS: Final = 0.2
"""LibreOffice says only some time after its window has come which of its programs it is."""

logger = logging.getLogger(__name__)


class Reader(Protocol):
    """Somebody who is told."""

    def put(self, watch: "Watch", event: Event) -> None: ...

    def complete(self, watch: "Watch", kind: EventKind, subject: str, element: Element) -> None: ...

    def wake(self) -> None: ...


class Watch:
    """Tells its readers what happens in an application, from `start` to `stop`, whatever process it is."""

    def __init__(self, connect: Callable[[], Platform], identity: Identity, app: RunningApp | None) -> None:
        """`app` is the process to begin with, None to wait for one."""
        self.identity = identity
        self.readers: tuple[Reader, ...] = ()
        """Replaced as a whole: the thread may be going through them."""
        self.pid = app.app.pid if app else None
        """The process that is watched now, None while there is none."""
        self.pids = {app.app.pid} if app else set[int]()
        """All that it has ever watched: who has named it by one of them may do so again."""
        self.kinds: Sequence[EventKind] = ()
        """Which events the process that was watched last can send."""
        self.lost: DeskError | None = None
        """Why nothing comes any more, None while all is well."""
        self._first = app
        self._connect = connect
        self._turn = Turn()
        self._hears = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"watch {identity.name}", daemon=True)

    def start(self) -> None:
        """Begin; `wait_until_hearing` tells when it does."""
        self._thread.start()

    def wait_until_hearing(self, seconds: float) -> None:
        """Return when it hears (or waits for the application). Raises what keeps it from hearing."""
        self._hears.wait(seconds)
        if self.lost is not None:
            raise self.lost

    def stop(self) -> None:
        """End soon; `join` waits for it."""
        self._turn.cancel()

    def join(self, seconds: float) -> None:
        """Wait until everything has been given back."""
        self._thread.join(seconds)

    # ------------------------------------------------------------ for the thread

    def tell(self, event: Event) -> None:
        """Tell the readers what has happened."""
        for reader in self.readers:
            reader.put(self, event)

    def complete(self, kind: EventKind, subject: str, element: Element) -> None:
        """Tell the readers which element belongs to an event that was told without."""
        for reader in self.readers:
            reader.complete(self, kind, subject, element)

    def hears(self, kinds: Sequence[EventKind]) -> None:
        """Note which events come from now on."""
        self.kinds = kinds
        self._hears.set()

    def _run(self) -> None:
        try:
            platform = self._connect()
            with contextlib.ExitStack() as undo:
                undo.callback(platform.close)
                self._watch(platform, undo.enter_context(platform.windows.events()))
        except Cancelled:
            pass
        except DeskError as error:
            self.lost = error
        except Exception:
            logger.exception("watching %s has broken down", self.identity.name)
            self.lost = DesktopLost(
                f"watching {self.identity.name} has broken down", recovery="the server's stderr tells more"
            )
        finally:
            self.pid = None
            self._hears.set()
            for reader in self.readers:
                reader.wake()
            self._turn.close()

    def _watch(self, platform: Platform, windows: WindowEvents) -> None:
        app, others = self._first, set[int]()
        while True:
            if app is None:
                self._hears.set()
                app = self._next(platform, windows, others)
                self.pid = app.app.pid
                self.pids.add(app.app.pid)
                self._say(EventKind.APP_STARTED, app)
            # A second window of another process is not this application started again.
            others = {one.app.pid for one in self._alike(platform)} - {app.app.pid}
            following = Following(platform, windows, self._turn, app, self)
            if following.follow(is_new=app is not self._first):
                others.add(app.app.pid)  # its windows may still be there for a moment
            self.pid = None
            self._say(EventKind.APP_ENDED, app)
            app = None

    def _next(self, platform: Platform, windows: WindowEvents, others: set[int]) -> RunningApp:
        """Wait until a process of the application shows a window."""
        known: set[int] | None = None
        unclear_until = 0.0
        while True:
            windows.take()
            present = {window.id for window in platform.windows.all()}
            if present != known:
                known, unclear_until = present, time.monotonic() + _NAMING_SECONDS
            is_unclear = time.monotonic() < unclear_until
            for app in self._alike(platform) if is_unclear else ():
                if app.app.pid not in others:
                    return app
            self._turn.wait([windows], _LOOK_AGAIN_SECONDS if is_unclear else _HOUR)

    def _alike(self, platform: Platform) -> list[RunningApp]:
        return [app for app in apps.running(platform) if self.identity.fits(app)]

    def _say(self, kind: EventKind, app: RunningApp) -> None:
        name = self.identity.name
        self.tell(Event(time.time(), name, kind, str(app.app.pid), "application", name))
