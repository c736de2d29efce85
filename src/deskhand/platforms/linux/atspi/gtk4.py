"""Reading a GTK 4 application (measured with 4.8): its cache is read whole, and says VISIBLE of what nobody sees."""

from collections.abc import Sequence
from typing import Any, Final

from deskhand.model.element import State
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.nodes import Node, Reading, in_document_order, read_extents, roles, states_of
from deskhand.platforms.linux.atspi.sight import Edges, edges_of

_MENUS: Final = roles("menu", "popup menu", "tool tip")
# GTK 4 names a widget that has no name after its type. In every popover is one that holds its contents.
_CONTENT_OF_POPOVER: Final = "GtkPopoverContent"
_TOOLTIP: Final = "GtkTooltipWindow"


def read_cache(asker: Asker) -> Reading:
    """The whole cache in one question: every element, visible or not, without its place.

    A widget enters the cache when somebody first asks its parent for children, so what a node counts and the cache
    lacks is asked for, level by level. After the first look at a window nothing is lacking.
    """
    reading = Reading()
    asked: set[str] = set()
    while True:
        items = asker.ask_one((names.CACHE_PATH, names.CACHE, "GetItems", "", ()))
        reading.note([items])
        if not isinstance(items, list):
            return reading
        nodes = {item[0][1]: _cached_node(item) for item in items}
        lacking = [path for path in _lacking(nodes) if path not in asked]
        if not lacking or len(nodes) >= asker.budget.nodes * 4:
            break
        asked.update(lacking)
        answers = asker.ask((path, names.ACCESSIBLE, "GetChildren", "", ()) for path in lacking)
        reading.note(answers)
        if not reading.complete:
            break
    reading.nodes = in_document_order(nodes.values(), names.ROOT_PATH)
    reading.total = len(reading.nodes)
    find_popups(reading.nodes)
    return reading


def _lacking(nodes: dict[str, Node]) -> list[str]:
    present: dict[str, int] = {}
    for node in nodes.values():
        present[node.parent] = present.get(node.parent, 0) + 1
    return [path for path, node in nodes.items() if (node.child_count or 0) > present.get(path, 0)]


def _cached_node(item: Sequence[Any]) -> Node:
    (_, path), _, (_, parent), index, child_count, _, name, role, description, states = item
    return Node(
        path,
        parent=parent,
        role=role,
        name=name,
        states=states_of(states),
        index=index,
        child_count=child_count,
        description=description,
    )


def find_popups(nodes: Sequence[Node]) -> None:
    """Mark what has a window of its own."""
    popovers = {node.parent for node in nodes if node.name == _CONTENT_OF_POPOVER}
    for node in nodes:
        node.is_popup = node.path in popovers or node.role in _MENUS or node.name == _TOOLTIP


def in_sight(asker: Asker, reading: Reading) -> Reading:
    """Only what can be seen, with its place.

    GTK 4 says VISIBLE of each widget by itself: hidden is also what lies in a hidden one, or outside the edges. Extents
    cost it 0.1 ms each, so they are asked for level by level: of a list's thousand rows most are out of sight, and
    nothing below those is asked about. A stack's page has no place, but what is in it has; a closed popover has none either.
    """
    levels: dict[int, list[Node]] = {}
    for node in reading.nodes:
        levels.setdefault(node.depth, []).append(node)
    edges: dict[str, Edges | None] = {}
    placeless: set[str] = set()
    for depth in sorted(levels):
        candidates = [
            node for node in levels[depth] if node.states & State.VISIBLE and (depth == 0 or node.parent in edges)
        ]
        if not candidates:
            break
        read_extents(asker, candidates, reading)
        for node in candidates:
            around = None if node.is_popup else edges.get(node.parent)
            seen = edges_of(node.extents, around)
            if seen is not None:
                edges[node.path] = seen
            elif node.extents is None and not node.is_popup and node.parent not in placeless:
                edges[node.path] = around
                placeless.add(node.path)
    found = _with_something_in_sight([node for node in reading.nodes if node.path in edges])
    return Reading(found, len(found), reading.complete)


def _with_something_in_sight(nodes: Sequence[Node]) -> list[Node]:
    """The nodes that have a place, and those without one that something with a place is in."""
    needed: set[str] = set()
    kept: list[Node] = []
    for node in reversed(nodes):
        if node.extents is not None or node.path in needed:
            needed.add(node.parent)
            kept.append(node)
    return kept[::-1]
