"""Which element has the keyboard."""

from collections.abc import Sequence
from typing import Final

from deskhand.model.element import State
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.gtk4 import read_cache
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.matching import matches, paths_in
from deskhand.platforms.linux.atspi.nodes import Node, Reading, details_of, roles, states_of, take_details
from deskhand.platforms.linux.atspi.reading import with_ancestors
from deskhand.platforms.linux.atspi.walking import paths_of

_TAB: Final = names.NUMBER["page tab"]
_BOXES: Final = roles("filler", "panel", "viewport", "scroll pane", "layered pane", "menu bar", "page tab list")


def read_focused(asker: Asker) -> Reading:
    """The element that has the keyboard as the only node; no node where the application names none."""
    reading = Reading()
    if asker.application.collects:
        reading.nodes = _collected(asker, reading)
    elif asker.application.is_gtk4:
        reading = read_cache(asker)
    else:
        reading.nodes = _walked(asker, reading)
    by_path = {node.path: node for node in reading.nodes}
    focused = [node for node in reading.nodes if node.states & State.FOCUSED]
    in_front = [node for node in focused if _window_of(node, by_path).states & State.ACTIVE] or focused
    reading.nodes = ([node for node in in_front if node.role not in _BOXES] or in_front)[-1:]
    return reading


def _window_of(node: Node, by_path: dict[str, Node]) -> Node:
    while node.parent in by_path:
        node = by_path[node.parent]
    return node


def _collected(asker: Asker, reading: Reading) -> list[Node]:
    """Several say so at times: Chromium's page in every window it has ready, a page and the field in it."""
    answer = asker.ask_one(matches(State.FOCUSED))
    reading.note([answer])
    paths = paths_in(answer) or []
    nodes = take_details(paths, asker.ask(details_of(paths)))
    return with_ancestors(asker, nodes) if len(nodes) > 1 else nodes


def _walked(asker: Asker, reading: Reading) -> list[Node]:
    """Below what shows, by states alone: places and names cost more, and are not needed here."""
    level = [names.ROOT_PATH]
    seen = set(level)
    focused: dict[str, str] = {}
    while level:
        answers = asker.ask((path, names.ACCESSIBLE, "GetChildren", "", ()) for path in level)
        reading.note(answers)
        parents = {
            path: parent
            for parent, answer in zip(level, answers, strict=True)
            for path in paths_of(answer)
            if path not in seen
        }
        seen.update(parents)
        states = _states(asker, list(parents), reading)
        active = [path for path in parents if states[path] & State.ACTIVE]
        focused |= {path: parent for path, parent in parents.items() if states[path] & State.FOCUSED}
        showing = [path for path in parents if states[path] & State.SHOWING]
        level = active if level == [names.ROOT_PATH] and active else showing
    nodes = take_details(list(focused), asker.ask(details_of(list(focused))))
    # Qt says it also of the current tab of each row of tabs.
    return [node for node in nodes if node.role != _TAB or focused[node.path] in focused]


def _states(asker: Asker, paths: Sequence[str], reading: Reading) -> dict[str, State]:
    answers = asker.ask((path, names.ACCESSIBLE, "GetState", "", ()) for path in paths)
    reading.note(answers)
    return {
        path: states_of(answer) if isinstance(answer, list) else State(0)
        for path, answer in zip(paths, answers, strict=True)
    }
