"""The accessibility port over AT-SPI."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from deskhand.model.element import Budget, Element, NodeRef, Query, State, Tree
from deskhand.model.errors import ElementGone
from deskhand.model.event import EventKind
from deskhand.platforms.base import AccessibleApp, Offers
from deskhand.platforms.linux.atspi import deeds, names
from deskhand.platforms.linux.atspi.application import Application
from deskhand.platforms.linux.atspi.bus import AccessibilityBus
from deskhand.platforms.linux.atspi.events import NodeChanges, TreeChanges, kinds_sent_by
from deskhand.platforms.linux.atspi.firefox import Wakened
from deskhand.platforms.linux.atspi.focus import read_focused
from deskhand.platforms.linux.atspi.link import Asker, Link
from deskhand.platforms.linux.atspi.menus import read_menu_bars, read_shortcuts
from deskhand.platforms.linux.atspi.naming import name_by_words, read_labels
from deskhand.platforms.linux.atspi.nodes import Node, Reading, details_of, read_extents, roles, take_details
from deskhand.platforms.linux.atspi.placement import Placement, place, without
from deskhand.platforms.linux.atspi.reading import read_all, read_visible, with_ancestors, with_those_around
from deskhand.platforms.linux.atspi.telling import element_of, fits, read_details, shows, warnings_of
from deskhand.platforms.linux.atspi.values import read_values, read_whole_text
from deskhand.platforms.linux.atspi.vcl import find_parts_that_draw_themselves
from deskhand.platforms.linux.atspi.walking import children_of, correct_tabs, walk
from deskhand.platforms.linux.dbus import ConnectionLost, Unanswered
from deskhand.platforms.linux.patience import Patience

_ONE: Final = Budget(nodes=1, seconds=2.0)
# A button that opens a dialog may not answer before the dialog is closed: what it did is looked at instead.
_DEED: Final = Budget(nodes=1, seconds=1.0)
_LOOK: Final = Budget(nodes=2000, seconds=2.0)
_ENTRIES: Final = roles("menu item", "list item", "table cell", "radio menu item", "check menu item")


class AtspiAccessibility:
    """The accessibility trees of a Linux desktop."""

    def __init__(self, address: Callable[[], str], placement: Placement, patience: Patience) -> None:
        self._bus = AccessibilityBus(address, patience)
        self._placement = placement
        self._wakened = Wakened()

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
        self._guarded(app.id, lambda: self._wakened.wake(asker))
        reading = self._guarded(app.id, lambda: read_visible(asker))
        nodes = without(reading.nodes, self._placement.absent(asker.application, reading.nodes))
        reading.total -= len(reading.nodes) - len(nodes)
        reading.nodes = nodes
        if budget.depth is not None:
            reading.nodes = [node for node in reading.nodes if node.depth <= budget.depth]
        return self._tree(asker, reading.only(reading.nodes[: budget.nodes]), reading.nodes, full=full)

    def search(self, app: AccessibleApp, query: Query, budget: Budget) -> Tree:
        """Every element that fits, visible or not; those that are called exactly so come first."""
        roles = sorted(names.role_numbers(query.role)) if query.role else []
        if query.role and not roles:
            return Tree((), 0)
        asker = self._asker(app.id, replace(budget, nodes=20_000))

        def read() -> Reading:
            reading = read_all(asker, roles)
            read_labels(asker, reading.nodes, reading)
            if query.description is not None:
                read_details(asker, reading.nodes, reading)
            fitting = [node for node in reading.nodes if fits(query, node, asker.application)]
            exact = replace(query, exact=True)
            fitting.sort(key=lambda node: not fits(exact, node, asker.application))
            found = Reading(fitting[: budget.nodes], len(fitting), reading.complete)
            read_extents(asker, found.nodes, found)
            return found

        reading = self._guarded(app.id, read)
        context = self._guarded(app.id, lambda: with_ancestors(asker, reading.nodes))
        return self._tree(asker, reading, context, full=False)

    def focused(self, app: AccessibleApp) -> Element | None:
        """The element that has the keyboard."""
        asker = self._asker(app.id, _LOOK)
        reading = self._guarded(app.id, lambda: read_focused(asker))
        if not reading.nodes:
            if not reading.complete:
                raise asker.application.hangs()
            return None
        try:
            return self.element(NodeRef(app.id, reading.nodes[0].path))
        except ElementGone:
            return None

    def menu_bar(self, app: AccessibleApp, budget: Budget) -> Tree:
        """The menu bars with all that is in them, also of closed menus."""
        asker = self._asker(app.id, budget)
        reading = self._guarded(app.id, lambda: read_menu_bars(asker))
        shortcuts = self._guarded(app.id, lambda: read_shortcuts(asker, reading))
        tree = self._tree(asker, reading, reading.nodes, full=False)
        elements = tuple(
            replace(element, description=shortcuts.get(element.node.path, "")) for element in tree.elements
        )
        return replace(tree, elements=elements)

    def shortcuts(self, app: AccessibleApp, budget: Budget) -> Tree:
        """Every element with a shortcut, visible or not, and what it is in; the shortcut is its description."""
        asker = self._asker(app.id, budget)
        reading = self._guarded(app.id, lambda: read_all(asker))
        found = self._guarded(app.id, lambda: read_shortcuts(asker, reading))
        wanted = with_those_around(reading.nodes, found)
        elements = tuple(
            replace(element_of(asker.application, node, None), description=found.get(node.path, "")) for node in wanted
        )
        return Tree(elements, len(elements), warnings_of(asker, reading, len(elements)))

    # ------------------------------------------------------------ one element

    def element(self, node: NodeRef) -> Element:
        """The element as it is now. Raises ElementGone."""
        asker = self._asker(node.app, _ONE)
        return self._elements(asker, [self._node(asker, node)], full=True)[0]

    def lineage(self, node: NodeRef) -> Sequence[Element]:
        """The element and everything it is in, itself first. Raises ElementGone or NotAnswering."""
        asker = self._asker(node.app, _LOOK)
        found = self._node(asker, node)
        context = self._guarded(node.app, lambda: with_ancestors(asker, [found]))
        line = [found, *_above(found.path, context)]
        tree = self._tree(asker, Reading(line, len(line)), context, full=True)
        if tree.warnings:
            raise asker.application.hangs()
        return tree.elements

    def _node(self, asker: Asker, node: NodeRef) -> Node:
        answers = self._guarded(node.app, lambda: asker.ask(details_of([node.path])))
        if any(isinstance(answer, Unanswered) for answer in answers):
            raise asker.application.hangs()
        nodes = take_details([node.path], answers)
        if not nodes or nodes[0].states & State.DEFUNCT:
            raise ElementGone("that element is not there any more")
        return nodes[0]

    def glance(self, nodes: Sequence[NodeRef], seconds: float) -> Sequence[Element | None]:
        """Elements of one application as they are now, but for where they are; None for one that has gone."""
        if not nodes:
            return []
        asker = self._asker(nodes[0].app, Budget(nodes=len(nodes), seconds=seconds))
        paths = [node.path for node in nodes]
        found: dict[str, Element] = self._guarded(nodes[0].app, lambda: self._glanced(asker, paths))
        return [found.get(path) for path in paths]

    def windows(self, app: AccessibleApp, seconds: float) -> Sequence[Element]:
        """The application's windows, without their places."""
        asker = self._asker(app.id, Budget(seconds=seconds))
        paths: list[str] = self._guarded(app.id, lambda: children_of(asker, names.ROOT_PATH))
        found = self.glance([NodeRef(app.id, path) for path in paths], seconds)
        return [element for element in found if element is not None]

    def _glanced(self, asker: Asker, paths: Sequence[str]) -> dict[str, Element]:
        answers = asker.ask(details_of(paths, extents=False))
        if any(isinstance(answer, Unanswered) for answer in answers):
            raise asker.application.hangs()
        nodes = take_details(paths, answers, extents=False)
        reading = Reading([node for node in nodes if not node.states & State.DEFUNCT])
        read_values(asker, reading.nodes, reading)
        read_labels(asker, reading.nodes, reading)
        return {node.path: element_of(asker.application, node, None) for node in reading.nodes}

    def choices(self, node: NodeRef) -> Sequence[Element]:
        """The entries below a combo box or the like, also while it is closed."""
        asker = self._asker(node.app, _LOOK)
        reading = self._guarded(node.app, lambda: walk(asker, node.path, everything=True))
        entries = [one for one in reading.nodes if one.role in _ENTRIES]
        name_by_words(entries, reading.nodes, asker.application)
        return self._elements(asker, entries, full=False)

    def text(self, node: NodeRef) -> str | None:
        """The whole text of an element, None where it has none or must not be told."""
        asker = self._asker(node.app, _ONE)
        told: str | None = self._guarded(node.app, lambda: read_whole_text(asker, node.path))
        return told

    def offers(self, node: NodeRef) -> Offers:
        """What an element can do, and what it says of itself."""
        asker = self._asker(node.app, _ONE)
        told: Offers = self._guarded(node.app, lambda: deeds.offers(asker, node.path))
        return told

    def perform(self, node: NodeRef, action: int) -> bool:
        """Do an action by its place in `offers`; whether the application says it did."""
        return self._do(node, lambda asker: deeds.perform(asker, node.path, action))

    def focus(self, node: NodeRef) -> bool:
        """Give an element the keyboard."""
        return self._do(node, lambda asker: deeds.focus(asker, node.path))

    def set_text(self, node: NodeRef, text: str) -> bool:
        """Replace the text of a field; whether the application says it did."""
        return self._do(node, lambda asker: deeds.set_text(asker, node.path, text))

    def insert_text(self, node: NodeRef, text: str) -> bool:
        """Put text where the caret is, in place of what is selected."""
        return self._do(node, lambda asker: deeds.insert_text(asker, node.path, text))

    def set_number(self, node: NodeRef, number: float) -> bool:
        """Set the value of a slider or the like."""
        return self._do(node, lambda asker: deeds.set_number(asker, node.path, number))

    def events(self, app: AccessibleApp) -> TreeChanges:
        """Watch what changes in an application's tree from now on."""
        return TreeChanges(lambda: self._bus.connection.address, app.id)

    def listen(self, app: AccessibleApp) -> NodeChanges:
        """Hear what happens to each of an application's elements from now on."""
        return NodeChanges(lambda: self._bus.connection.address, app.id)

    def sends(self, app: AccessibleApp) -> Sequence[EventKind]:
        """Which kinds of events an application of this toolkit sends."""
        return kinds_sent_by(self._application(app.id))

    # ------------------------------------------------------------ inside

    def _asker(self, bus_name: str, budget: Budget) -> Asker:
        application = self._application(bus_name)
        link: Link = self._guarded(bus_name, lambda: self._bus.link(application))
        return Asker.start(application, link, budget)

    def _application(self, bus_name: str) -> Application:
        application = next((one for one in self._bus.applications() if one.bus_name == bus_name), None)
        if application is None:
            raise ElementGone("the application of that element has ended")
        return application

    def _guarded(self, bus_name: str, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except ConnectionLost:
            self._bus.drop_link(bus_name)
            raise ElementGone("the application has ended in the middle of the call") from None

    def _do(self, node: NodeRef, deed: Callable[[Asker], bool]) -> bool:
        application = self._application(node.app)

        def do() -> bool:
            with self._bus.apart(application) as link:
                if link is None:
                    raise application.hangs()
                return deed(Asker.start(application, link, _DEED))

        done: bool = self._guarded(node.app, do)
        return done

    def _elements(self, asker: Asker, nodes: list[Node], *, full: bool) -> Sequence[Element]:
        """Elements from nodes of which nothing around them is known yet."""
        context = self._guarded(asker.application.bus_name, lambda: with_ancestors(asker, nodes))
        return self._tree(asker, Reading(nodes, len(nodes)), context, full=full).elements

    def _tree(self, asker: Asker, reading: Reading, context: Sequence[Node], *, full: bool) -> Tree:
        """Elements from nodes: with their labels and values, in screen pixels. `context` is all that is around them."""
        application = asker.application

        def finish() -> None:
            if application.is_qt:
                correct_tabs(context)
            if full:
                read_details(asker, reading.nodes, reading)
            read_values(asker, reading.nodes, reading)
            read_labels(asker, reading.nodes, reading)
            find_parts_that_draw_themselves(asker, context, reading)

        self._guarded(application.bus_name, finish)
        shifts = self._placement.shifts(application, context)
        places = place(context, shifts, inside_parents=not application.collects)
        elements = tuple(
            element_of(application, node, places.get(node.path) if shows(node, application) else None)
            for node in reading.nodes
        )
        return Tree(elements, reading.total, warnings_of(asker, reading, len(elements)))


def _above(path: str, nodes: Sequence[Node]) -> Iterator[Node]:
    """The parent of an element, its parent, and so on."""
    known = {node.path: node for node in nodes}
    seen = {path}
    while path in known and (path := known[path].parent) in known and path not in seen:
        seen.add(path)
        yield known[path]
