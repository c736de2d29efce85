"""The text of a script: its comments taken out without moving a line, and its statements as they are quoted."""

import re
from typing import Final

from deskhand.model.errors import BadArguments

LONGEST_QUOTE: Final = 80
ADVICE: Final = (
    "rewrite it with activate, quit, keystroke, key code, click, set value of, delay, the clipboard, display "
    "notification, return, set, if, repeat, try; docs/applescript.md shows each"
)
# A text, a comment to the end of the line, the two ends of a comment, or any one character.
_PIECE: Final = re.compile(r'"(?:\\.|[^"\\])*"|--[^\n]*|#[^\n]*|\(\*|\*\)|.', re.DOTALL)
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
    kept: list[str] = []
    opened: list[int] = []
    line = 1
    for match in _PIECE.finditer(script):
        piece = match[0]
        if piece == "(*":
            opened.append(line)
        is_comment = bool(opened) or piece.startswith(("--", "#"))
        if piece == "*)" and opened:
            opened.pop()
        if piece == '"' and not opened:
            raise NotUnderstood(f"line {line}: the text that begins with this quote has no end")
        kept.append(_blank(piece) if is_comment else piece)
        line += piece.count("\n")
    if opened:
        raise NotUnderstood(f"line {opened[0]}: the comment that begins here has no end")
    return "".join(kept) + "\n"


def statement_at(script: str, line: int) -> str:
    """The statement that begins in a line, on one line and cut to what can be quoted."""
    rest = "\n".join(script.splitlines()[line - 1 :])
    words = " ".join(_CONTINUED.sub(" ", rest).partition("\n")[0].split())
    return words if len(words) <= LONGEST_QUOTE else f"{words[: LONGEST_QUOTE - 1]}…"


def _blank(piece: str) -> str:
    return "".join("\n" if character == "\n" else " " for character in piece)
