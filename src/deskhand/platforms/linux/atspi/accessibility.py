"""The accessibility port over AT-SPI."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from deskhand.model.element import Budget, Element, NodeRef, Query, State, Tree
from deskhand.model.errors import ElementGone, NotAnswering
from deskhand.platforms.base import AccessibleApp, Offers
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.events import TreeChanges
from deskhand.platforms.linux.atspi.link import AccessibilityBus, Application, Question
from deskhand.platforms.linux.atspi.placement import Placement, place
from deskhand.platforms.linux.atspi.reading import (
    Asker,
    Node,
    Reading,
    details_of,
    match_rule,
    read_all,
    read_extents,
    read_visible,
    take_details,
    walk,
)
from deskhand.platforms.linux.atspi.values import PASSWORD, clean_text, read_values
from deskhand.platforms.linux.dbus import BusError, ConnectionLost, Unanswered, write_body

_ONE: Final = Budget(nodes=1, seconds=2.0)
_LOOK: Final = Budget(nodes=2000, seconds=2.0)
_DESCRIPTION: Final = write_body("ss", (names.ACCESSIBLE, "Description"))
_IDENTIFIER: Final = write_body("ss", (names.ACCESSIBLE, "AccessibleId"))
_CHILD_COUNT: Final = write_body("ss", (names.ACCESSIBLE, "ChildCount"))
_CARET: Final = write_body("ss", (names.TEXT, "CaretOffset"))
_CHARACTER_COUNT: Final = write_body("ss", (names.TEXT, "CharacterCount"))
_ENTRIES: Final = frozenset(names.NUMBER[word] for word in ("menu item", "list item", "table cell", "radio menu item"))
_MENU_BAR: Final = names.NUMBER["menu bar"]
# GTK 4 names a widget that has no name after its type.
_TYPE_NAME: Final = re.compile(r"(Gtk|Adw|Hdy|Panel|Gnome)[A-Z][A-Za-z]+")


class AtspiAccessibility:
    """The accessibility trees of a Linux desktop."""

    def __init__(self, address: Callable[[], str], placement: Placement) -> None:
        self._bus = AccessibilityBus(address)
        self._placement = placement

    def close(self) -> None:
        self._bus.forget()

    # ------------------------------------------------------------ looking

    def apps(self) -> Sequence[AccessibleApp]:
        """Every application on the accessibility bus."""
        return [
            AccessibleApp(id=one.bus_name, pid=one.pid, name=one.name, toolkit=f"{one.toolkit} {one.version}".strip())
            for one in self._bus.applications()
        ]

    def tree(self, app: AccessibleApp, budget: Budget, *, full: bool = False) -> Tree:
        """The visible elements; `full` reads descriptions and identifiers too."""
        asker = self._asker(app.id, budget)
        reading = self._guarded(app.id, lambda: read_visible(asker))
        if budget.depth is not None:
            reading.nodes = [node for node in reading.nodes if node.depth <= budget.depth]
        shown = reading.nodes[: budget.nodes]
        return self._tree(asker, replace_nodes(reading, shown), full=full, what=app)

    def search(self, app: AccessibleApp, query: Query, budget: Budget) -> Tree:
        """Every element that fits, visible or not."""
        roles = sorted(names.role_numbers(query.role)) if query.role else []
        if query.role and not roles:
            return Tree((), 0)
        asker = self._asker(app.id, replace(budget, nodes=20_000))
        reading = self._guarded(app.id, lambda: read_all(asker, roles))
        if query.description is not None:
            self._read_details(asker, reading.nodes, reading)
        gtk = asker.application.toolkit == "GTK"
        fitting = [node for node in reading.nodes if query.fits_text(_title(node, gtk=gtk), node.description)]
        reading.total = len(fitting)
        shown = fitting[: budget.nodes]
        read_extents(asker, shown, reading)
        return self._tree(asker, replace_nodes(reading, shown), full=False, what=app, one_by_one=True)

    def focused(self, app: AccessibleApp) -> Element | None:
        """The element that has the keyboard."""
        asker = self._asker(app.id, _LOOK)
        path = self._guarded(app.id, lambda: _focused_path(asker))
        if path is None:
            return None
        try:
            return self.element(NodeRef(app.id, path))
        except ElementGone:
            return None

    def menu_bar(self, app: AccessibleApp, budget: Budget) -> Tree:
        """The menu bars with all that is in them, also of closed menus."""
        asker = self._asker(app.id, budget)

        def read() -> Reading:
            reading = Reading()
            for bar in read_all(asker, [_MENU_BAR]).nodes:
                below = walk(asker, bar.path, everything=True)
                for node in below.nodes:
                    node.depth += 1
                bar.depth = 0
                reading.nodes += [bar, *below.nodes]
                reading.complete = reading.complete and below.complete
            reading.total = len(reading.nodes)
            return reading

        reading = self._guarded(app.id, read)
        shortcuts = _shortcuts(asker, reading)
        tree = self._tree(asker, reading, full=False, what=app)
        elements = tuple(
            replace(element, description=shortcuts.get(element.node.path, "")) for element in tree.elements
        )
        return replace(tree, elements=elements)

    # ------------------------------------------------------------ one element

    def element(self, node: NodeRef) -> Element:
        """The element as it is now. Raises ElementGone."""
        asker = self._asker(node.app, _ONE)
        answers = self._guarded(node.app, lambda: asker.ask(details_of([node.path])))
        if any(isinstance(answer, Unanswered) for answer in answers[:1]):
            raise _hangs(asker.application)
        nodes = take_details([node.path], answers)
        if not nodes or nodes[0].states & State.DEFUNCT:
            raise ElementGone("that element is not there any more")
        reading = Reading(nodes=nodes, total=1)
        tree = self._tree(asker, reading, full=True, what=None, one_by_one=True)
        return tree.elements[0]

    def choices(self, node: NodeRef) -> Sequence[Element]:
        """The entries below a combo box or the like, also while it is closed."""
        asker = self._asker(node.app, _LOOK)
        reading = self._guarded(node.app, lambda: walk(asker, node.path, everything=True))
        reading.nodes = [one for one in reading.nodes if one.role in _ENTRIES]
        return self._tree(asker, reading, full=False, what=None).elements

    def text(self, node: NodeRef) -> str | None:
        """The whole text of an element, None where it has none or must not be told."""
        asker = self._asker(node.app, _ONE)
        role, count = self._guarded(
            node.app,
            lambda: asker.ask(
                [
                    (node.path, names.ACCESSIBLE, "GetRole", "", ()),
                    (node.path, names.PROPERTIES, "Get", "ss", _CHARACTER_COUNT),
                ]
            ),
        )
        if role == PASSWORD or not isinstance(count, int):
            return None
        text = asker.ask_one((node.path, names.TEXT, "GetText", "ii", (0, count)))
        return clean_whole_text(text) if isinstance(text, str) else None

    def offers(self, node: NodeRef) -> Offers:
        """What an element can do, and what it says of itself."""
        asker = self._asker(node.app, _ONE)
        actions, attributes, interfaces = self._guarded(
            node.app,
            lambda: asker.ask(
                [
                    (node.path, names.ACTION, "GetActions", "", ()),
                    (node.path, names.ACCESSIBLE, "GetAttributes", "", ()),
                    (node.path, names.ACCESSIBLE, "GetInterfaces", "", ()),
                ]
            ),
        )
        _raise_if_gone(interfaces, asker.application)
        return Offers(
            actions=tuple(action[0] for action in actions) if isinstance(actions, list) else (),
            attributes=attributes if isinstance(attributes, dict) else {},
            interfaces=tuple(one.rpartition(".")[2] for one in interfaces),
        )

    def perform(self, node: NodeRef, action: int) -> bool:
        """Do an action by its place in `offers`; whether the application says it did."""
        return self._tell(node, (node.path, names.ACTION, "DoAction", "i", (action,)))

    def focus(self, node: NodeRef) -> bool:
        """Give an element the keyboard."""
        return self._tell(node, (node.path, names.COMPONENT, "GrabFocus", "", ()))

    def set_text(self, node: NodeRef, text: str) -> bool:
        """Replace the text of a field; whether the application says it did."""
        return self._tell(node, (node.path, names.EDITABLE_TEXT, "SetTextContents", "s", (text,)))

    def insert_text(self, node: NodeRef, text: str) -> bool:
        """Put text where the caret is, in place of what is selected."""
        asker = self._asker(node.app, _ONE)
        if not asker.application.toolkit.lower().startswith("gtk"):
            return False  # Qt takes it for a new text of the whole field; Firefox says yes and does nothing
        caret, selection = self._guarded(
            node.app,
            lambda: asker.ask(
                [
                    (node.path, names.PROPERTIES, "Get", "ss", _CARET),
                    (node.path, names.TEXT, "GetSelection", "i", (0,)),
                ]
            ),
        )
        _raise_if_gone(caret, asker.application)
        questions: list[Question] = []
        if isinstance(selection, tuple) and selection[1] > selection[0] >= 0:
            caret = selection[0]
            questions.append((node.path, names.EDITABLE_TEXT, "DeleteText", "ii", selection))
        length = len(text.encode("utf-8"))
        questions.append((node.path, names.EDITABLE_TEXT, "InsertText", "isi", (caret, text, length)))
        questions.append((node.path, names.TEXT, "SetCaretOffset", "i", (caret + len(text),)))
        return self._guarded(node.app, lambda: asker.ask(questions))[-2] is True

    def set_number(self, node: NodeRef, number: float) -> bool:
        """Set the value of a slider or the like."""
        arguments = (names.VALUE, "CurrentValue", ("d", float(number)))
        return self._tell(node, (node.path, names.PROPERTIES, "Set", "ssv", arguments))

    def events(self, app: AccessibleApp) -> TreeChanges:
        """Watch what changes in an application's tree from now on."""
        return TreeChanges(self._bus, app.id)

    # ------------------------------------------------------------ inside

    def _asker(self, bus_name: str, budget: Budget) -> Asker:
        application = next((one for one in self._bus.applications() if one.bus_name == bus_name), None)
        if application is None:
            raise ElementGone("the application of that element has ended")
        return Asker.start(application, self._bus.link(bus_name), budget)

    def _guarded(self, bus_name: str, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except ConnectionLost:
            self._bus.drop_link(bus_name)
            raise ElementGone("the application has ended in the middle of the call") from None

    def _tell(self, node: NodeRef, question: Question) -> bool:
        asker = self._asker(node.app, _ONE)
        answer = self._guarded(node.app, lambda: asker.ask_one(question))
        _raise_if_gone(answer, asker.application)
        return not isinstance(answer, BusError) and answer in (True, ())

    def _tree(
        self, asker: Asker, reading: Reading, *, full: bool, what: AccessibleApp | None, one_by_one: bool = False
    ) -> Tree:
        """Elements from nodes: with their values, in screen pixels."""

        def finish() -> None:
            read_values(asker, reading.nodes, reading)
            if full:
                self._read_details(asker, reading.nodes, reading)

        self._guarded(asker.application.bus_name, finish)
        gtk = asker.application.toolkit == "GTK"
        context = _with_ancestors(asker, reading.nodes) if one_by_one and gtk else reading.nodes
        places = place(context, self._placement.shifts(asker.application, context))
        elements = tuple(
            _element(asker.application.bus_name, node, places[node.path], gtk=gtk) for node in reading.nodes
        )
        warnings: tuple[str, ...] = ()
        if not reading.complete:
            name = (what.name if what else asker.application.name) or "the app"
            warnings = (f"{name} stopped answering after {len(elements)} elements: this is a part of its tree",)
        return Tree(elements, reading.total, warnings)

    @staticmethod
    def _read_details(asker: Asker, nodes: Sequence[Node], reading: Reading) -> None:
        answers = asker.ask(
            (node.path, names.PROPERTIES, "Get", "ss", which)
            for node in nodes
            for which in (_DESCRIPTION, _IDENTIFIER, _CHILD_COUNT)
        )
        reading.note(answers)
        for index, node in enumerate(nodes):
            description, identifier, children = answers[3 * index : 3 * index + 3]
            node.description = description if isinstance(description, str) else node.description
            node.identifier = identifier if isinstance(identifier, str) else ""
            node.child_count = children if isinstance(children, int) else node.child_count


def replace_nodes(reading: Reading, nodes: list[Node]) -> Reading:
    """The same reading with fewer nodes."""
    return Reading(nodes=nodes, total=reading.total, complete=reading.complete)


def clean_whole_text(text: str) -> str:
    """A whole text as people see it."""
    return clean_text(text, 0) or ""


def _element(bus_name: str, node: Node, bounds: Any, *, gtk: bool) -> Element:
    native, role = names.role_names(node.role)
    return Element(
        node=NodeRef(bus_name, node.path),
        role=role,
        title=_title(node, gtk=gtk),
        value=node.value,
        bounds=bounds,
        states=node.states,
        depth=node.depth,
        native_role=native,
        description=node.description,
        identifier=node.identifier,
        children=node.child_count,
    )


def _title(node: Node, *, gtk: bool) -> str:
    """An element's name as its author meant it."""
    name = node.name.strip()
    if not gtk:
        return name
    if _TYPE_NAME.fullmatch(name):
        return ""
    # GTK 4.8 puts the label and the tooltip together, also where they are the same.
    half = len(name) // 2
    if len(name) % 2 and name[half] == " " and name[:half] == name[half + 1 :]:
        return name[:half]
    return name


def _raise_if_gone(answer: Any, application: Application) -> None:
    if isinstance(answer, Unanswered):
        raise _hangs(application)
    if isinstance(answer, BusError) and answer.name.endswith(("UnknownObject", "UnknownMethod", "ServiceUnknown")):
        raise ElementGone("that element is not there any more, or cannot do this")


def _hangs(application: Application) -> NotAnswering:
    return NotAnswering(f"{application.name or 'the app'} (pid {application.pid}) does not answer")


def _focused_path(asker: Asker) -> str | None:
    if asker.application.collects:
        question = (names.ROOT_PATH, names.COLLECTION, "GetMatches", "(aiia{ss}iaiiasib)uib", match_rule(State.FOCUSED))
        found = asker.ask_one(question)
        _raise_if_gone(found, asker.application)
        paths = [path for _, path in found if path != names.NULL_PATH] if isinstance(found, list) else []
        return paths[-1] if paths else None
    reading = read_visible(asker)
    focused = [node for node in reading.nodes if node.states & State.FOCUSED]
    return focused[-1].path if focused else None


def _with_ancestors(asker: Asker, nodes: Sequence[Node]) -> list[Node]:
    """The nodes with all that is above them, in document order as far as that matters for their place."""
    known: dict[str, Node] = {node.path: node for node in nodes}
    above: list[Node] = []
    wanted = {node.parent for node in nodes} - set(known) - {names.ROOT_PATH, names.NULL_PATH, ""}
    deadline = time.monotonic() + 1.0
    while wanted and time.monotonic() < deadline:
        paths = list(wanted)
        found = take_details(paths, asker.ask(details_of(paths)))
        known |= {node.path: node for node in found}
        above = found + above
        wanted = {node.parent for node in found} - set(known) - {names.ROOT_PATH, names.NULL_PATH, ""}
    for node in above:
        node.depth = -1  # unknown, and above what was asked for
    return [*above, *nodes]


def _shortcuts(asker: Asker, reading: Reading) -> dict[str, str]:
    """The shortcut of each menu item that has one, by path."""
    answers = asker.ask((node.path, names.ACTION, "GetKeyBinding", "i", (0,)) for node in reading.nodes)
    reading.note(answers)
    found: dict[str, str] = {}
    for node, answer in zip(reading.nodes, answers, strict=True):
        if isinstance(answer, str) and (shortcut := shortcut_of(answer)):
            found[node.path] = shortcut
    return found


def shortcut_of(key_binding: str) -> str:
    """The shortcut in an AT-SPI key binding: `n;<Alt>f:n;<Primary>n` → `ctrl+n`, "" where there is none.

    Its parts are the mnemonic, the way there from the menu bar, and the shortcut, which may be missing.
    """
    parts = key_binding.split(";")
    binding = parts[-1] if len(parts) == 3 else key_binding if len(parts) == 1 and "+" in key_binding else ""
    if not binding:
        return ""
    keys = re.findall(r"<([^>]+)>|([^<>+]+)", binding)
    words = [(held or pressed).strip().lower() for held, pressed in keys]
    return "+".join({"primary": "ctrl", "control": "ctrl", "mod1": "alt"}.get(word, word) for word in words)
