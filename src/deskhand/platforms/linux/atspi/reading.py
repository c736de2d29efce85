"""Reading the tree of an application, by the quickest way its toolkit allows.

Three ways, measured in the notes of the project: atk-bridge (GTK 3, Chromium, Firefox, LibreOffice) answers
`Collection.GetMatches`; GTK 4 has a cache to be read whole; Qt has neither and is walked level by level.
"""

from collections.abc import Container, Mapping, Sequence

from deskhand.model.element import State
from deskhand.platforms.linux.atspi import names, walking
from deskhand.platforms.linux.atspi.gtk4 import find_popups, in_sight, read_cache
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.matching import read_matches
from deskhand.platforms.linux.atspi.nodes import AT_THE_TOP, Node, Reading, details_of, take_details
from deskhand.platforms.linux.atspi.walking import children_of, walk


def read_visible(asker: Asker) -> Reading:
    """Every visible element, without values."""
    if asker.application.collects:
        return read_matches(asker, State.SHOWING)
    if asker.application.is_gtk4:
        return in_sight(asker, read_cache(asker))
    return walk(asker, names.ROOT_PATH)


def read_all(asker: Asker, roles: Sequence[int] = ()) -> Reading:
    """Every element of these roles (of all, where none are named), visible or not: names, roles and states."""
    if asker.application.collects:
        return read_matches(asker, State(0), roles, extents=False)
    reading = read_cache(asker) if asker.application.is_gtk4 else walk(asker, names.ROOT_PATH, everything=True)
    if roles:
        nodes = [node for node in reading.nodes if node.role in roles]
        return Reading(nodes, len(nodes), reading.complete)
    return reading


def with_ancestors(asker: Asker, nodes: Sequence[Node]) -> list[Node]:
    """The nodes with all that is above them, and the application's other windows; parents before their children."""
    known = {node.path: node for node in nodes}
    wanted = _unknown_parents(nodes, known)
    while wanted:
        parents = take_details(wanted, asker.ask(details_of(wanted)))
        known |= {node.path: node for node in parents}
        wanted = _unknown_parents(parents, known)
    windows = children_of(asker, names.ROOT_PATH)
    others = [path for path in windows if path not in known]
    known |= {node.path: node for node in take_details(others, asker.ask(details_of(others)))}
    for node in known.values():
        node.depth = _depth(node, known)
    order = {path: index for index, path in enumerate(windows)}
    found = sorted(known.values(), key=lambda node: (node.depth, order.get(node.path, 0)))
    if asker.application.is_gtk4:
        find_popups(found)
    elif not asker.application.collects:
        walking.find_popups(found, walking.boxes_in(found))
    return found


def with_those_around(nodes: Sequence[Node], paths: Container[str]) -> list[Node]:
    """The nodes at these paths and what they are in, in the same order."""
    needed: set[str] = set()
    kept: list[Node] = []
    for node in reversed(nodes):
        if node.path in paths or node.path in needed:
            needed.add(node.parent)
            kept.append(node)
    return kept[::-1]


def _unknown_parents(nodes: Sequence[Node], known: Mapping[str, Node]) -> list[str]:
    return list({node.parent: None for node in nodes if node.parent not in known and node.parent not in AT_THE_TOP})


def _depth(node: Node, known: Mapping[str, Node]) -> int:
    depth = 0
    while (parent := known.get(node.parent)) is not None and depth < len(known):
        node, depth = parent, depth + 1
    return depth
