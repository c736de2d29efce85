"""Servers in a TOML file: a table is put at its end, and nothing else of it is touched."""

import json
import re
import tomllib
from typing import Any, Final

from deskhand.model.errors import BadConfiguration

_MARK: Final = "\ufeff"


def added(text: str, table: str, name: str, entry: dict[str, Any]) -> str:
    """The text with a server's table at its end; the same text where the server is there already.

    Raises BadConfiguration where it does not parse, or has that server with other words: comments may stand among
    them, so that change is left to its owner.
    """
    before = _parsed(text)
    servers = before.get(table, {})
    if not isinstance(servers, dict):
        raise BadConfiguration(f"{table} is no table")
    if servers.get(name) == entry:
        return text
    line_end = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{table}.{name}]", *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items())]
    shown = "\n".join(lines) + "\n"
    if name in servers:
        raise BadConfiguration(
            f"it has a server {name} already, which starts differently",
            recovery=f"change it to this yourself:\n{shown}",
        )
    space = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    after = text + (space + shown).replace("\n", line_end)
    # A table that was written in one line cannot be added to.
    if not _is_whole(after) or _parsed(after) != before | {table: servers | {name: entry}}:
        raise BadConfiguration(
            f"{table} is written in a form that cannot be added to", recovery=f"add this to it yourself:\n{shown}"
        )
    return after


def _is_whole(text: str) -> bool:
    try:
        tomllib.loads(text.removeprefix(_MARK))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix(_MARK))
    except RecursionError:
        raise BadConfiguration("line 1: it is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", str(error), re.DOTALL)
        said, line = (found[1], found[2]) if found else (str(error), None)
        raise BadConfiguration(f"line {line or text.count(chr(10)) + 1}: {said}") from None
