"""LibreOffice inside GTK: it draws most of its interface itself, and counts places from below GTK's menu bar."""

from collections.abc import Sequence
from typing import Final

from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.nodes import Node, Reading

_ROOT_PANE: Final = names.NUMBER["root pane"]


def find_parts_that_draw_themselves(asker: Asker, nodes: Sequence[Node], reading: Reading) -> None:
    """Mark what LibreOffice draws. `nodes` are in document order.

    Its root pane and all below is its own; but in its toolbars are widgets of GTK, which say so.
    """
    if asker.application.toolkit != "gtk" or not any(node.role == _ROOT_PANE for node in nodes):
        return
    by_path = {node.path: node for node in nodes}
    frames = [by_path[node.parent] for node in nodes if _is_root_pane(node) and node.parent in by_path]
    doubtful = [node for node in nodes if node.is_adopted or _is_root_pane(by_path.get(node.parent))] + frames
    answers = asker.ask((node.path, names.ACCESSIBLE, "GetAttributes", "", ()) for node in doubtful)
    reading.note(answers)
    natives = {
        node.path
        for node, attributes in zip(doubtful, answers, strict=True)
        if isinstance(attributes, dict) and attributes.get("toolkit") == "gtk"
    }
    for frame in frames:
        if frame.path not in natives:
            frame.extents = None  # what LibreOffice takes for its window is smaller than the window
    for node in nodes:
        around = by_path.get(node.parent)
        inherited = around is not None and around.draws_itself
        node.draws_itself = node.path not in natives and (inherited or _is_root_pane(node))


def _is_root_pane(node: Node | None) -> bool:
    return node is not None and node.role == _ROOT_PANE
