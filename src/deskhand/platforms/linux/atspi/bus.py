"""The accessibility bus, and the applications on it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Final

from deskhand.model.errors import DesktopLost, PermissionMissing
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.application import NAME_PROPERTY, TOOLKIT_PROPERTY, VERSION_PROPERTY, Application
from deskhand.platforms.linux.atspi.link import Link, Links
from deskhand.platforms.linux.dbus import BusError, Call, Connection, ConnectionLost, Unanswered
from deskhand.platforms.linux.patience import Patience

_ROOT_QUESTIONS_SECONDS: Final = 0.3


class AccessibilityBus:
    """The applications of a desktop. Not for two threads at once: each opens its own."""

    def __init__(self, address: Callable[[], str], patience: Patience) -> None:
        self._address = address
        self._patience = patience
        self._bus: Connection | None = None
        self._links = Links(lambda: self.connection, patience)
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
        self._links.drop_all()
        if self._bus is not None:
            self._bus.close()
        self._bus = None
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
            self._links.drop(bus_name)
        unknown = [bus_name for bus_name in present if not self._is_known(bus_name)]
        if unknown:
            self._get_to_know(unknown)
        return [self._known[bus_name] for bus_name in present if bus_name in self._known]

    def _is_known(self, bus_name: str) -> bool:
        application = self._known.get(bus_name)
        # One that hung when it was met is asked again as soon as it has caught up.
        return application is not None and (application.answered or self.connection.is_silent(bus_name))

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
        silence = self.connection.silence
        for index, (one, pid) in enumerate(zip(unknown, pids, strict=True)):
            self._links.drop(one)
            if isinstance(pid, int):
                found = answers[4 * index : 4 * index + 4]
                name, toolkit, version, interfaces = found
                answered = not any(isinstance(answer, Unanswered) for answer in found)
                if answered or one in self._known:  # that one was asked again because a late answer has come
                    self._patience.answered(pid)
                if not answered:
                    self._patience.waited(pid, silence)
                self._known[one] = Application(
                    bus_name=one,
                    pid=pid,
                    name=name if isinstance(name, str) else "",
                    toolkit=toolkit if isinstance(toolkit, str) else "",
                    version=version if isinstance(version, str) else "",
                    collects=isinstance(interfaces, list) and names.COLLECTION in interfaces,
                    answered=answered,
                )

    def link(self, application: Application) -> Link:
        """The way to an application."""
        return self._links.to(application)

    def apart(self, application: Application) -> AbstractContextManager[Link | None]:
        """A way to an application for what is done to an element; see `Links.apart`."""
        return self._links.apart(application)

    def drop_link(self, bus_name: str) -> None:
        """Forget the ways to an application that turned out to be closed."""
        self._links.drop(bus_name)
