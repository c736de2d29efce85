"""What a running server holds: memory, files, threads, processes, X resources, connections to the buses."""

import contextlib
import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import xcffib.res

from deskhand.platforms.linux.dbus import BusError, Call, Connection
from deskhand.platforms.x11.connection import XServer

_BUS = "org.freedesktop.DBus"
_OF_EVERYBODY = ("bus_names", "match_rules", "registered_events")
"""The applications and the registry have some of their own, which come and go."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """What a server and the desktop hold at a moment. `memory` is resident MiB of the server alone."""

    memory: float
    files: int
    threads: int
    processes: int
    x_clients: int
    x_resources: int
    bus_names: int
    """Connections to the accessibility bus, of everybody."""
    match_rules: int
    """Rules that the accessibility bus keeps, for everybody; 0 where it does not tell."""
    registered_events: int
    """Kinds of events that the registry asks applications for."""

    def more_than(self, before: "Holdings") -> list[str]:
        """What has become more, but for memory; of what is counted for everybody, by more than two."""
        names = [one.name for one in fields(self) if one.name != "memory"]
        grown = [(name, getattr(before, name), getattr(self, name)) for name in names]
        return [f"{name}: {old} -> {new}" for name, old, new in grown if new > old + 2 * (name in _OF_EVERYBODY)]


class Auditor:
    """Counts what a server holds, over connections of its own."""

    def __init__(self, pid: int, environment: dict[str, str]) -> None:
        self._pid = pid
        self._server = XServer(environment)
        self._resources: Any = self._server.extension(xcffib.res)
        self._bus = Connection(self._server.text(self._server.root, "AT_SPI_BUS"))

    def close(self) -> None:
        self._bus.close()
        self._server.close()

    def count(self) -> Holdings:
        process = Path("/proc") / str(self._pid)
        x_clients = self._x_clients()
        return Holdings(
            memory=int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20,
            files=len(list((process / "fd").iterdir())),
            threads=len(list((process / "task").iterdir())),
            processes=_children_of(self._pid),
            x_clients=len(x_clients),
            x_resources=sum(map(self._resources_of, x_clients)),
            bus_names=sum(name.startswith(":") for name in self._ask("ListNames")),
            match_rules=self._match_rules(),
            registered_events=self._registered_events(),
        )

    def _x_clients(self) -> list[int]:
        """The resource bases of the server's connections to the X server."""
        mask = xcffib.res.ClientIdMask.LocalClientPID
        everybody = [xcffib.res.ClientIdSpec.synthetic(0, mask)]
        told = self._resources.QueryClientIds(len(everybody), everybody).reply().ids
        return [one.spec.client for one in told if len(one.value) and one.value[0] == self._pid]

    def _resources_of(self, client: int) -> int:
        try:
            return sum(kind.count for kind in self._resources.QueryClientResources(client).reply().types)
        except xcffib.Error:  # it has gone in between
            return 0

    def _ask(self, member: str) -> Any:
        return self._bus.call(Call(_BUS, "/org/freedesktop/DBus", _BUS, member))

    def _match_rules(self) -> int:
        with contextlib.suppress(BusError):
            told = self._bus.call(Call(_BUS, "/org/freedesktop/DBus", f"{_BUS}.Debug.Stats", "GetStats"))
            return int(told.get("MatchRules", 0))
        return 0

    def _registered_events(self) -> int:
        registry = "org.a11y.atspi.Registry"
        return len(self._bus.call(Call(registry, "/org/a11y/atspi/registry", registry, "GetRegisteredEvents")))


def _children_of(pid: int) -> int:
    tasks = Path("/proc") / str(pid) / "task"
    found = 0
    for task in tasks.iterdir():
        with contextlib.suppress(OSError):
            found += len((task / "children").read_text().split())
    return found
