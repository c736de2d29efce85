"""One client's unread events, of all the applications it watches; it reads them away, or waits for the next."""

import contextlib
import itertools
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from deskhand.desktop.observers.buffer import Buffer
from deskhand.desktop.observers.watch import Watch
from deskhand.model.element import Element
from deskhand.model.errors import Cancelled
from deskhand.model.event import Event, EventKind

_numbers: Final = itertools.count()


@dataclass(frozen=True, slots=True)
class Drained:
    """What was read: the events, how many had gone before, how many are left."""

    events: tuple[Event, ...]
    dropped: int
    left: int


class Bell:
    """What one reader waits at."""

    def __init__(self) -> None:
        self._descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    def fileno(self) -> int:
        return self._descriptor

    def ring(self) -> None:
        os.eventfd_write(self._descriptor, 1)

    def hush(self) -> None:
        """Forget that it was rung."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


@dataclass(slots=True)
class Mailbox:
    """Several threads use it: those that watch put events in, those of calls read them."""

    _buffers: dict[Watch, Buffer] = field(default_factory=dict)
    _bells: set[Bell] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closed: bool = False

    @property
    def watches(self) -> list[Watch]:
        """The applications that are watched."""
        with self._lock:
            return list(self._buffers)

    def open_for(self, watch: Watch) -> None:
        """Keep what a watch tells from now on. Raises Cancelled where the client has gone."""
        with self._lock:
            if self._closed:
                raise Cancelled("the client has gone")
            self._buffers.setdefault(watch, Buffer(lambda: next(_numbers)))

    def close_for(self, watch: Watch) -> int:
        """Keep nothing of a watch any more; how many events are thrown away unread."""
        with self._lock:
            buffer = self._buffers.pop(watch, None)
            self._ring()
            return len(buffer) if buffer is not None else 0

    def close(self) -> list[Watch]:
        """The client goes: nothing is kept any more. What it has watched."""
        with self._lock:
            self._closed = True
            watches = list(self._buffers)
            self._buffers.clear()
            self._ring()
            return watches

    # ------------------------------------------------------------ telling

    def put(self, watch: Watch, event: Event) -> None:
        """Keep an event, and wake who waits."""
        with self._lock:
            buffer = self._buffers.get(watch)
            if buffer is not None:
                buffer.put(event)
                self._ring()

    def complete(self, watch: Watch, kind: EventKind, subject: str, element: Element) -> None:
        """Give an event that waits to be read the element that belongs to it."""
        with self._lock:
            buffer = self._buffers.get(watch)
            if buffer is not None:
                buffer.complete(kind, subject, element)

    def wake(self) -> None:
        """Let those who wait look again."""
        with self._lock:
            self._ring()

    # ------------------------------------------------------------ reading

    def drain(self, watches: Iterable[Watch], limit: int) -> Drained:
        """The oldest events of these watches, which are kept no longer."""
        with self._lock:
            buffers = [self._buffers[watch] for watch in watches if watch in self._buffers]
            events: list[Event] = []
            while len(events) < limit:
                filled = [(first, buffer) for buffer in buffers if (first := buffer.first()) is not None]
                if not filled:
                    break
                events.append(min(filled, key=lambda pair: pair[0])[1].take())
            dropped = sum(buffer.take_dropped() for buffer in buffers)
            return Drained(tuple(events), dropped, sum(map(len, buffers)))

    @contextlib.contextmanager
    def bell(self) -> Iterator[Bell]:
        """A bell that is rung at every event while the block runs."""
        bell = Bell()
        with self._lock:
            self._bells.add(bell)
        try:
            yield bell
        finally:
            with self._lock:
                self._bells.discard(bell)
            bell.close()

    def _ring(self) -> None:
        for bell in self._bells:
            bell.ring()
