"""The elements of an application while they are read, in the application's own words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from deskhand.model.element import State
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.application import NAME_PROPERTY, PARENT_PROPERTY, Question
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.dbus import Unanswered, write_body

_SCREEN: Final = write_body("u", (0,))
_NO_STATES: Final = State(0)
_FARTHEST: Final = 1 << 20

AT_THE_TOP: Final = frozenset({names.ROOT_PATH, names.NULL_PATH, ""})
"""What windows name as their parent."""

Extents = tuple[int, int, int, int]
"""Left, top, width, height."""


def roles(*words: str) -> frozenset[int]:
    """The numbers of the platform's words."""
    return frozenset(names.NUMBER[word] for word in words)


@dataclass(slots=True)
class Node:
    """One element while it is read; extents are the application's own words."""

    path: str
    parent: str = ""
    role: int = 0
    name: str = ""
    states: State = _NO_STATES
    extents: Extents | None = None
    depth: int = 0
    index: int = 0
    child_count: int | None = None
    label: str = ""
    """The name of the label that belongs to it."""
    description: str = ""
    identifier: str = ""
    value: str | None = None
    draws_itself: bool = False
    """Whether this and all below it is a toolkit of its own inside another: LibreOffice's in GTK's windows."""
    is_adopted: bool = False
    """Whether its parent in this tree is not the one it names."""
    is_popup: bool = False
    """Whether it has a window of its own, which its parents' edges do not cut."""


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

    def only(self, nodes: list[Node]) -> "Reading":
        """The same reading with fewer nodes."""
        return Reading(nodes, self.total, self.complete)


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
        node = Node(path, role=role, states=states_of(states))
        node.name = name if isinstance(name, str) else ""
        node.parent = parent[1] if isinstance(parent, tuple) else ""
        node.extents = extents_of(rest[0]) if rest else None
        nodes.append(node)
    return nodes


def read_extents(asker: Asker, nodes: Sequence[Node], reading: Reading) -> None:
    """Where the elements are."""
    answers = asker.ask((node.path, names.COMPONENT, "GetExtents", "u", _SCREEN) for node in nodes)
    reading.note(answers)
    for node, answer in zip(nodes, answers, strict=True):
        node.extents = extents_of(answer)


def states_of(words: Sequence[int]) -> State:
    """The states in the two halves that AT-SPI sends."""
    return State(sum(word << 32 * index for index, word in enumerate(words)))


def extents_of(answer: Any) -> Extents | None:
    """A place an element can have: toolkits say (-1, -1, -1, -1) or the smallest integer of what is not there."""
    if isinstance(answer, tuple) and len(answer) == 4:
        x, y, width, height = answer
        if width > 0 and height > 0 and max(abs(x), abs(y), width, height) < _FARTHEST:
            return x, y, width, height
    return None


def in_document_order(nodes: Iterable[Node], root: str) -> list[Node]:
    """All nodes below a root, each behind its parent, with their depths."""
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
