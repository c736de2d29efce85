"""Waking Firefox: it fetches places, texts and actions of a page from the page's process, once somebody has asked."""

import time
from typing import Final

from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.nodes import Node, Reading, roles
from deskhand.platforms.linux.atspi.reading import read_visible
from deskhand.platforms.linux.atspi.values import read_values

_PAGES: Final = roles("document web", "document frame")
_LONGEST_SECONDS: Final = 0.8
_LOOK_AGAIN_SECONDS: Final = 0.05


class Wakened:
    """The Firefoxes that have been asked once."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def wake(self, asker: Asker) -> None:
        """See to it that what is read next is complete; costs a moment at the first look at a Firefox only."""
        application = asker.application
        if not application.is_firefox or application.bus_name in self._known:
            return
        end = min(asker.deadline, time.monotonic() + _LONGEST_SECONDS)
        before = _look(asker)
        if before:
            self._known.add(application.bus_name)
        while before and time.monotonic() < end:
            time.sleep(_LOOK_AGAIN_SECONDS)
            now = _look(asker)
            if now == before and all(node.extents for node in now if node.role in _PAGES):
                return
            before = now


def _look(asker: Asker) -> list[Node]:
    """What can be seen of the pages, with all that is fetched separately."""
    reading = read_visible(asker)
    if not any(node.role in _PAGES for node in reading.nodes):
        return []
    read_values(asker, reading.nodes, Reading())
    for node in reading.nodes:
        if node.role in _PAGES:
            asker.ask(
                [
                    (node.path, names.ACTION, "GetActions", "", ()),
                    (node.path, names.ACCESSIBLE, "GetAttributes", "", ()),
                ]
            )
    return reading.nodes
