"""One call while it runs: whether its caller still wants it, and who hears how far it is."""

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from deskhand.model.errors import Aborted, Cancelled, DeskError
from deskhand.model.question import Answer, Question


class HasFileno(Protocol):
    """Anything that can be waited for."""

    def fileno(self) -> int: ...


class Pending(Protocol):
    """A question that has been put: something to read at `fileno` tells that there is an answer."""

    def fileno(self) -> int: ...

    @property
    def answer(self) -> Answer | None:
        """What was said; None where the client could not ask after all."""
        ...

    def close(self) -> None:
        """Nobody waits for the answer any more."""
        ...


Ask = Callable[[Question], Pending | None]
"""Puts a question to the client's human; None where the client has no way to ask."""


class Turn:
    """Handed to whatever may take long. `cancel` may come from another thread, everything else from the call's own."""

    def __init__(
        self,
        report: Callable[[str], None] | None = None,
        step_aside: Callable[[], None] | None = None,
        ask: "Ask | None" = None,
    ) -> None:
        self._report = report
        self._step_aside = step_aside
        self._ask = ask
        self._end: DeskError | None = None
        self._lock = threading.Lock()
        self._waker: int | None = None
        self._is_asking = self._asks_nobody = False
        self.is_hurried = False
        """Whether waiting is over: `wait` comes back at once."""

    def cancel(self, why: DeskError | None = None) -> None:
        """Say that the call may not go on, and why; without a reason, nobody wants it any more. A wait ends at once."""
        with self._lock:
            if self._end is None:
                self._end = why or Cancelled("the call was cancelled")
            if self._waker is not None:
                os.eventfd_write(self._waker, 1)

    def hurry(self) -> None:
        """Say that nobody wants to wait any longer: every wait is over as if its time were up."""
        with self._lock:
            self.is_hurried = True
            if self._waker is not None:
                os.eventfd_write(self._waker, 1)

    def end_questions(self) -> None:
        """Say that nobody is left to hear what a human answers: a question that is open, or comes later, is over."""
        with self._lock:
            self._asks_nobody = True
            if self._waker is not None and self._is_asking:
                os.eventfd_write(self._waker, 1)

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """A human is asked while the block runs: a wait in it raises Aborted once nobody is left to hear the answer."""
        with self._lock:
            self._is_asking = True
        try:
            yield
        finally:
            self._is_asking = False

    @property
    def cancelled(self) -> bool:
        return self._end is not None

    def check(self) -> None:
        """Raise Cancelled, or the reason that was given, where the call may not go on; in a question see `asking`."""
        if self._end is not None:
            raise self._end
        if self._is_asking and self._asks_nobody:
            raise Aborted("the client has gone while the user was asked")

    def report(self, message: str) -> None:
        """Tell the caller how far it is."""
        if self._report is not None:
            self._report(message)

    def ask(self, question: Question, seconds: float) -> Answer | None:
        """Have the client ask its human, and wait for the answer; None where the client cannot ask.

        Raises as `check` does, where the call ends meanwhile.
        """
        pending = self._ask(question) if self._ask is not None else None
        if pending is None:
            return None
        try:
            return pending.answer if self.wait([pending], seconds) else Answer.ABORT
        finally:
            pending.close()

    def step_aside(self) -> None:
        """Let the calls behind this one go on: it does nothing more but wait."""
        if self._step_aside is not None:
            self._step_aside()

    def wait(self, sources: Sequence[HasFileno], seconds: float) -> bool:
        """Wait until one of the sources has something to read; False where none had in time. Raises as `check` does."""
        self.check()
        poll = select.poll()
        for source in sources:
            poll.register(source.fileno(), select.POLLIN)
        with self._lock:
            if self._waker is None:
                self._waker = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        poll.register(self._waker, select.POLLIN)
        deadline = time.monotonic() + seconds
        ready = poll.poll(0 if self.is_hurried else max(0.0, deadline - time.monotonic()) * 1000)
        self.check()
        return any(descriptor != self._waker for descriptor, _ in ready)

    def close(self) -> None:
        """Let go of what waiting needed."""
        with self._lock:
            if self._waker is not None:
                os.close(self._waker)
                self._waker = None
