"""What was read of an application, told as the model's elements: which fit a query, and what went wrong on the way."""

from collections.abc import Sequence
from typing import Final

from deskhand.model.element import Element, NodeRef, Query, State
from deskhand.model.geometry import Rect
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.application import DESCRIPTION_PROPERTY, Application
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.naming import plain, title_of
from deskhand.platforms.linux.atspi.nodes import Node, Reading
from deskhand.platforms.linux.dbus import write_body

_IDENTIFIER: Final = write_body("ss", (names.ACCESSIBLE, "AccessibleId"))
_CHILD_COUNT: Final = write_body("ss", (names.ACCESSIBLE, "ChildCount"))


def warnings_of(asker: Asker, reading: Reading, count: int) -> tuple[str, ...]:
    """What to say of a tree that an application has not told to its end."""
    if reading.complete:
        return ()
    name = asker.application.name or "the app"
    return (f"{name} stopped answering after {count} elements: this is a part of its tree",)


def shows(node: Node, application: Application) -> bool:
    """Whether an element is where it says: what does not show may tell any place. GTK 4 does not say whether it does."""
    return bool(node.states & State.SHOWING) or application.is_gtk4


def fits(query: Query, node: Node, application: Application) -> bool:
    """Whether a node is looked for; what has no name is known by what is said of it."""
    title = title_of(node, application)
    return query.fits_text(title, node.description) or (
        not title and query.fits_text(node.description, node.description)
    )


def read_details(asker: Asker, nodes: Sequence[Node], reading: Reading) -> None:
    """Descriptions, identifiers and numbers of children, which a look does not need."""
    answers = asker.ask(
        (node.path, names.PROPERTIES, "Get", "ss", which)
        for node in nodes
        for which in (DESCRIPTION_PROPERTY, _IDENTIFIER, _CHILD_COUNT)
    )
    reading.note(answers)
    for index, node in enumerate(nodes):
        description, identifier, children = answers[3 * index : 3 * index + 3]
        node.description = plain(description) if isinstance(description, str) else node.description
        node.identifier = identifier if isinstance(identifier, str) else ""
        node.child_count = children if isinstance(children, int) else node.child_count


def element_of(application: Application, node: Node, bounds: Rect | None) -> Element:
    """A node as an element; `bounds` in screen pixels, None where it does not show."""
    native, role = names.role_names(node.role)
    return Element(
        node=NodeRef(application.bus_name, node.path),
        role=role,
        title=title_of(node, application),
        value=node.value,
        bounds=bounds,
        states=node.states,
        depth=node.depth,
        native_role=native,
        description=node.description,
        identifier=node.identifier,
        children=node.child_count,
    )
