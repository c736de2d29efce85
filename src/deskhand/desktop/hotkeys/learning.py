"""Learning the shortcuts that an application shows in its menus and tells of its elements."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from deskhand.desktop.apps import RunningApp
from deskhand.desktop.elements.looking import inside
from deskhand.desktop.hotkeys.manifest import Hotkey, Manifest, Source, problem_of_chord
from deskhand.model.element import Budget, Element
from deskhand.model.errors import NotAnswering
from deskhand.platforms.base import Platform

_BUDGET: Final = Budget(nodes=20_000, seconds=5.0)
_TOGGLES: Final = frozenset({"menuitemcheckbox", "menuitemradio", "checkbox", "switch"})
_MENUS: Final = frozenset({"menu", "menubar"})
_NO_WORD: Final = re.compile(r"[\W_]+")
_LONGEST_LABEL: Final = 120


def learned(platform: Platform, app: RunningApp) -> Manifest:
    """The shortcuts that an application shows now. Raises Unsupported where it shows nothing at all, NotAnswering."""
    tree = platform.accessibility.shortcuts(inside(app), _BUDGET)
    entries: dict[str, Hotkey] = {}
    for part in _parts(tree.elements):
        found: dict[str, Hotkey] = {}
        for path, element in _with_paths(part):
            hotkey = _hotkey(app, path, element)
            if hotkey is not None:
                found.setdefault(hotkey.key, hotkey)
        # LibreOffice tells its menu bar twice, the second time with other keys, which do nothing.
        if not entries.keys() & found.keys():
            entries |= found
    if tree.warnings and not entries:
        raise NotAnswering(f"{app.app.name} (pid {app.app.pid}) does not answer: its shortcuts cannot be told")
    return Manifest(app.app.name, "", tuple(entries.values()), app.app.bundle_id)


def _hotkey(app: RunningApp, path: Sequence[str], element: Element) -> Hotkey | None:
    chord, label = element.description, _label_of(element)
    if not chord or not label or element.role in _MENUS or problem_of_chord(chord) or _is_mnemonic(chord, label):
        return None
    key = _key(app.app.name, *path, label)
    return Hotkey(app.app.name, key, chord, label, _kind(element, path), Source.LEARNED, app.app.bundle_id)


def _is_mnemonic(chord: str, label: str) -> bool:
    """Whether it is the marked letter of a menu or button, which works only while that is open (Qt tells these too)."""
    held, _, key = chord.rpartition("+")
    return held == "alt" and len(key) == 1 and key in label.casefold()


def _parts(elements: Iterable[Element]) -> list[list[Element]]:
    """The elements of each menu bar, and those between."""
    parts: list[list[Element]] = [[]]
    bar: int | None = None
    for element in elements:
        if element.role == "menubar" or (bar is not None and element.depth <= bar):
            bar = element.depth if element.role == "menubar" else None
            parts.append([])
        parts[-1].append(element)
    return parts


def _with_paths(elements: Iterable[Element]) -> Iterator[tuple[list[str], Element]]:
    """Each element with the titles of the menus it is in."""
    above: list[Element] = []
    for element in elements:
        while above and above[-1].depth >= element.depth:
            above.pop()
        # Qt puts the menu, which has no title, below the entry that opens it.
        yield [_label_of(one) for one in above if one.role in ("menu", "menuitem") and one.title.strip()], element
        above.append(element)


def _label_of(element: Element) -> str:
    return element.title.strip().removesuffix("…").removesuffix("...").strip()[:_LONGEST_LABEL]


def _kind(element: Element, path: Sequence[str]) -> str:
    if element.role in _TOGGLES:
        return "toggle"
    if element.title.rstrip().endswith(("…", "...")):
        return "modal"  # by all toolkits' rules for menus: it asks for more before it does anything
    return "view" if path and path[0].casefold() in ("view", "go") else "action"


def _key(*words: str) -> str:
    parts = (_NO_WORD.sub("_", word.casefold()).strip("_") for word in words)
    return ".".join(part[:40] for part in parts if part)
