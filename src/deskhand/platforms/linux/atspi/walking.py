"""Reading an application step by step (Qt, and whatever neither collects nor keeps a cache)."""

from collections.abc import Container, Sequence
from typing import Any, Final

from deskhand.model.element import State
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.nodes import (
    Node,
    Reading,
    details_of,
    in_document_order,
    roles,
    take_details,
)
from deskhand.platforms.linux.atspi.sight import Edges, edges_of

_TAB: Final = names.NUMBER["page tab"]
_COMBO_BOX: Final = names.NUMBER["combo box"]
_LISTS: Final = roles("list", "list box", "table", "tree", "tree table")
_CHILDLESS: Final = roles("separator", "scroll bar", "label", "check box", "radio button", "check menu item")
_POPUPS: Final = roles("popup menu", "tool tip", "window", "dialog", "frame")


def walk(asker: Asker, root: str, *, everything: bool = False) -> Reading:
    """All below an element, level by level; not below what is out of sight, unless everything is asked for."""
    reading = Reading()
    level, seen = [root], {root}
    sight: dict[str, Edges | None] = {root: None}
    boxes: set[str] = set()
    nodes: list[Node] = []
    while level and len(nodes) < asker.budget.nodes:
        found = _children(asker, level, seen, reading)
        find_popups(found, boxes)
        boxes |= boxes_in(found)
        if not everything:
            found = [node for node in found if _see(node, sight)]
        nodes += found
        level = [node.path for node in found if node.role not in _CHILDLESS]
    reading.nodes = in_document_order(nodes, root)[: asker.budget.nodes]
    # Whether there is more below what was read last is not known; that there may be is said.
    reading.total = len(nodes) + len(level)
    return reading


def _children(asker: Asker, parents: list[str], seen: set[str], reading: Reading) -> list[Node]:
    """The children of all these elements that were not seen before, with their details."""
    answers = asker.ask((path, names.ACCESSIBLE, "GetChildren", "", ()) for path in parents)
    reading.note(answers)
    places: dict[str, tuple[str, int]] = {}
    for parent, children in zip(parents, answers, strict=True):
        for index, path in enumerate(paths_of(children)):
            if path not in seen:
                seen.add(path)
                places[path] = (parent, index)
    paths = list(places)
    answers = asker.ask(details_of(paths))
    reading.note(answers)
    found = take_details(paths, answers)
    for node in found:
        node.parent, node.index = places[node.path]
    return found


def boxes_in(nodes: Sequence[Node]) -> set[str]:
    """The combo boxes among them, by path."""
    return {node.path for node in nodes if node.role == _COMBO_BOX}


def find_popups(nodes: Sequence[Node], boxes: Container[str]) -> None:
    """Mark what has a window of its own, as an open list of one of these combo boxes has."""
    for node in nodes:
        node.is_popup = node.role in _POPUPS or (node.role in _LISTS and node.parent in boxes)


def _see(node: Node, sight: dict[str, Edges | None]) -> bool:
    """Whether something of a node is in sight; remembers its edges for what is in it.

    Qt says SHOWING also of what is scrolled out of sight.
    """
    if not node.states & State.SHOWING:
        return False
    around = None if node.is_popup else sight.get(node.parent)
    edges = edges_of(node.extents, around)
    sight[node.path] = edges or around
    return edges is not None or node.extents is None


def correct_tabs(nodes: Sequence[Node]) -> None:
    """Qt says of the current tab that it has the keyboard; that is so only where its row of tabs has it too."""
    by_path = {node.path: node for node in nodes}
    for node in nodes:
        row = by_path.get(node.parent)
        if node.role == _TAB and row is not None and node.states & State.FOCUSED:
            node.states |= State.SELECTED | State.SELECTABLE
            if not row.states & State.FOCUSED:
                node.states &= ~State.FOCUSED


def children_of(asker: Asker, path: str) -> list[str]:
    """The paths of an element's children."""
    return paths_of(asker.ask_one((path, names.ACCESSIBLE, "GetChildren", "", ())))


def paths_of(children: Any) -> list[str]:
    """The elements in an answer to GetChildren."""
    return [path for _, path in children if path != names.NULL_PATH] if isinstance(children, list) else []
