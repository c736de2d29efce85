"""Menu bars: `menu item "Save" of menu "File" of menu bar 1` as a way through them."""

from collections.abc import Sequence
from typing import Final

from deskhand.automation.applescript.targets import Step, bare
from deskhand.automation.applescript.things import ElementThing
from deskhand.desktop.apps import RunningApp
from deskhand.desktop.elements import looking
from deskhand.desktop.elements.shown import Shown
from deskhand.model.errors import NotFound
from deskhand.platforms.base import Platform

_IN_BAR: Final = frozenset({"menu bar", "menu bar item"})


def leads_through_bar(steps: Sequence[Step]) -> bool:
    """Whether steps go through a menu bar, and not into a menu that is open somewhere else."""
    return any(step.kind in _IN_BAR for step in steps)


def way(platform: Platform, app: RunningApp, steps: Sequence[Step]) -> list[list[ElementThing]]:
    """Every item that the steps lead to, each with those it is in before it. Raises NotFound."""
    rows = looking.menus(platform, app).shown
    if not rows:
        raise NotFound(
            f"{app.app.name} has no menu bar", recovery="press its menu button, or use keystroke with a shortcut"
        )
    trails: list[list[int]] = [[place] for place, row in enumerate(rows) if row.depth == 0]
    for step in _named_steps(steps):
        found = [[*trail, place] for trail in trails for place in _children(rows, trail[-1])]
        trails = _chosen(rows, found, step)
        if not trails:
            there = ", ".join(repr(rows[trail[-1]].title) for trail in found[:15]) or "nothing"
            raise NotFound(f"no {step.words()} in the menus of {app.app.name}; there is {there}")
    return [[ElementThing(rows[place].element, rows[place].title, app) for place in trail] for trail in trails]


def _named_steps(steps: Sequence[Step]) -> list[Step]:
    """What leads a level down: a Mac has `menu 1` (or the same name again) between an item and what is in it."""
    kept: list[Step] = []
    for number, step in enumerate(steps):
        after_item = number > 0 and steps[number - 1].kind in ("menu bar item", "menu item")
        is_menu_of_item = step.kind == "menu" and after_item
        if step.kind in ("menu", "menu item", "menu bar item") and not is_menu_of_item:
            kept.append(step)
    return kept


def _children(rows: Sequence[Shown], place: int) -> list[int]:
    depth, found = rows[place].depth, []
    for at in range(place + 1, len(rows)):
        if rows[at].depth <= depth:
            break
        if rows[at].depth == depth + 1:
            found.append(at)
    return found


def _chosen(rows: Sequence[Shown], trails: list[list[int]], step: Step) -> list[list[int]]:
    if step.selector is None:
        return trails
    if isinstance(step.selector, int):
        place = step.selector - 1 if step.selector > 0 else len(trails) + step.selector
        return [trails[place]] if step.selector and 0 <= place < len(trails) else []
    wanted = step.selector.strip()
    for plain in (str.casefold, bare):
        fitting = [trail for trail in trails if plain(rows[trail[-1]].title.strip()) == plain(wanted)]
        if fitting:
            return fitting[:1]
    return []
