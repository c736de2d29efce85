"""Reading an application of atk-bridge (GTK 3, Chromium, Firefox, LibreOffice): it finds its elements itself."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from deskhand.model.element import State
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.application import Question
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.nodes import AT_THE_TOP, Extents, Node, Reading, details_of, roles, take_details
from deskhand.platforms.linux.dbus import write_body

_ANY, _ALL = 2, 1
_CANONICAL: Final = 1
_ROLE_WORDS: Final = 4
_BOXES: Final = roles("panel", "filler", "scroll pane", "viewport", "layered pane", "root pane", "tool bar")
_MATCH_RULE: Final = "(aiia{ss}iaiiasib)uib"


def matches(states: State, of_roles: Sequence[int] = ()) -> Question:
    """The question for all elements with all these states and any of these roles, in document order."""
    return matches_below(names.ROOT_PATH, states, of_roles)


def matches_below(path: str, states: State, of_roles: Sequence[int] = ()) -> Question:
    """The same question of what is below one element."""
    return (path, names.COLLECTION, "GetMatches", _MATCH_RULE, _match_rule(states, of_roles))


def paths_in(answer: Any) -> list[str] | None:
    """The elements in an answer to `matches`; None where there was none."""
    if not isinstance(answer, list):
        return None
    return [path for _, path in answer if path != names.NULL_PATH]


def read_matches(asker: Asker, states: State, of_roles: Sequence[int] = (), *, extents: bool = True) -> Reading:
    """One question for all elements with these states and roles, then their details."""
    reading = Reading()
    answer = asker.ask_one(matches(states, of_roles))
    reading.note([answer])
    paths = paths_in(answer)
    if paths is None:
        return reading
    reading.total = len(paths)
    paths = paths[: asker.budget.nodes]
    answers = asker.ask(details_of(paths, extents=extents))
    reading.note(answers)
    reading.nodes = take_details(paths, answers, extents=extents)
    _join(reading.nodes)
    return reading


def _match_rule(states: State, of_roles: Sequence[int]) -> bytes:
    state_words = [states & 0xFFFFFFFF, states >> 32]
    role_words = [0] * _ROLE_WORDS
    for role in of_roles:
        if role < 32 * _ROLE_WORDS:  # newer roles cannot be asked for
            role_words[role // 32] |= 1 << role % 32
    rule: tuple[Any, ...] = (
        [_signed(word) for word in state_words],
        _ALL,
        {},
        _ALL,
        [_signed(word) for word in role_words] if of_roles else [],
        _ANY if of_roles else _ALL,
        [],
        _ALL,
        False,
    )
    return write_body(_MATCH_RULE, (rule, _CANONICAL, 0, True))


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def _join(nodes: Sequence[Node]) -> None:
    """Make one tree of what was found.

    Between two elements that show there can be one that does not (Chromium's closed lists), or that the application
    names differently from below (LibreOffice, whose parts are told by two toolkits; a menu of GTK 3 that has opened
    somewhere else). What names a parent that was not found is put below the element before it that lies around it.
    """
    known: dict[str, Node] = {}
    stands_for: dict[str, Node] = {}
    before: Node | None = None
    for node in nodes:
        parent = known.get(node.parent)
        if parent is None and node.parent not in AT_THE_TOP and before is not None:
            parent = stands_for.setdefault(node.parent, _around(node, before, known))
            node.parent = parent.path
            node.is_adopted = True
        node.depth = parent.depth + 1 if parent else 0
        known[node.path] = before = node


def _around(node: Node, before: Node, known: dict[str, Node]) -> Node:
    """The innermost element around a node, of the one before it and what that is in."""
    last = before
    for candidate in _with_parents(before, known):
        if node.extents and candidate.extents and _lies_in(node.extents, candidate):
            return candidate
        last = candidate
    return last


def _with_parents(node: Node | None, known: dict[str, Node]) -> Iterator[Node]:
    while node is not None:
        yield node
        node = known.get(node.parent)


def _lies_in(inner: Extents, outer: Node) -> bool:
    """Whether one lies in the other, or is the same box told by two toolkits: equally large, somewhere else."""
    assert outer.extents is not None
    x, y, width, height = outer.extents
    if inner[2:] == (width, height) and outer.role in _BOXES:
        return True
    return x <= inner[0] and y <= inner[1] and inner[0] + inner[2] <= x + width and inner[1] + inner[3] <= y + height
