"""The shortest way to each application."""

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from deskhand.model.element import Budget
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.application import Application, Question
from deskhand.platforms.linux.dbus import BusError, Call, Connection, ConnectionLost, Unanswered
from deskhand.platforms.linux.patience import Patience

_OPENING_SECONDS: Final = 0.3
_LEFT_OPEN: Final = 6
_GONE: Final = frozenset(
    f"org.freedesktop.DBus.Error.{name}" for name in ("ServiceUnknown", "NameHasNoOwner", "NoReply")
)
"""What the bus answers for an application that is not there any more, the last where it went in between."""
_UNASKED: Final = Unanswered("it hangs")


class Link:
    """One application, asked straight (peer to peer) where it allows that, else through the bus."""

    def __init__(self, connection: Connection, destination: str, pid: int, patience: Patience) -> None:
        self._connection = connection
        self._destination = destination
        self._pid = pid
        self._patience = patience
        self._has_let_lie = False

    @property
    def is_silent(self) -> bool:
        """Whether the application has answered nothing since it let a question lie."""
        is_silent = self._connection.is_silent(self._destination)
        if self._has_let_lie and not is_silent:  # a late answer has come
            self._has_let_lie = False
            self._patience.answered(self._pid)
        return is_silent

    @property
    def address(self) -> str:
        """Where the application listens, "" where it is asked through the bus."""
        return "" if self._destination else self._connection.address

    def close(self) -> None:
        if not self._destination:
            self._connection.close()

    def ask(self, questions: Iterable[Question], deadline: float) -> list[Any]:
        """The answers in order; BusError or Unanswered stands where there is none.

        An application that hangs is waited for as long as the patience with it lasts. Raises ConnectionLost where it
        has gone.
        """
        calls = [Call(self._destination, *question) for question in questions]
        if self.is_silent and self._patience.is_spent(self._pid):
            # Its late answer is what tells that it goes on; more questions would only pile up.
            return [_UNASKED] * len(calls)
        answers = self._connection.batch(
            calls, timeout=max(0.0, deadline - time.monotonic()), silence=self._patience.left(self._pid)
        )
        if self._destination and any(_says_it_has_gone(answer) for answer in answers):
            raise ConnectionLost("the bus says that it has gone")
        if not all(isinstance(answer, Unanswered) for answer in answers):
            self._patience.answered(self._pid)
        if self._connection.silence:
            self._has_let_lie = True
            self._patience.waited(self._pid, self._connection.silence)
        return answers


class Links:
    """The ways to all applications. `bus` is the connection to the bus itself."""

    def __init__(self, bus: Callable[[], Connection], patience: Patience) -> None:
        self._bus = bus
        self._patience = patience
        self._links: dict[str, Link] = {}
        self._through_bus: dict[str, Link] = {}
        self._used: dict[str, deque[Link]] = {}

    def to(self, application: Application) -> Link:
        """The way to an application: straight where it allows that."""
        name = application.bus_name
        if name in self._links:
            return self._links[name]
        if name not in self._through_bus:
            self._through_bus[name] = Link(self._bus(), name, application.pid, self._patience)
        through_bus = self._through_bus[name]
        if through_bus.is_silent:
            return through_bus  # it hangs: asking for the straight way would only take more time
        address = ""
        if application.collects:  # only atk-bridge has sockets of its own, and it always collects
            question = (names.ROOT_PATH, names.APPLICATION, "GetApplicationBusAddress", "", ())
            answer = through_bus.ask([question], time.monotonic() + _OPENING_SECONDS)[0]
            if isinstance(answer, Unanswered):
                return through_bus
            address = answer if isinstance(answer, str) else ""
        self._links[name] = (self._straight(address, application) if address else None) or through_bus
        return self._links[name]

    def _straight(self, address: str, application: Application) -> Link | None:
        pid, start = application.pid, time.monotonic()
        try:
            timeout = min(_OPENING_SECONDS, self._patience.left(pid))
            return Link(Connection(address, peer=True, timeout=timeout), "", pid, self._patience)
        except ConnectionLost:
            self._patience.waited(pid, time.monotonic() - start)
            return None

    @contextlib.contextmanager
    def apart(self, application: Application) -> Iterator[Link | None]:
        """A way to an application on which nothing else goes; None where it does not open one.

        GTK 3 may run a dialog inside the message that has opened it, also when that is answered already. If anything
        else comes on the same connection before the dialog is closed, even its end, and the user presses a key, then
        GTK 3 hangs for ever: libdbus waits for itself. So what is done to an element goes alone, and its connection is
        left as it is until newer ones have taken its place.
        """
        link = self.to(application)
        if not link.address:
            yield link
            return
        own = self._straight(link.address, application)
        if own is not None:
            used = self._used.setdefault(application.bus_name, deque())
            used.append(own)
            if len(used) > _LEFT_OPEN:
                used.popleft().close()
        yield own

    def drop(self, bus_name: str) -> None:
        """Forget the ways to an application: it has gone, or they are closed."""
        self._through_bus.pop(bus_name, None)
        links = [self._links.pop(bus_name, None), *self._used.pop(bus_name, ())]
        for link in links:
            if link is not None:
                link.close()

    def drop_all(self) -> None:
        """Forget every way."""
        for name in {*self._links, *self._through_bus, *self._used}:
            self.drop(name)


def _says_it_has_gone(answer: Any) -> bool:
    return isinstance(answer, BusError) and answer.name in _GONE


@dataclass(frozen=True, slots=True)
class Asker:
    """An application, the way to it, and the moment by which all must be read."""

    application: Application
    link: Link
    deadline: float
    budget: Budget

    @classmethod
    def start(cls, application: Application, link: Link, budget: Budget) -> "Asker":
        return cls(application, link, time.monotonic() + budget.seconds, budget)

    def ask(self, questions: Iterable[Question]) -> list[Any]:
        """The answers in order; BusError or Unanswered stands where there is none."""
        return self.link.ask(questions, self.deadline)

    def ask_one(self, question: Question) -> Any:
        """The answer, or an Unanswered or BusError in its place."""
        return self.ask([question])[0]
