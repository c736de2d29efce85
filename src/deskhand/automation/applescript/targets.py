"""Finding what a script names: the windows of an application, and the elements in them by kind, name and number.

A Mac's containers have no counterpart here: toolkits put boxes in boxes as they like. So a `group 1` or `scroll area 1`
on the way is passed over, and where that leaves a number with several meanings, nothing is guessed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from deskhand.automation.applescript import things
from deskhand.automation.applescript.things import ElementThing, WindowThing
from deskhand.automation.applescript.values import Value, compared
from deskhand.desktop.apps import RunningApp
from deskhand.desktop.elements import looking
from deskhand.desktop.elements.shown import Shown
from deskhand.model.element import State
from deskhand.model.errors import AmbiguousApp, BadArguments, NotFound
from deskhand.model.window import Window, WindowKind
from deskhand.platforms.base import Platform

_MOST_ROWS: Final = 2000
_DIALOGS: Final = frozenset({"dialog", "alert"})
_PASSED_OVER: Final = frozenset({"group", "scroll area", "splitter group", "radio group", "browser", "menu"})

T = TypeVar("T")
Fits = Callable[[Shown], bool]


@dataclass(frozen=True, slots=True)
class Step:
    """One kind of thing on the way: by its name or number; None for every one. `condition` is (property, sign, value)."""

    kind: str
    selector: str | int | None
    condition: tuple[str, str, Value] | None = None

    def words(self) -> str:
        if self.selector is None or self.condition is not None:
            return f"{self.kind} that fits"
        return f'{self.kind} "{self.selector}"' if isinstance(self.selector, str) else f"{self.kind} {self.selector}"


def _roles(*roles: str) -> Fits:
    return lambda row: row.element.role in roles


def _lines(*, many: bool) -> Fits:
    return lambda row: row.element.role == "textbox" and bool(row.element.states & State.MULTI_LINE) == many


def _is_toggled(row: Shown) -> bool:
    return row.element.value in ("pressed", "not pressed")


# What fits first; the others only where none of these does.
_KINDS: Final[dict[str, tuple[Fits, ...]]] = {
    "button": (_roles("button"),),
    "menu button": (_roles("button"),),
    "pop up button": (_roles("combobox"), _roles("button")),
    "checkbox": (_roles("checkbox", "switch"), _is_toggled),
    "radio button": (_roles("radio"), _roles("tab")),
    "text field": (_lines(many=False), _roles("spinbutton"), _roles("textbox", "combobox")),
    "text area": (_lines(many=True), _roles("textbox", "document", "terminal")),
    "static text": (_roles("label", "text", "heading", "paragraph", "caption"),),
    "combo box": (_roles("combobox"),),
    "slider": (_roles("slider"),),
    "incrementor": (_roles("spinbutton"),),
    "progress indicator": (_roles("progressbar", "meter"),),
    "scroll bar": (_roles("scrollbar"),),
    "tab group": (_roles("tablist"),),
    "toolbar": (_roles("toolbar"),),
    "table": (_roles("table", "treegrid"), _roles("tree", "list", "listbox")),
    "outline": (_roles("tree", "treegrid"), _roles("table")),
    "list": (_roles("list", "listbox"),),
    "row": (_roles("row", "listitem", "treeitem"),),
    "column": (_roles("columnheader"),),
    "cell": (_roles("cell"),),
    "image": (_roles("img", "icon"),),
    "link": (_roles("link"),),
    "menu item": (_roles("menuitem", "menuitemcheckbox", "menuitemradio", "menu"), _roles("listitem")),
    "menu": (_roles("menu"),),
    "menu bar": (_roles("menubar"),),
    "ui element": (lambda _: True,),
}
_BOX: Final = (_roles("group", "region", "section", "generic"),)


def locate(
    platform: Platform, app: RunningApp, base: WindowThing | ElementThing | None, steps: Sequence[Step]
) -> list[WindowThing | ElementThing]:
    """Everything that the steps lead to, the outermost first. Raises NotFound naming the step that leads nowhere."""
    if base is None and len(steps) == 1 and steps[0].kind == "window":
        return list(_windows(platform, app, steps[0]))
    full = any(step.condition is not None and step.condition[0] in ("description", "help") for step in steps)
    view = looking.look(platform, app, full=full, limit=_MOST_ROWS)
    try:
        return _Search(platform, app, view.shown).along(base, steps)
    except NotFound:
        # What compact rows leave out can still be meant: a scroll bar, a box with a name.
        if full:
            raise
        view = looking.look(platform, app, full=True, limit=_MOST_ROWS)
        try:
            return _Search(platform, app, view.shown).along(base, steps)
        except NotFound:
            pass
        raise


# ---------------------------------------------------------------- windows


def _windows(platform: Platform, app: RunningApp, step: Step) -> list[WindowThing]:
    """The windows meant, topmost first: by a number, a whole title, or a part of one that only one has."""
    found = [WindowThing(app, window) for window in app.windows]
    found = [one for one in found if meets(platform, one, step)]
    if isinstance(step.selector, str):
        whole = [one for one in found if one.window.title.casefold() == step.selector.casefold()]
        found = whole or [one for one in found if step.selector.casefold() in one.window.title.casefold()]
        if not whole and len(found) > 1:
            titles = ", ".join(repr(one.window.title) for one in found)
            raise AmbiguousApp(f"{step.words()} could be any of {titles}", recovery="write the whole title")
        found = found[:1]
    elif step.selector is not None:
        found = numbered(found, step.selector)
    if not found and step.selector is not None:
        titles = ", ".join(repr(window.title) for window in app.windows[:8]) or "none"
        raise NotFound(f"no {step.words()} in {app.app.name}; its windows: {titles}")
    return found


def meets(platform: Platform, thing: object, step: Step) -> bool:
    """Whether a thing is as a step's condition wants it."""
    if step.condition is None:
        return True
    name, sign, wanted = step.condition
    return compared(sign, things.property_of(platform, thing, name), wanted)


def numbered(found: Sequence[T], number: int) -> list[T]:
    """The one of a number, counted from the end where it is negative."""
    place = number - 1 if number > 0 else len(found) + number
    return [found[place]] if number and 0 <= place < len(found) else []


# ---------------------------------------------------------------- elements


class _Search:
    """The rows of one look at an application."""

    def __init__(self, platform: Platform, app: RunningApp, rows: Sequence[Shown]) -> None:
        self._platform = platform
        self._app = app
        self._rows = rows
        self._passed_over: list[Step] = []

    def along(self, base: WindowThing | ElementThing | None, steps: Sequence[Step]) -> list[WindowThing | ElementThing]:
        scope = self._rows if base is None else self._inside(base)
        found: list[WindowThing | ElementThing] = []
        for number, step in enumerate(steps):
            is_last = number == len(steps) - 1
            if step.kind in _PASSED_OVER and isinstance(step.selector, int) and step.condition is None and not is_last:
                self._passed_over.append(step)
                continue
            found = self._step(scope, step, is_last=is_last)
            scope = [row for one in found for row in self._inside(one)]
        return found

    def _step(self, scope: Sequence[Shown], step: Step, *, is_last: bool) -> list[WindowThing | ElementThing]:
        if step.kind == "window":
            return list(_windows(self._platform, self._app, step))
        if step.kind == "sheet":
            # Dialogs are windows of their own here, wherever a script looks for its sheet.
            rows = [row for row in self._rows if self._is_dialog(row)]
            return self._chosen([rows], step)
        tiers = [[row for row in scope if fits(row)] for fits in _KINDS.get(step.kind, _BOX)]
        if is_last:
            self._refuse_guess(tiers, step)
        return self._chosen(tiers, step)

    def _chosen(self, tiers: Sequence[Sequence[Shown]], step: Step) -> list[WindowThing | ElementThing]:
        for rows in tiers:
            if step.condition is not None:
                rows = [row for row in rows if meets(self._platform, self._thing(row), step)]
            if isinstance(step.selector, str):
                rows = _named(rows, step.selector)[:1]
            elif step.selector is not None and rows:
                rows = numbered(rows, step.selector)
                if not rows:
                    break
            if rows:
                return [self._thing(row) for row in rows]
        if step.selector is None:
            return []
        raise NotFound(self._absence(tiers, step))

    def _refuse_guess(self, tiers: Sequence[Sequence[Shown]], step: Step) -> None:
        rows = next((rows for rows in tiers if rows), [])
        if self._passed_over and isinstance(step.selector, int) and step.condition is None and len(rows) > 1:
            raise BadArguments(
                f"{step.words()} of {self._passed_over[-1].words()}: there are no such groups here, and "
                f"{len(rows)} of the kind in the window: {_titles(rows)}",
                recovery=f'name it, or count in the whole window: {step.kind} "…" of window 1',
            )

    def _absence(self, tiers: Sequence[Sequence[Shown]], step: Step) -> str:
        rows = [row for rows in tiers for row in rows]
        there = f"; there are {_titles(rows)}" if rows else ""
        return f"no {step.words()} in {self._app.app.name}{there}"

    def _thing(self, row: Shown) -> ElementThing:
        return ElementThing(row.element, row.title, self._app)

    def _is_dialog(self, row: Shown) -> bool:
        if row.element.role in _DIALOGS:
            return True
        if row.depth or row.element.role != "window":
            return False
        dialogs = [window for window in self._app.windows if window.kind is WindowKind.DIALOG]
        return any(self._row_of(window) == row for window in dialogs)

    # ------------------------------------------------------------ parts of the tree

    def _inside(self, thing: WindowThing | ElementThing) -> Sequence[Shown]:
        """The rows below one."""
        if isinstance(thing, WindowThing):
            row = self._row_of(thing.window)
        else:
            row = next((row for row in self._rows if row.element.node == thing.element.node), None)
        if row is None:
            raise NotFound(f"{thing.words()} shows nothing of what is in it")
        return self._below(self._rows.index(row))

    def _below(self, place: int) -> Sequence[Shown]:
        depth = self._rows[place].depth
        end = next((at for at in range(place + 1, len(self._rows)) if self._rows[at].depth <= depth), len(self._rows))
        return self._rows[place + 1 : end]

    def _row_of(self, window: Window) -> Shown | None:
        """The row of a window that the window manager knows: of its title, and where that is several's, its place."""
        tops = [row for row in self._rows if row.depth == 0]
        titled = [row for row in tops if row.title == window.title] or tops
        return max(titled, key=lambda row: _likeness(row, window), default=None)


def _likeness(row: Shown, window: Window) -> float:
    """How much of both a row's place and a window is common to them."""
    place, frame = row.element.bounds, window.frame
    if place is None:
        return 0.0
    part = place.intersection(frame)
    common = part.width * part.height
    return common / max(1, place.width * place.height + frame.width * frame.height - common)


def _named(rows: Sequence[Shown], name: str) -> list[Shown]:
    """The rows of a name, as it is or but for the marks at its end (`Save…`, `Name:`)."""
    for plain in (str.casefold, bare):
        wanted = plain(name.strip())
        for names in (lambda row: (row.title,), lambda row: (row.element.value or "", row.element.description)):
            found = [row for row in rows if any(plain(one.strip()) == wanted for one in names(row) if one)]
            if found:
                return found
    return []


def bare(name: str) -> str:
    """A name without the marks at its end, as it is compared."""
    return name.casefold().rstrip(" .…:*")


def _titles(rows: Sequence[Shown]) -> str:
    named = list(dict.fromkeys(row.title or row.element.value or "(no name)" for row in rows))
    return ", ".join(repr(one[:40]) for one in named[:10]) + (" …" if len(named) > 10 else "")
