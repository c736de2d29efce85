"""Two applications, and an agent that may act on them as fast as it likes."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle

from deskhand.model.geometry import Rect
from tests.support.applications import Application
from tests.support.client import Client, Reply


@dataclass
class World:
    """Two applications and an agent that may act on them as fast as it likes."""

    client: Client
    form: Application
    editor: Application
    session_id: str
    steps: Iterator[int] = field(default_factory=lambda: cycle(range(10, 390, 20)))

    @property
    def app(self) -> dict[str, str]:
        return {"app_name": str(self.form.pid)}

    def target(self, title: str) -> dict[str, str]:
        return self.app | {"title": title}

    def said(self) -> str:
        """What has happened to the form's pad and button last."""
        return self.form.find("label", "said").title.rpartition(" ")[2]

    def value(self, title: str) -> str | None:
        return self.form.find(title=title).value

    def place(self, title: str) -> Rect:
        bounds = self.form.find(title=title).bounds
        assert bounds is not None
        return bounds

    def pad(self) -> dict[str, int]:
        """A point of the form's pad, which is in front then; another each time, so that two clicks are not a double."""
        self.form.activate()
        place = self.place("Pad")
        return {"x": place.x + next(self.steps), "y": place.y + 9}


def rows(reply: Reply, name: str) -> list[dict[str, str]]:
    """A table of a reply."""
    head = re.search(rf"^{name}\[\d+\]\{{(.*)\}}:$", reply, re.MULTILINE)
    assert head is not None, reply
    columns, found = head[1].split(","), []
    for line in reply[head.end() :].splitlines()[1:]:
        if not line.startswith("  "):
            break
        (cells,) = csv.reader([line.strip()])
        found.append(dict(zip(columns, cells, strict=True)))
    return found
