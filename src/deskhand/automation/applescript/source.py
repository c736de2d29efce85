"""The text of a script: its comments taken out without moving a line, and its statements as they are quoted."""

import re
from typing import Final

from deskhand.model.errors import BadArguments

LONGEST_QUOTE: Final = 80
_FAR_ENOUGH: Final = 10 * LONGEST_QUOTE
"""Characters in which what is quoted stands, with the spaces of comments that were taken out."""
ADVICE: Final = (
    "rewrite it with activate, quit, keystroke, key code, click, set value of, delay, the clipboard, display "
    "notification, return, set, if, repeat, try; docs/applescript.md shows each"
)
# Outside of comments: a text, a comment to the end of the line, the two ends of a comment, or any one character.
_PIECE: Final = re.compile(r'"(?:\\.|[^"\\])*"|--[^\n]*|#[^\n]*|\(\*|.', re.DOTALL)
# Within one nothing counts but where it, or another in it, ends.
_COMMENTED: Final = re.compile(r"\(\*|\*\)|(?:(?!\(\*|\*\)).)+", re.DOTALL)
_CONTINUED: Final = re.compile(r"¬[ \t]*\r?\n\s*")


class NotUnderstood(BadArguments):
    """Raised when a script says what cannot be run here; the message names the line and the statement."""

    recovery = ADVICE


def without_comments(script: str) -> str:
    """A script with spaces where its comments were, ending with a line break.

    Raises NotUnderstood for a text or a comment without an end.
    """
    if "\0" in script or any("\ud800" <= character <= "\udfff" for character in script):
        raise NotUnderstood("a script cannot hold null characters or half characters (lone surrogates)")
    text = script.replace("\r\n", "\n").replace("\r", "\n")
    kept: list[str] = []
    place = 0
    while place < len(text):
        piece = _piece(text, place)
        if piece == '"':
            raise NotUnderstood(f"line {line_of(text, place)}: the text that begins with this quote has no end")
        is_comment = piece.startswith(("--", "#", "(*"))
        kept.append(_blank(piece) if is_comment else piece)
        place += len(piece)
    return "".join(kept) + "\n"


def _piece(text: str, place: int) -> str:
    """What begins at a place: a comment and a text whole, all else one character at a time."""
    match = _PIECE.match(text, place)
    assert match is not None
    if match[0] != "(*":
        return match[0]
    depth, end = 0, place
    while inner := _COMMENTED.match(text, end):
        depth += {"(*": 1, "*)": -1}.get(inner[0], 0)
        end = inner.end()
        if not depth:
            return text[place:end]
    raise NotUnderstood(f"line {line_of(text, place)}: the comment that begins here has no end")


def line_of(text: str, place: int) -> int:
    """The line a place is in, from 1."""
    return text.count("\n", 0, place) + 1


def in_one_line(script: str) -> str:
    """All that a script says, without its comments and with single spaces."""
    return " ".join(_CONTINUED.sub(" ", without_comments(script)).split())


def statement_at(script: str, place: int) -> str:
    """The statement in whose line a place is, on one line and cut to what can be quoted."""
    begin = script.rfind("\n", 0, place) + 1
    rest = script[begin : begin + _FAR_ENOUGH]
    words = " ".join(_CONTINUED.sub(" ", rest).partition("\n")[0].split())
    return words if len(words) <= LONGEST_QUOTE else f"{words[: LONGEST_QUOTE - 1]}…"


def _blank(piece: str) -> str:
    return "".join("\n" if character == "\n" else " " for character in piece)
