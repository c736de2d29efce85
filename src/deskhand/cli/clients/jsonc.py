"""Servers in a JSON file, which may have comments: those are read, but could not be kept."""

import json
import re
from typing import Any, Final

from deskhand.model.errors import BadConfiguration

_TOKENS: Final = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA_BEFORE_END: Final = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)


def added(text: str, table: str, name: str, entry: dict[str, Any]) -> str:
    """The text with a server in it, all else as it was; the same text where the server is there already.

    Raises BadConfiguration where it does not parse, has no place for servers, or has comments.
    """
    if not text.strip():
        return _written({table: {name: entry}}, "  ")
    plain, is_lossy = _without_comments(text)
    found = _parsed(plain)
    servers = found.setdefault(table, {})
    if not isinstance(servers, dict):
        raise BadConfiguration(f"{table} is no object")
    if servers.get(name) == entry:
        return text
    if is_lossy:
        shown = json.dumps({table: {name: entry}}, indent=2, ensure_ascii=False)
        raise BadConfiguration(
            "it has comments, or commas before an end, which would be lost",
            recovery=f"add this to it yourself:\n{shown}",
        )
    servers[name] = entry
    return _written(found, _indentation(text))


def _without_comments(text: str) -> tuple[str, bool]:
    """Plain JSON of the same lines, and whether anything had to go for it."""

    def blank(found: re.Match[str]) -> str:
        said = found[0]
        return said if said.startswith('"') else re.sub(r"[^\n]", " ", said)

    plain = _TOKENS.sub(blank, text)
    plain = _COMMA_BEFORE_END.sub(lambda found: found[1] or " ", plain)
    return plain, plain != text


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_object)
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


def _indentation(text: str) -> str | None:
    """How the file indents; None where all of it is one line."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else None if "\n" not in text.strip() else "  "


def _written(content: dict[str, Any], indentation: str | None) -> str:
    separators = (",", ":") if indentation is None else None
    text = json.dumps(content, indent=indentation, ensure_ascii=False, separators=separators) + "\n"
    if text.encode("utf-8", "replace").decode() != text:  # half a surrogate pair is written as an escape alone
        text = json.dumps(content, indent=indentation, separators=separators) + "\n"
    return text
