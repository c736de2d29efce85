"""Reading the visible tree of an application, by the quickest way its toolkit allows.

Three ways, measured in the notes of the project: atk-bridge (GTK 3, Chromium, Firefox, LibreOffice) answers
`Collection.GetMatches`; GTK 4 has a cache to be read whole; Qt has neither and is walked level by level.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from deskhand.model.element import Budget, State
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.link import NAME_PROPERTY, PARENT_PROPERTY, Application, Link, Question
from deskhand.platforms.linux.dbus import BusError, Unanswered, write_body

_SCREEN: Final = write_body("u", (0,))
_NO_STATES: Final = State(0)
_FARTHEST: Final = 1 << 20
_ANY, _ALL = 2, 1
_CANONICAL: Final = 1
_MATCH_RULE: Final = "(aiia{ss}iaiiasib)uib"
_NO_CHILDREN: Final = frozenset({names.NUMBER["menu item"], names.NUMBER["separator"], names.NUMBER["push button"]})


@dataclass(slots=True)
class Node:
    """One element while it is read; extents are the application's own words."""

    path: str
    parent: str = ""
    role: int = 0
    name: str = ""
    states: State = _NO_STATES
    extents: tuple[int, int, int, int] | None = None
    depth: int = 0
    index: int = 0
    child_count: int | None = None
    description: str = ""
    identifier: str = ""
    value: str | None = None

    @property
    def has_area(self) -> bool:
        return self.extents is not None and self.extents[2] > 0 and self.extents[3] > 0


@dataclass(slots=True)
class Reading:
    """What was read of an application, in document order."""

    nodes: list[Node] = field(default_factory=list)
    total: int = 0
    complete: bool = True

    def note(self, answers: Iterable[Any]) -> None:
        """Remember when the application stopped answering."""
        if self.complete and any(isinstance(answer, Unanswered) for answer in answers):
            self.complete = False


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
        return self.link.ask(questions, self.deadline)

    def ask_one(self, question: Question) -> Any:
        """The answer, or an Unanswered or BusError in its place."""
        return self.ask([question])[0]


def read_visible(asker: Asker) -> Reading:
    """Every visible element, without values."""
    if asker.application.collects:
        return _by_matches(asker, match_rule(State.SHOWING))
    if asker.application.toolkit == "GTK":
        reading = read_cache(asker)
        reading.nodes = _in_sight(asker, reading)
        reading.total = len(reading.nodes)
        return reading
    return walk(asker, names.ROOT_PATH)


def read_all(asker: Asker, roles: Sequence[int] = ()) -> Reading:
    """Every element of these roles (of all, where none are named), visible or not: names, roles and states."""
    if asker.application.collects:
        return _by_matches(asker, match_rule(State(0), roles), extents=False)
    has_cache = asker.application.toolkit == "GTK"
    reading = read_cache(asker) if has_cache else walk(asker, names.ROOT_PATH, everything=True)
    if roles:
        reading.nodes = [node for node in reading.nodes if node.role in roles]
        reading.total = len(reading.nodes)
    return reading


def match_rule(states: State, roles: Sequence[int] = ()) -> bytes:
    """The arguments of GetMatches: all elements with all these states and any of these roles, in document order."""
    state_words = [states & 0xFFFFFFFF, states >> 32]
    role_words = [0, 0, 0, 0, 0]
    for role in roles:
        role_words[role // 32] |= 1 << role % 32
    signed_states = [word - (1 << 32) if word >> 31 else word for word in state_words]
    signed_roles = [word - (1 << 32) if word >> 31 else word for word in role_words[:4]]
    rule: tuple[Any, ...] = (
        signed_states,
        _ALL,
        {},
        _ALL,
        signed_roles if roles else [],
        _ANY if roles else _ALL,
        [],
        _ALL,
        False,
    )
    return write_body(_MATCH_RULE, (rule, _CANONICAL, 0, True))


# ---------------------------------------------------------------- one by one


def details_of(paths: Sequence[str], *, extents: bool = True) -> list[Question]:
    """The questions whose answers `take_details` reads."""
    questions: list[Question] = []
    for path in paths:
        questions.append((path, names.PROPERTIES, "Get", "ss", NAME_PROPERTY))
        questions.append((path, names.PROPERTIES, "Get", "ss", PARENT_PROPERTY))
        questions.append((path, names.ACCESSIBLE, "GetRole", "", ()))
        questions.append((path, names.ACCESSIBLE, "GetState", "", ()))
        if extents:
            questions.append((path, names.COMPONENT, "GetExtents", "u", _SCREEN))
    return questions


def take_details(paths: Sequence[str], answers: Sequence[Any], *, extents: bool = True) -> list[Node]:
    """The elements that are still there."""
    width = 5 if extents else 4
    nodes: list[Node] = []
    for index, path in enumerate(paths):
        name, parent, role, states, *rest = answers[index * width : index * width + width]
        if not isinstance(role, int) or not isinstance(states, list):
            continue  # it vanished, or is not an element at all
        node = Node(path, role=role, states=_states(states))
        node.name = name if isinstance(name, str) else ""
        node.parent = parent[1] if isinstance(parent, tuple) else ""
        node.extents = _extents(rest[0]) if rest else None
        nodes.append(node)
    return nodes


def _states(words: Sequence[int]) -> State:
    return State(sum(word << 32 * index for index, word in enumerate(words)))


def _extents(answer: Any) -> tuple[int, int, int, int] | None:
    """A place an element can have: toolkits say (-1, -1, -1, -1) or the smallest integer of what is not there."""
    if isinstance(answer, tuple) and len(answer) == 4:
        x, y, width, height = answer
        if width > 0 and height > 0 and max(abs(x), abs(y), width, height) < _FARTHEST:
            return x, y, width, height
    return None


def read_extents(asker: Asker, nodes: Sequence[Node], reading: Reading) -> None:
    """Where the elements are."""
    answers = asker.ask((node.path, names.COMPONENT, "GetExtents", "u", _SCREEN) for node in nodes)
    reading.note(answers)
    for node, answer in zip(nodes, answers, strict=True):
        node.extents = _extents(answer)


# ---------------------------------------------------------------- the three ways


def _by_matches(asker: Asker, rule: bytes, *, extents: bool = True) -> Reading:
    """atk-bridge: one question for all elements, then their details."""
    reading = Reading()
    found = asker.ask_one((names.ROOT_PATH, names.COLLECTION, "GetMatches", _MATCH_RULE, rule))
    reading.note([found])
    if not isinstance(found, list):
        return reading
    paths = [path for _, path in found if path != names.NULL_PATH]
    reading.total = len(paths)
    paths = paths[: asker.budget.nodes]
    answers = asker.ask(details_of(paths, extents=extents))
    reading.note(answers)
    reading.nodes = take_details(paths, answers, extents=extents)
    _number_depths(reading.nodes)
    return reading


def read_cache(asker: Asker) -> Reading:
    """GTK 4: the whole cache in one question.

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
        present: dict[str, int] = {}
        for node in nodes.values():
            present[node.parent] = present.get(node.parent, 0) + 1
        lacking = [
            path for path, node in nodes.items() if path not in asked and (node.child_count or 0) > present.get(path, 0)
        ]
        if not lacking or len(nodes) >= asker.budget.nodes * 4:
            break
        asked.update(lacking)
        answers = asker.ask((path, names.ACCESSIBLE, "GetChildren", "", ()) for path in lacking)
        reading.note(answers)
        if not reading.complete:
            break
    reading.nodes = _in_document_order(nodes.values(), names.ROOT_PATH)
    reading.total = len(reading.nodes)
    return reading


def _cached_node(item: Sequence[Any]) -> Node:
    (_, path), _, (_, parent), index, child_count, _, name, role, description, states = item
    return Node(
        path,
        parent=parent,
        role=role,
        name=name,
        states=_states(states),
        index=index,
        child_count=child_count,
        description=description,
    )


def walk(asker: Asker, root: str, *, everything: bool = False) -> Reading:
    """Any toolkit: level by level, not below what does not show (unless everything is asked for)."""
    reading = Reading()
    level, seen = [root], {root}
    nodes: list[Node] = []
    while level and len(nodes) < asker.budget.nodes:
        answers = asker.ask((path, names.ACCESSIBLE, "GetChildren", "", ()) for path in level)
        reading.note(answers)
        below: list[tuple[str, str, int]] = []
        for parent, children in zip(level, answers, strict=True):
            if isinstance(children, list):
                for index, (_, path) in enumerate(children):
                    if path != names.NULL_PATH and path not in seen:
                        seen.add(path)
                        below.append((path, parent, index))
        paths = [path for path, _, _ in below]
        places = {path: (parent, index) for path, parent, index in below}
        answers = asker.ask(details_of(paths))
        reading.note(answers)
        found = take_details(paths, answers)
        for node in found:
            node.parent, node.index = places[node.path]
        if not everything:
            found = [node for node in found if node.states & State.SHOWING]
        nodes += found
        level = [node.path for node in found if node.role not in _NO_CHILDREN]
    reading.nodes = _in_document_order(nodes, root)[: asker.budget.nodes]
    reading.total = len(nodes)
    return reading


def children_of(asker: Asker, path: str) -> list[str]:
    """The paths of an element's children."""
    children = asker.ask_one((path, names.ACCESSIBLE, "GetChildren", "", ()))
    if isinstance(children, Unanswered | BusError):
        return []
    return [child for _, child in children if child != names.NULL_PATH]


# ---------------------------------------------------------------- order and visibility


def _number_depths(nodes: Sequence[Node]) -> None:
    depths: dict[str, int] = {}
    for node in nodes:
        node.depth = depths.get(node.parent, -1) + 1
        depths[node.path] = node.depth


def _in_document_order(nodes: Iterable[Node], root: str) -> list[Node]:
    children: dict[str, list[Node]] = {}
    for node in nodes:
        if node.path != root:
            children.setdefault(node.parent, []).append(node)
    for below in children.values():
        below.sort(key=lambda node: node.index)
    ordered: list[Node] = []
    waiting = list(reversed(children.get(root, [])))
    for node in waiting:
        node.depth = 0
    while waiting:
        node = waiting.pop()
        ordered.append(node)
        below = children.pop(node.path, [])
        for child in below:
            child.depth = node.depth + 1
        waiting += reversed(below)
    return ordered


def _in_sight(asker: Asker, reading: Reading) -> list[Node]:
    """GTK 4 says VISIBLE of each widget by itself: hidden is also what lies in a hidden one, or outside the edges.

    Extents cost it 0.1 ms each, so they are asked for level by level: of a list's thousand rows most are out of sight,
    and nothing below those is asked about.
    """
    levels: dict[int, list[Node]] = {}
    for node in reading.nodes:
        levels.setdefault(node.depth, []).append(node)
    sight: dict[str, tuple[int, int, int, int]] = {}
    for depth in sorted(levels):
        candidates = [
            node for node in levels[depth] if node.states & State.VISIBLE and (depth == 0 or node.parent in sight)
        ]
        if not candidates:
            break
        read_extents(asker, candidates, reading)
        for node in candidates:
            box = _unclipped(node, sight.get(node.parent))
            if box is not None:
                sight[node.path] = box
    return [node for node in reading.nodes if node.path in sight]


def _unclipped(node: Node, around: tuple[int, int, int, int] | None) -> tuple[int, int, int, int] | None:
    """Left, top, right and bottom edge of what is in sight of an element inside these edges."""
    if node.extents is None:
        return None
    x, y, width, height = node.extents
    box = (x, y, x + width, y + height)
    if around is not None and node.role not in _POPUP_ROLES:
        box = (max(box[0], around[0]), max(box[1], around[1]), min(box[2], around[2]), min(box[3], around[3]))
    return box if box[0] < box[2] and box[1] < box[3] else None


# These have a window of their own, which their parent's edges do not cut.
_POPUP_ROLES: Final = frozenset(names.NUMBER[word] for word in ("menu", "popup menu", "tool tip", "window", "dialog"))
