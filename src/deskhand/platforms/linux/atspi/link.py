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

_OPENING_SECONDS: Final = 0.3
# An app that has said nothing since it let a question lie gets this long for the next, not the whole budget again.
_GRACE_SECONDS: Final = 0.2
_LEFT_OPEN: Final = 6


class Link:
    """One application, asked straight (peer to peer) where it allows that, else through the bus."""

    def __init__(self, connection: Connection, destination: str) -> None:
        self._connection = connection
        self._destination = destination

    @property
    def is_silent(self) -> bool:
        """Whether the application has answered nothing since it let a question lie."""
        return self._connection.is_silent(self._destination)

    @property
    def address(self) -> str:
        """Where the application listens, "" where it is asked through the bus."""
        return "" if self._destination else self._connection.address

    def close(self) -> None:
        if not self._destination:
            self._connection.close()

    def ask(self, questions: Iterable[Question], deadline: float) -> list[Any]:
        """The answers in order; BusError or Unanswered stands where there is none.

        Raises ConnectionLost where the application has gone.
        """
        destination = self._destination
        timeout = max(0.0, deadline - time.monotonic())
        if self.is_silent:
            timeout = min(timeout, _GRACE_SECONDS)
        return self._connection.batch([Call(destination, *question) for question in questions], timeout=timeout)


class Links:
    """The ways to all applications. `bus` is the connection to the bus itself."""

    def __init__(self, bus: Callable[[], Connection]) -> None:
        self._bus = bus
        self._links: dict[str, Link] = {}
        self._used: dict[str, deque[Link]] = {}

    def to(self, application: Application) -> Link:
        """The way to an application: straight where it allows that."""
        name = application.bus_name
        if name in self._links:
            return self._links[name]
        through_bus = Link(self._bus(), name)
        if through_bus.is_silent:
            return through_bus  # it hangs: asking for the straight way would only take more time
        address = ""
        if application.collects:  # only atk-bridge has sockets of its own, and it always collects
            question = Call(name, names.ROOT_PATH, names.APPLICATION, "GetApplicationBusAddress")
            try:
                address = self._bus().call(question, timeout=_OPENING_SECONDS)
            except Unanswered:
                return through_bus
            except BusError:
                pass
        self._links[name] = (_straight(address) if address else None) or through_bus
        return self._links[name]

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
        own = _straight(link.address)
        if own is not None:
            used = self._used.setdefault(application.bus_name, deque())
            used.append(own)
            if len(used) > _LEFT_OPEN:
                used.popleft().close()
        yield own

    def drop(self, bus_name: str) -> None:
        """Forget the ways to an application: it has gone, or they are closed."""
        links = [self._links.pop(bus_name, None), *self._used.pop(bus_name, ())]
        for link in links:
            if link is not None:
                link.close()

    def drop_all(self) -> None:
        """Forget every way."""
        for name in {*self._links, *self._used}:
            self.drop(name)


def _straight(address: str) -> Link | None:
    try:
        return Link(Connection(address, peer=True, timeout=_OPENING_SECONDS), "")
    except ConnectionLost:
        return None


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
