"""Where calls run: acts one at a time, in order of arrival; looks beside them, so that none waits for a hanging app."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from itertools import count
from typing import Final, TypeVar

from deskhand.desk import Desk
from deskhand.surfaces.surface import Call
from deskhand.tools import Effect

T = TypeVar("T")
ACTS: Final = "acts"
_IDLE_SECONDS: Final = 20.0
_MOST_LANES: Final = 32

_Work = Callable[[], None]


class Lanes:
    """Named threads, each doing its work in order. One that has nothing to do for 20 s ends; the next call starts it."""

    def __init__(self, at_end: Callable[[], None]) -> None:
        """`at_end` is called in each lane's thread when it ends, to close what the thread has opened."""
        self._at_end = at_end
        self._lanes: dict[str, queue.SimpleQueue[_Work | None]] = {}
        self._threads: set[threading.Thread] = set()
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, lane: str, work: Callable[[], T]) -> Future[T]:
        """Do this in a lane, after all that was given to it before."""
        done: Future[T] = Future()

        def run() -> None:
            try:
                done.set_result(work())
            except BaseException as error:  # noqa: BLE001 - whoever waits for the result gets it
                done.set_exception(error)

        with self._lock:
            if self._closed:
                raise RuntimeError("the lanes are closed")
            if lane not in self._lanes and len(self._lanes) >= _MOST_LANES:
                lane = f"shared {hash(lane) % 4}"
            if lane not in self._lanes:
                self._start(lane)
            self._lanes[lane].put(run)
        return done

    def close(self, seconds: float) -> None:
        """End every lane when it has done its work; wait for that so long at most."""
        with self._lock:
            self._closed = True
            for waiting in self._lanes.values():
                waiting.put(None)
            threads = list(self._threads)
        for thread in threads:
            thread.join(seconds)

    def _start(self, lane: str) -> None:
        self._lanes[lane] = queue.SimpleQueue()
        thread = threading.Thread(target=self._work_through, args=(lane,), name=f"lane {lane}", daemon=True)
        self._threads.add(thread)
        thread.start()

    def _work_through(self, lane: str) -> None:
        waiting = self._lanes[lane]
        try:
            while True:
                try:
                    work = waiting.get(timeout=_IDLE_SECONDS)
                except queue.Empty:
                    with self._lock:
                        if waiting.empty():
                            del self._lanes[lane]
                            return
                    continue
                if work is None:
                    return
                work()
        finally:
            self._at_end()
            with self._lock:
                self._threads.discard(threading.current_thread())


_alone = count(1)


def lane_of(desk: Desk, call: Call) -> str:
    """Which lane a call runs in.

    A look into an application shares one with the other looks into it: they would wait for each other anyhow. What may
    wait for other callers runs alone.
    """
    if call.tool.waits:
        return f"alone {next(_alone)}"
    if call.tool.effect is Effect.ACTS or call.tool.after_acts:
        return ACTS
    handle = call.told.get("handle_id")
    if isinstance(handle, str):
        return f"app of {desk.refs.app_of(handle)}"
    app = call.told.get("app_name")
    return f"app {app.casefold()}" if isinstance(app, str) else f"tool {call.tool.name}"
