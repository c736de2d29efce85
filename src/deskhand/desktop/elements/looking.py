"""Looking into an application: its tree, and the elements in it that fit a query."""

from dataclasses import dataclass, replace

from deskhand.desktop.apps import RunningApp
from deskhand.desktop.elements import shown
from deskhand.desktop.elements.shown import Shown
from deskhand.model.element import Budget, Element, NodeRef, Query, State, Tree
from deskhand.model.errors import NotAnswering, Unsupported
from deskhand.platforms.base import AccessibleApp, Platform

MANY = 500
"""How many elements a look shows where nobody says more."""


@dataclass(frozen=True, slots=True)
class View:
    """What was seen: the elements worth showing, how many there are in all, and what went wrong on the way."""

    shown: tuple[Shown, ...]
    total: int
    warnings: tuple[str, ...]

    @property
    def truncated(self) -> bool:
        return self.total > len(self.shown) or bool(self.warnings)


def inside(app: RunningApp) -> AccessibleApp:
    """The way into an application. Raises Unsupported where there is none."""
    if app.accessible is None:
        raise Unsupported(
            f"{app.app.name} shows no accessibility tree",
            recovery="work with it by screenshot, click_at, key and type_text_tool",
        )
    return app.accessible


def look(platform: Platform, app: RunningApp, *, full: bool, limit: int = MANY, depth: int | None = None) -> View:
    """The visible elements of an application; all of them and all about them with `full`.

    `depth` limits the levels below the windows that are shown. An application that hangs shows its windows, which the
    window manager knows, with a warning.
    """
    tree = platform.accessibility.tree(inside(app), Budget(), full=full)
    if not tree.elements and tree.warnings:
        return _windows_only(app, tree)
    rows = shown.everything(tree.elements) if full else shown.compact(tree.elements)
    unread = tree.total - len(tree.elements)
    rows = [row for row in rows if depth is None or row.depth <= depth]
    return View(tuple(rows[:limit]), len(rows) + unread, tree.warnings)


def find(platform: Platform, app: RunningApp, query: Query, limit: int) -> View:
    """The elements that fit; hidden ones (in closed menus, say) only where no visible one does.

    Those that are called exactly so come first: Save before Save As. Raises NotAnswering where none was found in what an
    application has told before it hung: that is no proof that there is none.
    """
    way_in = inside(app)
    tree = platform.accessibility.tree(way_in, Budget(), full=query.description is not None)
    visible = [row for row in shown.compact(tree.elements) if query.fits(shown.with_title(row))]
    if not visible:
        # What compact rows leave out can still be meant: a separator, a scroll bar, a box with a name.
        visible = [row for row in shown.everything(tree.elements) if query.fits(row.element)]
    if visible:
        exact = replace(query, exact=True)
        visible.sort(key=lambda row: not exact.fits_text(row.title, row.element.description))
        return View(tuple(visible[:limit]), len(visible), tree.warnings)
    hidden = platform.accessibility.search(way_in, query, Budget(nodes=limit))
    rows = tuple(Shown(element, element.title, 0) for element in hidden.elements)
    return _unless_it_hangs(app, View(rows, hidden.total, (*tree.warnings, *hidden.warnings)))


def menus(platform: Platform, app: RunningApp) -> View:
    """The menu bars of an application with all that is in them; a shortcut stands in an item's description.

    Raises NotAnswering where none was found and the application hangs.
    """
    tree = platform.accessibility.menu_bar(inside(app), Budget())
    rows = shown.in_words(tree.elements)
    return _unless_it_hangs(app, View(tuple(rows), len(rows), tree.warnings))


def _unless_it_hangs(app: RunningApp, view: View) -> View:
    if view.warnings and not view.shown:
        raise NotAnswering(f"{app.app.name} (pid {app.app.pid}) does not answer: what is in it cannot be told")
    return view


def _windows_only(app: RunningApp, tree: Tree) -> View:
    rows = tuple(
        Shown(
            Element(NodeRef("", ""), "window", window.title, None, window.frame, State(0)),
            window.title,
            0,
        )
        for window in app.windows
    )
    return View(rows, len(rows), tree.warnings)
