"""Where calls run: acts one at a time, in order of arrival; looks beside them, so that none waits for a hanging app."""

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, TypeVar

from deskhand.desk import Desk
from deskhand.model.errors import Cancelled
from deskhand.surfaces.surface import Call
from deskhand.tools import Effect

T = TypeVar("T")
ACTS: Final = "acts"
_IDLE_SECONDS: Final = 20.0
_MOST_LANES: Final = 32
_SHARED_LANES: Final = 4

_Work = Callable[[], None]


class Lanes:
    """Named threads, each doing its work in order. One that has nothing to do for 20 s ends; the next call starts it."""

    def __init__(self, at_end: Callable[[], None], may_end: Callable[[], bool] = lambda: True) -> None:
        """`at_end` is called in each lane's thread when it ends, to close what the thread has opened.

        `may_end` is asked there before one ends that has nothing to do.
        """
        self._at_end = at_end
        self._may_end = may_end
        self._lanes: dict[str, queue.SimpleQueue[_Work | None]] = {}
        self._threads: set[threading.Thread] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._here = threading.local()

    def submit(self, lane: str | None, work: Callable[[], T]) -> Future[T]:
        """Do this in a lane, after all that was given to it before; without a lane, in a thread of its own.

        What is cancelled before its turn is not done. Raises Cancelled where the lanes have been closed.
        """
        done: Future[T] = Future()

        def run() -> None:
            if not done.set_running_or_notify_cancel():
                return
            try:
                done.set_result(work())
            except BaseException as error:  # noqa: BLE001 - whoever waits for the result gets it
                done.set_exception(error)

        with self._lock:
            if self._closed:
                raise Cancelled("the server is ending")
            if lane is None:
                self._start("alone", run)
            else:
                self._queue_of(lane).put(run)
        return done

    def step_aside(self) -> None:
        """Let what waits in this thread's lane go on, in another thread: the work in this one only waits from now on."""
        lane: str | None = getattr(self._here, "lane", None)
        if lane is not None:
            self._here.lane = None
            with self._lock:
                self._start(lane, lambda: self._work_through(lane))

    def close(self, seconds: float) -> None:
        """End every lane when it has done its work; wait for that so long at most."""
        with self._lock:
            self._closed = True
            for waiting in self._lanes.values():
                waiting.put(None)
            threads = list(self._threads)
        deadline = time.monotonic() + seconds
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _queue_of(self, lane: str) -> "queue.SimpleQueue[_Work | None]":
        """A lane's queue; its thread is started if need be. With very many lanes, looks share a few."""
        if lane not in self._lanes and len(self._lanes) >= _MOST_LANES and lane != ACTS:
            lane = f"shared {hash(lane) % _SHARED_LANES}"
        if lane not in self._lanes:
            self._lanes[lane] = queue.SimpleQueue()
            self._start(lane, lambda: self._work_through(lane))
        return self._lanes[lane]

    def _start(self, name: str, work: Callable[[], None]) -> None:
        def run() -> None:
            try:
                work()
            finally:
                with self._lock:
                    self._threads.discard(threading.current_thread())
                self._at_end()

        thread = threading.Thread(target=run, name=f"lane {name}", daemon=True)
        self._threads.add(thread)
        thread.start()

    def _work_through(self, lane: str) -> None:
        waiting = self._lanes[lane]
        self._here.lane = lane
        while self._here.lane is not None:
            try:
                work = waiting.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                if not self._may_end():
                    continue
                with self._lock:
                    if waiting.empty():
                        del self._lanes[lane]
                        return
                continue
            if work is None:
                return
            work()


def lane_of(desk: Desk, call: Call) -> str | None:
    """Which lane a call runs in.

    A look into an application shares one with the other looks into it: they would wait for each other anyhow. What may
    wait for other callers runs alone.
    """
    if call.tool.waits:
        return None
    if call.tool.effect is Effect.ACTS or call.tool.after_acts:
        return ACTS
    handle = call.told.get("handle_id")
    if isinstance(handle, str):
        return f"app of {desk.refs.app_of(handle)}"
    app = call.told.get("app_name")
    return f"app {app.casefold()}" if isinstance(app, str) else f"tool {call.tool.name}"
