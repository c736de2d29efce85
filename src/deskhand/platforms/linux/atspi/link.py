"""The connection to the accessibility bus, and the shortest way from it to each application."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from deskhand.model.errors import DesktopLost, PermissionMissing
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.dbus import BusError, Call, Connection, ConnectionLost, Unanswered, write_body

_ROOT_QUESTIONS_SECONDS: Final = 0.3
# An app that let one question lie gets this long for the next, instead of the whole budget again.
_GRACE_SECONDS: Final = 0.05

NAME_PROPERTY: Final = write_body("ss", (names.ACCESSIBLE, "Name"))
PARENT_PROPERTY: Final = write_body("ss", (names.ACCESSIBLE, "Parent"))
TOOLKIT_PROPERTY: Final = write_body("ss", (names.APPLICATION, "ToolkitName"))
VERSION_PROPERTY: Final = write_body("ss", (names.APPLICATION, "Version"))

Question = tuple[str, str, str, str, Sequence[Any] | bytes]
"""(path, interface, member, signature, arguments): a call whose destination the link knows."""


@dataclass(frozen=True, slots=True)
class Application:
    """One application on the accessibility bus. `name` and `toolkit` are empty where it did not answer."""

    bus_name: str
    pid: int
    name: str = ""
    toolkit: str = ""
    version: str = ""
    collects: bool = False
    """Whether it answers Collection.GetMatches."""

    @property
    def answered(self) -> bool:
        return bool(self.name or self.toolkit)


class Link:
    """One application, asked straight (peer to peer) where it allows that, else through the bus."""

    def __init__(self, connection: Connection, destination: str) -> None:
        self._connection = connection
        self._destination = destination

    @property
    def direct(self) -> bool:
        return not self._destination

    def close(self) -> None:
        if self.direct:
            self._connection.close()

    def ask(self, questions: Iterable[Question], deadline: float) -> list[Any]:
        """The answers in order; BusError or Unanswered stands where there is none.

        Raises ConnectionLost where the application has gone.
        """
        destination = self._destination
        timeout = max(0.0, deadline - time.monotonic())
        if self._connection.owes(destination):
            timeout = min(timeout, _GRACE_SECONDS)
        return self._connection.batch([Call(destination, *question) for question in questions], timeout=timeout)

    def ask_one(self, question: Question, deadline: float) -> Any:
        """The one answer; raises BusError or Unanswered in its place."""
        answer = self.ask([question], deadline)[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class AccessibilityBus:
    """The applications of a desktop. Not for two threads at once: each opens its own."""

    def __init__(self, address: Callable[[], str]) -> None:
        self._address = address
        self._bus: Connection | None = None
        self._links: dict[str, Link] = {}
        self._known: dict[str, Application] = {}

    @property
    def connection(self) -> Connection:
        """The bus itself. Raises DesktopLost where there is none."""
        if self._bus is None:
            try:
                self._bus = Connection(self._address())
            except (ConnectionLost, BusError, Unanswered) as error:
                raise DesktopLost(
                    f"the accessibility bus cannot be reached: {error}",
                    recovery="start the desktop's accessibility service (at-spi2-core), then try again",
                ) from None
        return self._bus

    def forget(self) -> None:
        """Drop every connection, so that the next question opens new ones."""
        for link in self._links.values():
            link.close()
        if self._bus is not None:
            self._bus.close()
        self._bus = None
        self._links.clear()
        self._known.clear()

    def applications(self) -> list[Application]:
        """Every application on the bus; one that hangs is listed without its name."""
        try:
            return self._applications()
        except ConnectionLost:
            self.forget()
            try:
                return self._applications()
            except ConnectionLost as error:
                self.forget()
                raise DesktopLost(f"the accessibility bus has gone: {error}") from None

    def application(self, pid: int) -> Application | None:
        """The application of this process: the one with a name, where it registered twice."""
        found = [one for one in self.applications() if one.pid == pid]
        return max(found, key=lambda one: (one.collects, one.answered), default=None)

    def _applications(self) -> list[Application]:
        question = Call(names.REGISTRY, names.ROOT_PATH, names.ACCESSIBLE, "GetChildren")
        try:
            present = [bus_name for bus_name, _ in self.connection.call(question)]
        except Unanswered:
            raise DesktopLost("the accessibility registry does not answer") from None
        except BusError as error:
            raise PermissionMissing(f"the accessibility registry refuses: {error}") from None
        for bus_name in set(self._known) - set(present):
            del self._known[bus_name]
            if (link := self._links.pop(bus_name, None)) is not None:
                link.close()
        unknown = [bus_name for bus_name in present if not self._is_known(bus_name)]
        if unknown:
            self._get_to_know(unknown)
        return [self._known[bus_name] for bus_name in present if bus_name in self._known]

    def _is_known(self, bus_name: str) -> bool:
        application = self._known.get(bus_name)
        # One that hung when it was met is asked again as soon as it has caught up.
        return application is not None and (application.answered or self.connection.owes(bus_name))

    def _get_to_know(self, unknown: Sequence[str]) -> None:
        bus = "org.freedesktop.DBus"
        pids = self.connection.batch(
            [Call(bus, "/org/freedesktop/DBus", bus, "GetConnectionUnixProcessID", "s", (one,)) for one in unknown]
        )
        questions: list[Call] = []
        for one in unknown:
            root = names.ROOT_PATH
            questions.append(Call(one, root, names.PROPERTIES, "Get", "ss", NAME_PROPERTY))
            questions.append(Call(one, root, names.PROPERTIES, "Get", "ss", TOOLKIT_PROPERTY))
            questions.append(Call(one, root, names.PROPERTIES, "Get", "ss", VERSION_PROPERTY))
            questions.append(Call(one, root, names.ACCESSIBLE, "GetInterfaces"))
        answers = self.connection.batch(questions, timeout=_ROOT_QUESTIONS_SECONDS)
        for index, (one, pid) in enumerate(zip(unknown, pids, strict=True)):
            if isinstance(pid, int):
                name, toolkit, version, interfaces = answers[4 * index : 4 * index + 4]
                self._known[one] = Application(
                    bus_name=one,
                    pid=pid,
                    name=name if isinstance(name, str) else "",
                    toolkit=toolkit if isinstance(toolkit, str) else "",
                    version=version if isinstance(version, str) else "",
                    collects=isinstance(interfaces, list) and names.COLLECTION in interfaces,
                )

    def link(self, bus_name: str) -> Link:
        """The way to an application."""
        link = self._links.get(bus_name)
        if link is None:
            link = self._links[bus_name] = self._direct_link(bus_name) or Link(self.connection, bus_name)
        return link

    def drop_link(self, bus_name: str) -> None:
        """Forget a way that turned out to be closed."""
        link = self._links.pop(bus_name, None)
        if link is not None:
            link.close()

    def _direct_link(self, bus_name: str) -> Link | None:
        application = self._known.get(bus_name)
        if application is None or not application.collects:
            return None  # only atk-bridge has peer-to-peer sockets, and it always collects
        question = Call(bus_name, names.ROOT_PATH, names.APPLICATION, "GetApplicationBusAddress")
        try:
            address = self.connection.call(question, timeout=_ROOT_QUESTIONS_SECONDS)
            return Link(Connection(address, peer=True, timeout=_ROOT_QUESTIONS_SECONDS), "") if address else None
        except (BusError, Unanswered, ConnectionLost, OSError):
            return None
