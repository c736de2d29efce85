"""What an element holds: the text of a field, the number of a slider, whether a box is checked."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from deskhand.model.element import HIDDEN_VALUE, State
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.application import NAME_PROPERTY, Application, Question
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.matching import matches_below, paths_in
from deskhand.platforms.linux.atspi.naming import names_by_choice
from deskhand.platforms.linux.atspi.nodes import Node, Reading, roles
from deskhand.platforms.linux.dbus import Unanswered, write_body

TEXT_LIMIT: Final = 400
"""Characters of a text that a tree shows; the whole is read from the element itself."""

_PASSWORD: Final = names.NUMBER["password text"]
COMBO_BOX: Final = names.NUMBER["combo box"]
_BUTTONS: Final = roles("toggle button", "push button")
_TOGGLE: Final = names.NUMBER["toggle button"]
_TEXTS: Final = roles("text", "entry", "terminal", "autocomplete", "editbar", "combo box")
# These are named by what they hold in most toolkits; where they are not, their text is asked for.
_UNNAMED_TEXTS: Final = roles("paragraph", "heading", "label", "static", "list item", "link", "table cell", "caption")
_NUMBERS: Final = roles("slider", "spin button", "progress bar", "scroll bar", "dial", "level bar", "rating")
_CHECKABLE: Final = roles("check box", "check menu item", "radio button", "radio menu item", "switch")

_CURRENT_VALUE: Final = write_body("ss", (names.VALUE, "CurrentValue"))
_CHARACTER_COUNT: Final = write_body("ss", (names.TEXT, "CharacterCount"))
_GAP: Final = "\ufffc"  # stands in a text for an element
_FIRST: Final = write_body("i", (0,))


def read_values(asker: Asker, nodes: Sequence[Node], reading: Reading) -> None:
    """Put values into nodes; passwords are not asked for."""
    children: dict[str, list[Node]] = {}
    for node in nodes:
        children.setdefault(node.parent, []).append(node)
    measured: list[Node] = []
    texts: list[Node] = []
    for node in nodes:
        node.value = _state_value(node)
        if node.value is None:
            if node.role in _NUMBERS:
                measured.append(node)
            elif _has_text(node, asker.application, has_children=node.path in children or bool(node.child_count)):
                texts.append(node)
    questions = [(node.path, names.PROPERTIES, "Get", "ss", _CURRENT_VALUE) for node in measured]
    questions += [(node.path, names.PROPERTIES, "Get", "ss", _CHARACTER_COUNT) for node in texts]
    answers = asker.ask(questions)
    reading.note(answers)
    for node, number in zip(measured, answers, strict=False):
        node.value = number_text(number) if isinstance(number, float) else None
    _read_texts(asker, texts, answers[len(measured) :], reading)
    for node in texts:
        node.value = _with_gaps_filled(node.value, children.get(node.path, ()))
    _read_choices(asker, [node for node in texts if node.role == COMBO_BOX and not node.value], reading)


def _state_value(node: Node) -> str | None:
    if node.role == _PASSWORD:
        return HIDDEN_VALUE
    if node.role in _CHECKABLE or node.states & State.CHECKABLE:
        if node.states & State.INDETERMINATE:
            return "mixed"
        return "checked" if node.states & State.CHECKED else "unchecked"
    if node.role in _BUTTONS and node.states & (State.PRESSED | State.CHECKED):
        return "pressed"
    if node.role == _TOGGLE:
        return "not pressed"
    if node.states & State.EXPANDABLE and node.role != COMBO_BOX:
        return "expanded" if node.states & State.EXPANDED else "collapsed"
    if node.states & State.SELECTED and node.states & State.SELECTABLE:
        return "selected"
    return None


def _has_text(node: Node, application: Application, *, has_children: bool) -> bool:
    if node.role in _TEXTS:
        return True
    # Only Firefox has no elements for the words between a paragraph's links.
    if has_children and not application.is_firefox:
        return False
    return bool(node.states & State.EDITABLE or (node.role in _UNNAMED_TEXTS and not node.name))


def _with_gaps_filled(text: str | None, children: Sequence[Node]) -> str | None:
    """A text with the names of the elements that stand in it; None where there is nothing else in it."""
    if text is None or _GAP not in text:
        return text
    if text.count(_GAP) == len(children):
        for child in children:
            text = text.replace(_GAP, child.name, 1)
        return text
    return text.replace(_GAP, "") or None


def _read_texts(asker: Asker, texts: Sequence[Node], counts: Sequence[Any], reading: Reading) -> None:
    """The beginning of each text. LibreOffice and Firefox give nothing where more is asked for than there is."""
    filled: list[tuple[Node, int]] = []
    for node, count in zip(texts, counts, strict=True):
        if isinstance(count, int) and count > 0:
            filled.append((node, count))
        elif count == 0 and (node.role in _TEXTS or node.states & State.EDITABLE):
            node.value = ""
    answers = asker.ask((node.path, names.TEXT, "GetText", "ii", (0, min(count, TEXT_LIMIT))) for node, count in filled)
    reading.note(answers)
    for (node, count), text in zip(filled, answers, strict=True):
        node.value = clean_text(text, count) if isinstance(text, str) else None


def number_text(number: float) -> str:
    """A number as people write it: 5, not 5.0."""
    return f"{number:.6g}"


def clean_text(text: str, length: int) -> str:
    """Text as people see it; what a tree does not show of it is counted."""
    # Firefox puts this mark after each astral character.
    seen = text.replace("\ufeff", "")
    return f"{seen}… ({length} characters)" if length > TEXT_LIMIT else seen


def read_whole_text(asker: Asker, path: str) -> str | None:
    """The whole text of an element without the elements in it; None where it has none or must not be told.

    Raises NotAnswering where the application hangs.
    """
    role, count = asker.ask(
        [(path, names.ACCESSIBLE, "GetRole", "", ()), (path, names.PROPERTIES, "Get", "ss", _CHARACTER_COUNT)]
    )
    if isinstance(role, Unanswered):
        raise asker.application.hangs()
    if role == _PASSWORD or not isinstance(count, int):
        return None
    text = asker.ask_one((path, names.TEXT, "GetText", "ii", (0, count)))
    return clean_text(text, 0).replace(_GAP, "") if isinstance(text, str) else None


def _read_choices(asker: Asker, combo_boxes: Sequence[Node], reading: Reading) -> None:
    """A combo box without text of its own holds the name of what is selected in it."""
    answers = asker.ask(question for node in combo_boxes for question in _choice_questions(node))
    reading.note(answers)
    chosen: list[tuple[Node, str]] = []
    for node, child, found in zip(combo_boxes, answers[::2], answers[1::2], strict=True):
        path = _selected(child, found)
        if path is not None:
            chosen.append((node, path))
        elif names_by_choice(asker.application):
            node.value = node.name
    titles = asker.ask((path, names.PROPERTIES, "Get", "ss", NAME_PROPERTY) for _, path in chosen)
    reading.note(titles)
    for (node, _), title in zip(chosen, titles, strict=True):
        if isinstance(title, str):
            node.value = title


def _choice_questions(node: Node) -> Iterator[Question]:
    yield (node.path, names.SELECTION, "GetSelectedChild", "i", _FIRST)
    yield matches_below(node.path, State.SELECTED)


def _selected(child: Any, found: Any) -> str | None:
    if isinstance(child, tuple) and child[1] != names.NULL_PATH:
        return str(child[1])
    paths = paths_in(found)
    return paths[-1] if paths else None
