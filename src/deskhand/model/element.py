"""What an element of an application's accessibility tree is."""

from dataclasses import dataclass, field
from enum import IntFlag
from typing import Final, NamedTuple

from deskhand.model.geometry import Rect
from deskhand.model.roles import canonical_role

HIDDEN_VALUE: Final = "(hidden)"


class NodeRef(NamedTuple):
    """Where an element lives: the application's name on the accessibility bus, and the object there."""

    app: str
    path: str


class State(IntFlag):
    """What an element says of itself. The bits are AT-SPI's own (AtspiStateType, at-spi2-core 2.46)."""

    ACTIVE = 1 << 1
    CHECKED = 1 << 4
    COLLAPSED = 1 << 5
    DEFUNCT = 1 << 6
    EDITABLE = 1 << 7
    ENABLED = 1 << 8
    EXPANDABLE = 1 << 9
    EXPANDED = 1 << 10
    FOCUSABLE = 1 << 11
    FOCUSED = 1 << 12
    ICONIFIED = 1 << 15
    MODAL = 1 << 16
    MULTI_LINE = 1 << 17
    PRESSED = 1 << 20
    SELECTABLE = 1 << 22
    SELECTED = 1 << 23
    SENSITIVE = 1 << 24
    SHOWING = 1 << 25
    SINGLE_LINE = 1 << 26
    VISIBLE = 1 << 30
    MANAGES_DESCENDANTS = 1 << 31
    INDETERMINATE = 1 << 32
    CHECKABLE = 1 << 41
    READ_ONLY = 1 << 43


@dataclass(frozen=True, slots=True)
class Element:
    """One element as it was when it was read.

    `role` is ARIA's word where there is one, `native_role` the platform's. `bounds` are screen pixels, None where
    the application does not say or says something impossible. `value` is text, a number as text, or a state in a
    word ("checked"); None where the element has none. `depth` counts from the application's windows (0).
    """

    node: NodeRef
    role: str
    title: str
    value: str | None
    bounds: Rect | None
    states: State
    depth: int = 0
    native_role: str = ""
    description: str = ""
    identifier: str = ""
    children: int | None = None

    @property
    def enabled(self) -> bool:
        return bool(self.states & (State.ENABLED | State.SENSITIVE))

    @property
    def focused(self) -> bool:
        return bool(self.states & State.FOCUSED)

    @property
    def selected(self) -> bool:
        return bool(self.states & State.SELECTED)


@dataclass(frozen=True, slots=True)
class Tree:
    """Elements in document order, and how far the reading came."""

    elements: tuple[Element, ...]
    total: int
    warnings: tuple[str, ...] = field(default=())

    @property
    def truncated(self) -> bool:
        return self.total > len(self.elements) or bool(self.warnings)


@dataclass(frozen=True, slots=True)
class Budget:
    """How much one look at an application may cost."""

    nodes: int = 2000
    seconds: float = 2.0
    depth: int | None = None
    """Levels below the windows; None for all."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: every criterion that is given must fit, without regard to case.

    `exact` compares titles and descriptions whole; otherwise it is enough that they contain the words.
    """

    role: str | None = None
    title: str | None = None
    description: str | None = None
    exact: bool = False

    def words(self) -> str:
        """The query in the words of an empty answer: `[button, Save]`."""
        return f"[{', '.join(part for part in (self.role, self.title, self.description) if part)}]"

    def fits(self, element: Element) -> bool:
        """Whether an element fits every criterion."""
        if self.role is not None:
            wanted = canonical_role(self.role)
            if wanted not in (canonical_role(element.role), canonical_role(element.native_role)):
                return False
        return self.fits_text(element.title, element.description)

    def fits_text(self, title: str, description: str) -> bool:
        """Whether the title and description fit."""
        return self._fits(self.title, title) and self._fits(self.description, description)

    def _fits(self, wanted: str | None, found: str) -> bool:
        if wanted is None:
            return True
        wanted, found = wanted.casefold().strip(), found.casefold().strip()
        return wanted == found if self.exact else wanted in found
