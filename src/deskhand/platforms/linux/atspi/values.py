"""What an element holds: the text of a field, the number of a slider, whether a box is checked."""

from collections.abc import Sequence
from typing import Any, Final

from deskhand.model.element import HIDDEN_VALUE, State
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.link import NAME_PROPERTY, Question
from deskhand.platforms.linux.atspi.reading import Asker, Node, Reading
from deskhand.platforms.linux.dbus import write_body

TEXT_LIMIT: Final = 400
"""Characters of a text that a tree shows; the whole is read from the element itself."""


def _numbers(*words: str) -> frozenset[int]:
    return frozenset(names.NUMBER[word] for word in words)


PASSWORD: Final = names.NUMBER["password text"]
COMBO_BOX: Final = names.NUMBER["combo box"]
TEXTS: Final = _numbers("text", "entry", "terminal", "autocomplete", "editbar")
# These are named by what they hold in most toolkits; where they are not, their text is asked for.
UNNAMED_TEXTS: Final = _numbers("paragraph", "heading", "label", "static", "list item", "link", "table cell", "caption")
NUMBERS: Final = _numbers("slider", "spin button", "progress bar", "scroll bar", "dial", "level bar", "rating")
CHECKABLE: Final = _numbers("check box", "check menu item", "radio button", "radio menu item", "switch")

_CURRENT_VALUE: Final = write_body("ss", (names.VALUE, "CurrentValue"))
_CHARACTER_COUNT: Final = write_body("ss", (names.TEXT, "CharacterCount"))
_START_OF_TEXT: Final = write_body("ii", (0, TEXT_LIMIT))
_FIRST: Final = write_body("i", (0,))


def read_values(asker: Asker, nodes: Sequence[Node], reading: Reading) -> None:
    """Put values into nodes; passwords are not asked for."""
    parents = {node.parent for node in nodes}
    wanted: list[tuple[Node, int]] = []
    questions: list[Question] = []
    for node in nodes:
        node.value = _state_value(node)
        if (asked := _questions(node, node.path in parents)) and node.value is None:
            wanted.append((node, len(asked)))
            questions += asked
    answers = asker.ask(questions)
    reading.note(answers)
    at = 0
    combo_boxes: list[Node] = []
    for node, count in wanted:
        node.value = _value(node, answers[at : at + count])
        at += count
        if node.role == COMBO_BOX and not node.value:
            combo_boxes.append(node)
    _read_choices(asker, combo_boxes, reading)


def _state_value(node: Node) -> str | None:
    if node.role == PASSWORD:
        return HIDDEN_VALUE
    if node.role in CHECKABLE or node.states & State.CHECKABLE:
        if node.states & State.INDETERMINATE:
            return "mixed"
        return "checked" if node.states & State.CHECKED else "unchecked"
    if node.role == names.NUMBER["toggle button"]:
        return "pressed" if node.states & (State.PRESSED | State.CHECKED) else "not pressed"
    if node.states & State.EXPANDABLE and node.role != COMBO_BOX:
        return "expanded" if node.states & State.EXPANDED else "collapsed"
    if node.states & State.SELECTED and node.states & State.SELECTABLE:
        return "selected"
    return None


def _questions(node: Node, has_children: bool) -> list[Question]:
    text: list[Question] = [
        (node.path, names.TEXT, "GetText", "ii", _START_OF_TEXT),
        (node.path, names.PROPERTIES, "Get", "ss", _CHARACTER_COUNT),
    ]
    if node.role in NUMBERS:
        return [(node.path, names.PROPERTIES, "Get", "ss", _CURRENT_VALUE)]
    if node.role in TEXTS or (node.states & State.EDITABLE and not has_children):
        return text
    if node.role in UNNAMED_TEXTS and not node.name and not has_children:
        return text
    if node.role == COMBO_BOX:
        return text
    return []


def _value(node: Node, answers: Sequence[Any]) -> str | None:
    first = answers[0]
    if isinstance(first, float):
        return number_text(first)
    if isinstance(first, str):
        count = answers[1] if isinstance(answers[1], int) else len(first)
        return clean_text(first, count)
    return None


def number_text(number: float) -> str:
    """A number as people write it: 5, not 5.0."""
    return f"{number:.6g}"


def clean_text(text: str, length: int) -> str | None:
    """Text as people see it; what a tree does not show of it is counted."""
    # Firefox puts a mark after each astral character, others stand for embedded objects.
    seen = text.replace("\ufeff", "").replace("\ufffc", "")
    if not seen and length:
        return None  # nothing but embedded objects
    return f"{seen}… ({length} characters)" if length > TEXT_LIMIT else seen


def _read_choices(asker: Asker, combo_boxes: Sequence[Node], reading: Reading) -> None:
    """A combo box without text of its own shows its selected child's name."""
    chosen = asker.ask((node.path, names.SELECTION, "GetSelectedChild", "i", _FIRST) for node in combo_boxes)
    reading.note(chosen)
    found = [
        (node, child[1])
        for node, child in zip(combo_boxes, chosen, strict=True)
        if isinstance(child, tuple) and child[1] != names.NULL_PATH
    ]
    titles = asker.ask((path, names.PROPERTIES, "Get", "ss", NAME_PROPERTY) for _, path in found)
    reading.note(titles)
    for (node, _), title in zip(found, titles, strict=True):
        if isinstance(title, str):
            node.value = title
