"""What lies over an element, so that no click meant for it lands on something else."""

from collections.abc import Collection, Sequence
from typing import Final

from deskhand.desktop import windows
from deskhand.desktop.apps import RunningApp, bring_forward
from deskhand.model.element import Element
from deskhand.model.errors import Denied, DeskError, ElementGone, NotPossible
from deskhand.model.geometry import Point, Rect
from deskhand.model.window import OPENED, PopupKind, Window
from deskhand.platforms.base import Platform

_IN_MENUS: Final = ("menu", "option", "tooltip")
"""How the roles begin of what is in a popup, wherever its application says that its parents are."""

_HOLDS_ENTRIES: Final = frozenset({"menu", "combobox", "tooltip"})
_EDGE: Final = 4


def uncover(platform: Platform, point: Point, app: RunningApp, element: Element) -> None:
    """See to it that a click there reaches the element: its window is brought forward where another lies over it.

    Raises NotPossible where it stays covered, ElementGone where the application has no window any more.
    """
    if _cover(platform, point, app, element) is None:
        return
    try:
        _bring_forward(platform, app, element)
    except Denied:
        raise
    except DeskError:
        pass  # what lies there then is told below
    cover = _cover(platform, point, app, element)
    if cover is not None:
        if not any(window.pid == app.app.pid for window in platform.windows.all()):
            raise ElementGone("the application of that element has ended")
        raise NotPossible(
            f"the {element.role} {element.title!r} is covered by {cover}",
            recovery="close that (key escape closes a menu) or move it, or use ax_press, which needs no pointer",
        )


def open_menus(platform: Platform, window: Window, kinds: Collection[PopupKind] = OPENED) -> list[Rect]:
    """Where menus and lists of a window's application are open: they take the keys, and a click elsewhere closes them."""
    screen = Rect(0, 0, *platform.screen.size())
    # GTK 3 keeps windows of a few pixels off the screen.
    popups = platform.windows.popups(window.id, kinds)
    return [popup for popup in popups if not popup.intersection(screen).is_empty]


# ---------------------------------------------------------------- inside


def _cover(platform: Platform, point: Point, app: RunningApp, element: Element) -> str | None:
    """What lies over the element there, in words; None where a click reaches it."""
    popups = [one for one in platform.windows.popups(app.windows[0].id, OPENED) if one.contains(point)]
    if popups:
        chain = [*platform.accessibility.lineage(element.node)[:0:-1], element]
        return None if any(_is_in(popup, chain) for popup in popups) else f"an open menu or list of {app.app.name}"
    menu_of = _menu_of_another(platform, point, app)
    if menu_of is not None:
        return f"a menu or tooltip of the window {menu_of.title!r}"
    under = windows.at(platform, point)
    if under is None:
        return "something else"
    own = _window_of(platform, app, element) if under.pid == app.app.pid else None
    covered = under.pid != app.app.pid if own is None else under.id != own.id
    if covered:
        return f"the window {under.title!r}"
    return _modal_over(platform, own or under)


def _is_in(popup: Rect, chain: Sequence[Element]) -> bool:
    """Whether the last of these, which are each in the one before, is in a popup.

    Being where the popup is proves nothing: what lies under it is there too.
    """
    *ancestors, element = chain
    if element.role.startswith(_IN_MENUS) or any(one.role in _HOLDS_ENTRIES for one in ancestors):
        return True
    return any(one.bounds is not None and _fills(one.bounds, popup) for one in chain)


def _fills(inner: Rect, outer: Rect) -> bool:
    around = Rect(outer.x - _EDGE, outer.y - _EDGE, outer.width + 2 * _EDGE, outer.height + 2 * _EDGE)
    inside = around.intersection(inner) == inner
    return inside and 2 * inner.width * inner.height >= outer.width * outer.height


def _menu_of_another(platform: Platform, point: Point, app: RunningApp) -> Window | None:
    """The window of another application whose open menu or tooltip lies there: those are above all windows."""
    others = {window.pid: window for window in windows.visible(platform) if window.pid != app.app.pid}
    for window in others.values():
        if any(popup.contains(point) for popup in platform.windows.popups(window.id)):
            return window
    return None


def _modal_over(platform: Platform, window: Window) -> str | None:
    """The dialog that must be answered before that window takes anything, in words: wherever it is, clicks are lost."""
    for one in windows.visible(platform):
        over = one.belongs_to == window.id or (one.belongs_to is None and one.pid == window.pid)
        if one.modal and over and one.id != window.id:
            return f"the dialog {one.title!r}, which must be answered first"
    return None


def _window_of(platform: Platform, app: RunningApp, element: Element) -> Window | None:
    """The window that an element is in; None where the application does not tell."""
    if len(app.windows) == 1:
        return app.windows[0]
    top = platform.accessibility.lineage(element.node)[-1]
    if top.bounds is None or top.node == element.node:
        return None
    place = top.bounds

    def distance(window: Window) -> tuple[bool, int]:
        return window.title != top.title, min(_apart(window.frame, place), _apart(window.bounds, place))

    return min(app.windows, key=distance)


def _apart(one: Rect, other: Rect) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def _bring_forward(platform: Platform, app: RunningApp, element: Element) -> None:
    own = _window_of(platform, app, element)
    if own is None:
        bring_forward(platform, app)
    else:
        platform.windows.activate(own.id)
