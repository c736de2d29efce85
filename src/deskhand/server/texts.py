"""JSON texts out of lines: one a line, as the protocol has it, or one over several, as people write it.

What is no JSON comes out as it went in, and is refused where it is read.
"""

import json
import re
from typing import Final

_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')
_TOKENS: Final = re.compile(rb"(?:[\s{}\[\],:0-9.eE+-]|true|false|null)*")
_DEEPEST: Final = 100


class Texts:
    """Puts the lines of a text together that has begun and not ended."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []
        self._depth = 0

    def take(self, line: bytes) -> list[bytes]:
        """The texts that end with a line that has come."""
        line = line.strip()
        if not line:
            return []
        if not self._begun:
            return self._begin(line)
        if not _go_together(self._begun[-1], line) or _is_message(line):
            return [*self.end(), *self._begin(line)]
        depth = _depth_of(line)
        if depth is None or not 0 <= self._depth + depth <= _DEEPEST:
            return [*self.end(), *self._begin(line)]
        self._begun.append(line)
        self._depth += depth
        return [] if self._depth else self.end()

    def end(self) -> list[bytes]:
        """What is left of a text that does not go on."""
        text = b"\n".join(self._begun)
        self._begun, self._depth = [], 0
        return [text] if text else []

    def _begin(self, line: bytes) -> list[bytes]:
        is_whole = line.endswith((b"}", b"]")) and all(line.count(a) == line.count(b) for a, b in (b"{}", b"[]"))
        depth = None if is_whole or not line.startswith((b"{", b"[")) else _depth_of(line)
        if depth is None or not 0 < depth <= _DEEPEST:
            return [line]
        self._begun, self._depth = [line], depth
        return []


def _depth_of(line: bytes) -> int | None:
    """How many more brackets a line opens than it closes, None where it can be no part of a JSON text."""
    rest = _STRING.sub(b"", line)
    if _TOKENS.fullmatch(rest) is None:
        return None
    return rest.count(b"{") + rest.count(b"[") - rest.count(b"}") - rest.count(b"]")


def _go_together(before: bytes, line: bytes) -> bool:
    """Whether a line can follow another in a JSON text: after a value comes a comma, and after a comma a value."""
    expects, goes_on = before[-1:] in b"{[,:", line[:1] in b"}],:"
    return expects != goes_on or (before[-1:] in b"{[" and line[:1] in b"}]")


def _is_message(line: bytes) -> bool:
    """Whether a line is a message by itself: what was begun before it has been cut off."""
    try:
        return "jsonrpc" in json.loads(line)
    except (ValueError, TypeError, RecursionError):
        return False
