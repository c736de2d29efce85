"""Who watches which application. Where nobody watches, nothing runs and nothing listens."""

import threading
import time
from collections.abc import Callable
from typing import Final

from deskhand.desktop.observers.identity import identify
from deskhand.desktop.observers.mailbox import Drained, Mailbox
from deskhand.desktop.observers.watch import Watch
from deskhand.model.errors import AmbiguousApp, DeskError, NotFound, NotPossible
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform

MOST_WATCHED: Final = 32
_HEARING_SECONDS: Final = 3.0
_ENDING_SECONDS: Final = 2.0


class Observers:
    """The watches of all clients; those who watch the same application share one."""

    def __init__(self, connect: Callable[[], Platform]) -> None:
        """`connect` opens the desktop for a thread of its own."""
        self._connect = connect
        self._watches: list[Watch] = []
        self._lock = threading.Lock()

    def watch(self, mailbox: Mailbox, platform: Platform, name: str) -> Watch:
        """Keep what happens in an application from now on, until `unwatch`.

        Raises AppNotFound or AmbiguousApp, NotPossible for too many, or what keeps it from being heard.
        """
        identity, app = identify(platform, name)
        self._forget_lost(mailbox)
        with self._lock:
            pid = app.app.pid if app else None
            watch = next((one for one in self._watches if one.identity == identity and one.pid == pid), None)
            if watch not in mailbox.watches and len(mailbox.watches) >= MOST_WATCHED:
                raise NotPossible(f"{MOST_WATCHED} apps are watched already", recovery="call ax_unwatch for one first")
            is_new = watch is None
            watch = watch or Watch(self._connect, identity, app)
            mailbox.open_for(watch)
            if mailbox not in watch.readers:
                watch.readers = (*watch.readers, mailbox)
            if is_new:
                self._watches.append(watch)
                watch.start()
        try:
            watch.wait_until_hearing(_HEARING_SECONDS)
        except DeskError:
            self._end(mailbox, watch)
            raise
        return watch

    def unwatch(self, mailbox: Mailbox, name: str) -> tuple[Watch | None, int]:
        """Watch an application no more: which one that was, and how many of its events nobody has read."""
        watch = self._named(mailbox, name)
        return (watch, self._end(mailbox, watch)) if watch else (None, 0)

    def read(self, mailbox: Mailbox, name: str | None, limit: int, seconds: float, turn: Turn) -> Drained:
        """The events that nobody has read yet; where there are none, the next within so many seconds.

        Raises NotFound for an application that is not watched, or what has ended a watch, once.
        """
        deadline = time.monotonic() + seconds
        with mailbox.bell() as bell:
            while True:
                bell.hush()
                watches = mailbox.watches if name is None else [self._watched(mailbox, name)]
                drained = mailbox.drain(watches, limit)
                left = deadline - time.monotonic()
                if drained.events or drained.dropped or not watches:
                    return drained
                self._report_lost(mailbox, watches)
                if left <= 0 or turn.is_hurried:
                    return drained
                turn.wait([bell], left)

    def leave(self, mailbox: Mailbox) -> None:
        """A client has gone: what it alone has watched is watched no more."""
        for watch in mailbox.close():
            self._end(mailbox, watch)

    def close(self) -> None:
        """End every watch."""
        with self._lock:
            watches, self._watches = self._watches, []
        for watch in watches:
            watch.stop()
        for watch in watches:
            watch.join(_ENDING_SECONDS)

    # ------------------------------------------------------------ inside

    def _watched(self, mailbox: Mailbox, name: str) -> Watch:
        watch = self._named(mailbox, name)
        if watch is None:
            raise NotFound(f"{name} is not watched", recovery="call ax_watch with its app_name first")
        return watch

    def _named(self, mailbox: Mailbox, name: str) -> Watch | None:
        """The application of a name or process among those that a client watches."""
        watches, word = mailbox.watches, name.strip()
        found = [watch for watch in watches if watch.identity.is_called(name) or str(watch.pid) == word]
        # One that has ended meanwhile is still what was asked for; its number may be another's by now.
        found = found or [watch for watch in watches if word in map(str, tuple(watch.pids))]
        if len(found) > 1:
            listed = ", ".join(f"{watch.identity.name} (pid {watch.pid})" for watch in found)
            raise AmbiguousApp(f"{name!r} means several watched apps: {listed}")
        return found[0] if found else None

    def _report_lost(self, mailbox: Mailbox, watches: list[Watch]) -> None:
        for watch in watches:
            if watch.lost is not None:
                self._end(mailbox, watch)
                raise watch.lost

    def _forget_lost(self, mailbox: Mailbox) -> None:
        for watch in mailbox.watches:
            if watch.lost is not None:
                self._end(mailbox, watch)

    def _end(self, mailbox: Mailbox, watch: Watch) -> int:
        """A client watches no more; the last one ends the watch."""
        with self._lock:
            unread = mailbox.close_for(watch)
            watch.readers = tuple(one for one in watch.readers if one is not mailbox)
            is_over = not watch.readers
            if is_over and watch in self._watches:
                self._watches.remove(watch)
        if is_over:
            watch.stop()
            watch.join(_ENDING_SECONDS)
        return unread
