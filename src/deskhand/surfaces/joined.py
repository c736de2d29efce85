"""Several surfaces served at once: each answers for its own tools, in its own manners."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deskhand.desk import Desk
from deskhand.guard.seat_file import Holder
from deskhand.model.errors import DeskError
from deskhand.surfaces.surface import Call, Choice, Reply, Surface
from deskhand.tools import AnyTool, Catalogue


class Joined(Surface):
    """Surfaces in the order they were named. Where two have a tool of one name, the first serves it."""

    def __init__(self, members: Sequence[Surface]) -> None:
        self._members = members
        self.name = ",".join(one.name for one in members)
        self.instructions = self._instructions()
        self.tools = Catalogue.of(self._served())

    def choose(self, choice: Choice) -> None:
        """See Surface.choose."""
        for one in self._members:
            one.choose(choice)
        self.instructions = self._instructions()
        self.tools = Catalogue.of(self._served())

    def serving(self, name: str) -> Surface:
        """See Surface.serving; of a name that nobody knows, the first member says so."""
        return next((one for one in self._members if name in one.tools), self._members[0])

    def listing(self) -> list[dict[str, Any]]:
        """See Surface.listing."""
        entries: dict[str, dict[str, Any]] = {}
        for member in self._members:
            for entry in member.listing():
                entries.setdefault(entry["name"], entry)
        return list(entries.values())

    def read(self, name: str, raw: Mapping[str, Any]) -> Call:
        """See Surface.read."""
        return self.serving(name).read(name, raw)

    # A call is answered by the member that serves it: see `serving`.

    def admit(self, desk: Desk, call: Call) -> Holder | None:
        """See Surface.admit."""
        return self.serving(call.tool.name).admit(desk, call)

    def reply(self, desk: Desk, call: Call, result: object) -> Reply:
        """See Surface.reply."""
        return self.serving(call.tool.name).reply(desk, call, result)

    def refuse(self, error: DeskError) -> Reply:
        """See Surface.refuse."""
        return self._members[0].refuse(error)

    def _instructions(self) -> str:
        said: list[str] = []
        taken: set[str] = set()
        for member in self._members:
            said.append(member.instructions_beside(taken.intersection(tool.name for tool in type(member).tools)))
            taken.update(tool.name for tool in member.tools)
        return "\n\n".join(said)

    def _served(self) -> Iterator[AnyTool]:
        known: set[str] = set()
        for member in self._members:
            for tool in member.tools:
                if tool.name not in known:
                    known.add(tool.name)
                    yield tool
