"""Servers in a JSON file, which may have comments: what is added goes between what is there, and nothing else moves."""

import json
import re
from typing import Any, Final

from deskhand.cli.clients.splicing import put
from deskhand.model.errors import BadConfiguration

_TOKENS: Final = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA_BEFORE_END: Final = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
_MARK: Final = "\ufeff"


def added(text: str, table: str, name: str, entry: dict[str, Any]) -> str:
    """The text with a server in it, all else as it was; the same text where the server is there already.

    Of a server that starts differently only that is changed, and what else its owner has set for it stays.
    Raises BadConfiguration where it does not parse, has no place for servers, or would lose a comment.
    """
    mark, body = (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)
    if not body.strip():
        return mark + json.dumps({table: {name: entry}}, indent=2, ensure_ascii=False) + "\n"
    before = _parsed(_plain(body))
    servers = before.get(table, {})
    if not isinstance(servers, dict):
        raise BadConfiguration(f"{table} is no object")
    old = servers.get(name)
    new = old | entry if isinstance(old, dict) else entry
    if old == new:
        return text
    after = _spliced(body, table, name, entry, old)
    if after is None or _parsed(_plain(after)) != before | {table: servers | {name: new}}:
        shown = json.dumps({table: {name: entry}}, indent=2, ensure_ascii=False)
        raise BadConfiguration(
            "it has a comment in what would change, and it would be lost", recovery=f"add this to it yourself:\n{shown}"
        )
    return mark + after


def _spliced(text: str, table: str, name: str, entry: dict[str, Any], old: Any) -> str | None:
    if not isinstance(old, dict):
        return put(text, *_layers(text), (table, name), entry)
    after: str | None = text
    for key, value in entry.items():
        if old.get(key) != value and after is not None:
            after = put(after, *_layers(after), (table, name, key), value)
    return after


def _layers(text: str) -> tuple[str, str]:
    """The text without its comments, and without commas before an end too: plain JSON. Every character stays in place."""
    if _is_plain(text):
        return text, text

    def blank(found: re.Match[str]) -> str:
        said = found[0]
        return said if said.startswith('"') else re.sub(r"[^\r\n]", " ", said)

    said = _TOKENS.sub(blank, text)
    return said, _COMMA_BEFORE_END.sub(lambda found: found[1] or " ", said)


def _plain(text: str) -> str:
    return _layers(text)[1]


def _is_plain(text: str) -> bool:
    """Whether there are no comments to look for: of a large file that takes long."""
    try:
        json.loads(text, parse_int=str)
    except (ValueError, RecursionError):
        return False
    return True


def _parsed(text: str) -> dict[str, Any]:
    """What JSON says; numbers as they are written, however long they are."""
    try:
        found = json.loads(text, object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        raise BadConfiguration(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise BadConfiguration("line 1: it is nested too deeply") from None
    if not isinstance(found, dict):
        raise BadConfiguration("line 1: it is no object")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, where no name stands twice: one of the two would be lost."""
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadConfiguration(f"the name {json.dumps(twice, ensure_ascii=False)} stands twice in one object")
    return made
