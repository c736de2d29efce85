"""Plain values as TOON (Token-Oriented Object Notation).

Source: the format's specification 3.3.2, whose encode fixtures are among the tests. Later versions write two forms
that the axi surface does not promise, keyed tables and nested headers; a decoder of 4.x reads all that is written here.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

_INDENT: Final = "  "
_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_LIKE_A_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_NEEDS_QUOTES: Final = re.compile(r'[:"\\\[\]{},\x00-\x1f\x7f]|^[\s#\ufeff-]|\s$')
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED: Final = re.compile(r'[\\"\x00-\x1f]')


def encode(value: Any) -> str:
    """The TOON document of a value: of None, booleans, numbers, text, and lists and mappings of such."""
    if isinstance(value, Mapping):
        return "\n".join(_fields(value, 0))
    if _is_list(value):
        return "\n".join(_array("", value, 0))
    return primitive(value)


def primitive(value: Any) -> str:
    """A value that has no parts, as it stands in a line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    return _text(str(value))


def _number(number: float) -> str:
    if not math.isfinite(number):
        return "null"
    if number == int(number) and abs(number) < 1e21:
        return str(int(number))
    written = repr(number)
    if "e" in written and 1e-6 <= abs(number) < 1e21:
        return format(Decimal(written), "f")
    return written


def _text(text: str) -> str:
    needs_quotes = (
        not text
        or text in ("true", "false", "null")
        or _NEEDS_QUOTES.search(text) is not None
        or _LIKE_A_NUMBER.fullmatch(text) is not None
    )
    return quoted(text) if needs_quotes else text


def quoted(text: str) -> str:
    """A text in quotes, with what would break the line escaped."""
    return '"' + _ESCAPED.sub(lambda match: _ESCAPES.get(match[0], f"\\u{ord(match[0]):04x}"), text) + '"'


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else quoted(key)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_primitive(value: Any) -> bool:
    return not isinstance(value, Mapping) and not _is_list(value)


def _fields(fields: Mapping[str, Any], level: int) -> Iterator[str]:
    indent = _INDENT * level
    for key, value in fields.items():
        if isinstance(value, Mapping):
            yield f"{indent}{_key(key)}:"
            yield from _fields(value, level + 1)
        elif _is_list(value):
            yield from _array(_key(key), value, level)
        else:
            yield f"{indent}{_key(key)}: {primitive(value)}"


def _array(key: str, items: Sequence[Any], level: int, first_indent: str | None = None) -> Iterator[str]:
    """An array's header line and what belongs below it, one level deeper."""
    indent = _INDENT * level if first_indent is None else first_indent
    if not items:
        yield f"{indent}{key}: []" if key else f"{indent}[]"
        return
    header = f"{indent}{key}[{len(items)}]"
    if all(map(_is_primitive, items)):
        yield f"{header}: {','.join(map(primitive, items))}"
    elif (key or first_indent is None) and (columns := _columns(items)) is not None:  # a list item cannot be a table
        yield f"{header}{{{','.join(map(_key, columns))}}}:"
        indent = _INDENT * (level + 1)
        for row in items:
            yield indent + ",".join(primitive(row[column]) for column in columns)
    else:
        yield f"{header}:"
        for item in items:
            yield from _item(item, level + 1)


def _columns(items: Sequence[Any]) -> list[str] | None:
    """The columns of a table, None where the items do not make one."""
    first = items[0]
    if not isinstance(first, Mapping) or not first:
        return None
    columns = list(first)
    for item in items:
        if not isinstance(item, Mapping) or len(item) != len(columns):
            return None
        if not all(column in item and _is_primitive(item[column]) for column in columns):
            return None
    return columns


def _item(item: Any, level: int) -> Iterator[str]:
    """One item of a list: its first line begins with a hyphen."""
    hyphen = _INDENT * level + "- "
    if isinstance(item, Mapping):
        yield from _object_item(item, level, hyphen)
    elif _is_list(item):
        if item:
            yield from _array("", item, level, hyphen)
        else:
            yield f"{hyphen}[0]:"
    else:
        yield hyphen + primitive(item)


def _object_item(item: Mapping[str, Any], level: int, hyphen: str) -> Iterator[str]:
    if not item:
        yield hyphen.rstrip()
        return
    (first, value), *rest = item.items()
    if isinstance(value, Mapping):
        yield f"{hyphen}{_key(first)}:"
        yield from _fields(value, level + 2)
    elif _is_list(value):
        yield from _array(_key(first), value, level + 1, hyphen)
    else:
        yield f"{hyphen}{_key(first)}: {primitive(value)}"
    yield from _fields(dict(rest), level + 1)
