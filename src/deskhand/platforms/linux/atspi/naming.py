"""What an element is called: its own name as its author meant it, or the label that belongs to it."""

import re
from collections.abc import Sequence
from typing import Any, Final

from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.application import DESCRIPTION_PROPERTY, NAME_PROPERTY, Application, Question
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.nodes import Node, Reading, roles

_LABELLED_BY: Final = 2
_COMBO_BOX: Final = names.NUMBER["combo box"]
_FIELDS: Final = roles(
    "text", "entry", "password text", "combo box", "spin button", "slider", "dial", "list box", "list", "tree",
    "tree table", "table", "check box", "switch", "progress bar", "level bar",
)  # fmt: skip
_CONTROLS: Final = _FIELDS | roles(
    "push button", "toggle button", "radio button", "push button menu", "icon", "image", "link", "page tab"
)
_WITH_MNEMONIC: Final = roles(
    "push button", "toggle button", "check box", "radio button", "page tab", "menu item", "check menu item",
    "radio menu item", "label",
)  # fmt: skip

# GTK 4 names a widget that has no name after its type.
_GTK_TYPE: Final = re.compile(r"(Gtk|Adw|Hdy|Panel|Gnome)[A-Z][A-Za-z]+")
_ANY_TYPE: Final = re.compile(r"([A-Z][a-z0-9]+){2,}")
_PLAIN_WIDGET: Final = names.NUMBER["filler"]
_MNEMONIC: Final = re.compile(r"(?<!\w)_(?=\w)")
_MEMORY: Final = re.compile(r" - Memory usage - [\d.,]+ ?\w+$")
_MARK: Final = re.compile(r"<[^<>]+>")
_LABEL: Final = names.NUMBER["label"]
_TAB: Final = names.NUMBER["page tab"]


def title_of(node: Node, application: Application) -> str:
    """What people would call an element."""
    is_choice = node.role == _COMBO_BOX and node.name == node.value and names_by_choice(application)
    return node.label if is_choice else own_name(node, application) or node.label


def own_name(node: Node, application: Application) -> str:
    """An element's own name without what its toolkit has made of it."""
    name = node.name.strip()
    if application.is_gtk4:
        return _gtk4_name(node, name)
    if node.role == _TAB and application.toolkit == "Chromium":
        return _MEMORY.sub("", name)  # which changes all the time
    return name


def _gtk4_name(node: Node, name: str) -> str:
    if _GTK_TYPE.fullmatch(name) or (node.role == _PLAIN_WIDGET and _ANY_TYPE.fullmatch(name)):
        return ""
    # GTK 4.8 puts the label and the tooltip together, also where they are the same.
    half = len(name) // 2
    if len(name) % 2 and name[half] == " " and name[:half] == name[half + 1 :]:
        name = name[:half]
    return _MNEMONIC.sub("", name, count=1) if node.role in _WITH_MNEMONIC else name


def names_by_choice(application: Application) -> bool:
    """GTK 3 and Qt name a combo box by what is chosen in it, unless it was given a name."""
    return application.toolkit == "gtk" or application.is_qt


def name_by_words(entries: Sequence[Node], nodes: Sequence[Node], application: Application) -> None:
    """Name entries of a list that have no name of their own (GTK 4) by the first words in them; parents come first."""
    unnamed = {node.path: node for node in entries if not own_name(node, application)}
    inside = {path: path for path in unnamed}
    for node in nodes:
        if node.path not in unnamed and node.parent in inside:
            inside[node.path] = inside[node.parent]
            entry = unnamed[inside[node.path]]
            if node.role == _LABEL and node.name and not own_name(entry, application):
                entry.name = node.name


def read_labels(asker: Asker, nodes: Sequence[Node], reading: Reading) -> None:
    """Learn the labels and descriptions of controls that have no name of their own."""
    unnamed = [node for node in nodes if node.role in _CONTROLS and not title_of(node, asker.application)]
    questions: list[Question] = []
    for node in unnamed:
        questions.append((node.path, names.ACCESSIBLE, "GetRelationSet", "", ()))
        questions.append((node.path, names.PROPERTIES, "Get", "ss", DESCRIPTION_PROPERTY))
    answers = asker.ask(questions)
    reading.note(answers)
    labels: dict[str, str] = {}
    for node, relations, description in zip(unnamed, answers[::2], answers[1::2], strict=True):
        if isinstance(description, str):
            node.description = plain(description)
        label = _label_in(relations)
        if label is not None and node.role in _FIELDS:
            labels[node.path] = label
    _take_labels(asker, unnamed, labels, reading)


def plain(description: str) -> str:
    """A description without the marks of Qt's rich text."""
    return _MARK.sub("", description).strip() if description.startswith("<") else description


def _label_in(relations: Any) -> str | None:
    if isinstance(relations, list):
        for kind, targets in relations:
            if kind == _LABELLED_BY and targets:
                return str(targets[0][1])
    return None


def _take_labels(asker: Asker, unnamed: Sequence[Node], labels: dict[str, str], reading: Reading) -> None:
    wanted = list(dict.fromkeys(labels.values()))
    answers = asker.ask((path, names.PROPERTIES, "Get", "ss", NAME_PROPERTY) for path in wanted)
    reading.note(answers)
    found = dict(zip(wanted, answers, strict=True))
    for node in unnamed:
        name = found.get(labels.get(node.path, ""))
        node.label = name.strip(" :") if isinstance(name, str) else ""
