"""Putting one value into a JSON text, in the manner in which that is written, without touching anything else."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

_SPACE: Final = re.compile(r"\s*")
_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)


@dataclass(frozen=True, slots=True)
class _Object:
    """Where an object lies in a text: its braces, and where the value of each member begins and ends."""

    start: int
    """Of the opening brace."""
    close: int
    """Of the closing one."""
    members: dict[str, tuple[int, int]]


def put(text: str, said: str, plain: str, path: Sequence[str], value: Any) -> str | None:
    """The text with a value at a path of names; objects on the way that are missing are made.

    `said` is the text without comments, `plain` that as plain JSON, each with every character in its place. None where
    a comment would be lost.
    """
    at = _object_at(plain, _skip(plain, 0))
    for depth, name in enumerate(path):
        rest = path[depth + 1 :]
        span = at.members.get(name)
        if span is None:
            for one in reversed(rest):
                value = {one: value}
            return _with_member(text, said, at, name, value)
        if not rest or plain[span[0]] != "{":
            return _with_value(text, said, span, _nested(rest, value))
        at = _object_at(plain, span[0])
    return None


def _nested(names: Sequence[str], value: Any) -> Any:
    for name in reversed(names):
        value = {name: value}
    return value


def _with_value(text: str, said: str, span: tuple[int, int], value: Any) -> str | None:
    """The text with another value at this place."""
    start, end = span
    if text[start:end] != said[start:end]:
        return None
    old = text[start:end]
    is_long = "\n" in old or old in ("{}", "[]")
    return text[:start] + _written(text, value, _indentation_at(text, start), is_long=is_long) + text[end:]


def _with_member(text: str, said: str, at: _Object, name: str, value: Any) -> str:
    """The text with one more member at the end of an object."""
    key = json.dumps(name, ensure_ascii=False)
    first = min((start for start, _ in at.members.values()), default=at.close)
    last = max((end for _, end in at.members.values()), default=at.start + 1)
    end = at.start + 1 + len(text[at.start + 1 : at.close].rstrip())
    outer = _indentation_at(text, at.start)
    is_long = "\n" in text[at.start : first] if at.members else "\n" in text
    comma = "," if at.members and not said[last : at.close].lstrip().startswith(",") else ""
    if not is_long:
        gap = " " if at.members and not _is_tight(text) else ""
        member = key + _colon(text) + _written(text, value, outer, is_long=False)
        return text[:last] + comma + text[last:end] + gap + member + text[end:]
    inner = _indentation_at(text, first) if at.members else outer + _unit(text)
    member = _line_end(text) + inner + key + ": " + _written(text, value, inner, is_long=True)
    before_close = text[end : at.close] if "\n" in text[end : at.close] else _line_end(text) + outer
    return text[:last] + comma + text[last:end] + member + before_close + text[at.close :]


# ------------------------------------------------------------ the manner in which a text is written


def _written(text: str, value: Any, indentation: str, *, is_long: bool) -> str:
    if not is_long:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":") if _is_tight(text) else None)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (_line_end(text) + indentation).join(lines)


def _unit(text: str) -> str:
    """What a text indents by."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _indentation_at(text: str, position: int) -> str:
    """What stands before the first word of a line."""
    start = text.rfind("\n", 0, position) + 1
    found = re.compile(r"[ \t]*").match(text, start)
    return found[0] if found else ""


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _is_tight(text: str) -> bool:
    """Whether all of it is one line without spaces between its words."""
    return "\n" not in text.strip() and '": ' not in text


def _colon(text: str) -> str:
    return ":" if _is_tight(text) else ": "


# ------------------------------------------------------------ where things lie in plain JSON


def _object_at(plain: str, start: int) -> _Object:
    members: dict[str, tuple[int, int]] = {}
    position = _skip(plain, start + 1)
    while plain[position] != "}":
        name, position = _DECODER.raw_decode(plain, position)
        value = _skip(plain, _skip(plain, position) + 1)
        _, end = _DECODER.raw_decode(plain, value)
        members[name] = (value, end)
        position = _skip(plain, end)
        if plain[position] == ",":
            position = _skip(plain, position + 1)
    return _Object(start, position, members)


def _skip(plain: str, position: int) -> int:
    """The next position that is no space."""
    found = _SPACE.match(plain, position)
    assert found is not None
    return found.end()
