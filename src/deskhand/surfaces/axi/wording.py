"""Results in the words of this surface: TOON with handles, help lines, and nothing an application could fake.

Titles and values come from the screen: they are cut to a length, put on one line and quoted where they could be taken
for anything but text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

from deskhand.desktop.elements.looking import View
from deskhand.desktop.elements.refs import Refs
from deskhand.desktop.elements.shown import Shown
from deskhand.model.element import Element
from deskhand.model.event import Event
from deskhand.model.geometry import Point, Rect
from deskhand.model.image import Picture
from deskhand.surfaces.axi.results import Inspected, Text
from deskhand.surfaces.axi.toon import encode
from deskhand.tools import ABSENT

LONGEST_CELL: Final = 160
_LONGEST_LINE: Final = 400
_RAW_KEYS: Final = ("empty",)
_REST_OF_APP: Final = "inspect_ui with a higher max_elements, or find_elements with a role or title"
_REST_OF_FOUND: Final = "raise limit (to 100 at most), or say more of what you look for"
_JOINERS: Final = "\u200c\u200d"
"""Persian words and many emoji are not the same without these two, which nobody sees."""
_OTHER_BREAKS: Final = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def one_line(text: str, limit: int = _LONGEST_LINE) -> str:
    """A text without line breaks and control characters, cut to a length."""
    line = _visible(text).strip()
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _visible(text: str, also: str = "") -> str:
    """A text with a space for each character that cannot be seen."""
    kept = _JOINERS + also
    return "".join(character if character.isprintable() or character in kept else " " for character in text)


def _whole(text: str) -> str:
    """A text as it is, but for what cannot be written, and with one kind of line break: the one that is escaped."""
    return _OTHER_BREAKS.sub("\n", text).encode("utf-8", "replace").decode()


def body(values: Mapping[str, Any], *, strict: bool) -> str:
    """The TOON of a reply. In the axi dialect the sentence of an empty answer stands unquoted, as it was promised."""
    if strict:
        return encode(values)
    raw = {key: values[key] for key in _RAW_KEYS if key in values}
    rest = {key: value for key, value in values.items() if key not in raw}
    lines = [encode(rest)] if rest else []
    return "\n".join([*lines, *(f"{key}: {one_line(value)}" for key, value in raw.items())])


def help_line(hints: Sequence[str], *, strict: bool) -> str:
    """What to do next."""
    if strict:
        return encode({"help": list(hints)})
    return f"help[{' | '.join(hints)}]"


def error_lines(message: str, recovery: str, *, strict: bool) -> str:
    """What went wrong, and what to do about it."""
    message, recovery = one_line(message), one_line(recovery)
    if strict:
        return encode({"error": message, "recovery": recovery})
    return f"error: {message}\nrecovery: {recovery}"


def rendered(value: object, refs: Refs) -> Any:
    """A result as plain values for TOON, its elements under fresh handles."""
    if isinstance(value, Inspected):
        return _inspected(value, refs)
    if isinstance(value, View):
        return _view(value, refs, _REST_OF_FOUND)
    if isinstance(value, Picture):
        return _contract(value)
    if isinstance(value, Element):
        return _element(value, value.title, refs)
    if isinstance(value, Shown):
        return _element(value.element, value.title, refs)
    if isinstance(value, Event):
        return _event(value, refs)
    if isinstance(value, Text):
        return _whole(value)
    if isinstance(value, Rect):
        return list(value)
    if isinstance(value, Point):
        return {"x": value.x, "y": value.y}
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return _object(value, refs)
    if isinstance(value, Mapping):
        return {one_line(str(name), LONGEST_CELL): rendered(item, refs) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [rendered(item, refs) for item in value]
    return one_line(value) if isinstance(value, str) else value


_INLINE: Final = (Element, Shown, View, Picture, Inspected)


def _object(value: Any, refs: Refs) -> dict[str, Any]:
    """A dataclass; what one of its fields shows stands among its own fields."""
    shown: dict[str, Any] = {}
    for one in fields(value):
        found = getattr(value, one.name)
        if found is ABSENT:
            continue
        if isinstance(found, _INLINE):
            shown |= rendered(found, refs)
        else:
            shown[one.name] = rendered(found, refs)
    return shown


def _element(element: Element, title: str, refs: Refs) -> dict[str, Any]:
    """One element under a title: the states that are not as usual are named.

    Its handle is bound to its own name, which it still has when the handle is used; the title may be another's words.
    """
    shown: dict[str, Any] = {
        "handle_id": refs.give(element, title),
        "role": one_line(element.role, LONGEST_CELL),
        "title": one_line(title, LONGEST_CELL),
        "value": _cell(element.value, _LONGEST_LINE),
        "bounds": list(element.bounds) if element.bounds else None,
    }
    if not element.enabled:
        shown["enabled"] = False
    if element.focused:
        shown["focused"] = True
    return shown


def _event(event: Event, refs: Refs) -> dict[str, Any]:
    """One event as a row; the handle is of now, whenever it happened."""
    return {
        "ts": round(event.time, 3),
        "app": one_line(event.app, LONGEST_CELL),
        "type": event.kind.value,
        "role": one_line(event.role, LONGEST_CELL),
        "title": one_line(event.title, LONGEST_CELL),
        "value": _cell(event.value, LONGEST_CELL),
        "count": event.count,
        "handle_id": refs.give(event.element) if event.element else None,
    }


def _contract(picture: Picture) -> dict[str, Any]:
    """How the pixels of a picture lie on the screen."""
    return {
        "width": picture.size.width,
        "height": picture.size.height,
        "scale": round(picture.scale, 4),
        "origin": f"{picture.source.x} {picture.source.y}",
    }


def _inspected(value: Inspected, refs: Refs) -> dict[str, Any]:
    shown: dict[str, Any] = {"app": one_line(value.app, LONGEST_CELL), "pid": value.pid}
    if value.nested:
        return (
            shown | _counts(value.view, _REST_OF_APP) | {"elements": _nested(value.view.shown, refs, full=value.full)}
        )
    return shown | _view(value.view, refs, _REST_OF_APP, full=value.full)


def _view(view: View, refs: Refs, rest: str, *, full: bool = False) -> dict[str, Any]:
    rows = [_row(one, refs, full=full) for one in view.shown]
    return _counts(view, rest) | {"elements": rows}


def _counts(view: View, rest: str) -> dict[str, Any]:
    """How much of what there is was seen; `rest` says how to see more."""
    counts: dict[str, Any] = {"total": view.total, "shown": len(view.shown), "truncated": view.truncated}
    if view.total > len(view.shown):
        counts["rest"] = rest
    if view.warnings:
        counts["warning"] = one_line("; ".join(view.warnings))
    return counts


def _row(one: Shown, refs: Refs, *, full: bool) -> dict[str, Any]:
    element = one.element
    row: dict[str, Any] = {
        "handle_id": refs.give(element, one.title),
        "depth": one.depth,
        "role": one_line(element.role, LONGEST_CELL),
        "title": one_line(one.title, LONGEST_CELL),
        "value": _cell(element.value, LONGEST_CELL),
        "bounds": " ".join(map(str, element.bounds)) if element.bounds else None,
    }
    return row | _details(element) if full else row


def _details(element: Element) -> dict[str, Any]:
    return {
        "subrole": one_line(element.native_role, LONGEST_CELL),
        "description": one_line(element.description, LONGEST_CELL),
        "identifier": one_line(element.identifier, LONGEST_CELL),
        "enabled": element.enabled,
        "focused": element.focused,
        "selected": element.selected,
    }


def _nested(rows: Sequence[Shown], refs: Refs, *, full: bool) -> list[dict[str, Any]]:
    """Elements in each other, each with its bounds as a list."""
    roots: list[dict[str, Any]] = []
    path: list[tuple[int, dict[str, Any]]] = []
    for one in rows:
        row = _row(one, refs, full=full)
        del row["depth"]
        row["bounds"] = list(one.element.bounds) if one.element.bounds else None
        while path and path[-1][0] >= one.depth:
            path.pop()
        (path[-1][1].setdefault("children", []) if path else roots).append(row)
        path.append((one.depth, row))
    return roots


def _cell(value: str | None, limit: int) -> str | None:
    if value is None:
        return None
    kept = _visible(value[: limit + 1], "\n\t")  # line breaks stay: the encoder escapes them
    return kept if len(kept) <= limit else f"{kept[: limit - 1]}…"
