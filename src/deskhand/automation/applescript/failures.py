"""What goes wrong while a script runs: the line it comes from, and what `try` gets to know of it."""

import re
from typing import Final

from deskhand.automation.applescript.model import Statement
from deskhand.model.errors import (
    Cancelled,
    Denied,
    DeskError,
    DesktopLost,
    NotPossible,
    PermissionMissing,
    SessionRequired,
    TooFast,
)

NEVER_CAUGHT: Final = (Cancelled, Denied, DesktopLost, PermissionMissing, SessionRequired)
"""What `try` does not hold back: the caller, the policy or the desktop has ended the script."""

# What a guard says is written to the audit, where nothing may stand that was to be typed.
_AUDITED: Final = (Denied, SessionRequired, TooFast)
_TEXT: Final = re.compile(r'"(?:\\.|[^"\\])*"?')
_NO_NUMBER: Final = -2700
"""What AppleScript numbers an error that has no number of its own."""


class ScriptEnded(NotPossible):
    """Raised when a script does more than it may, or says so itself with `error`."""

    recovery = "correct the script, then run it again; inspect_ui tells what it has done so far"

    def __init__(self, message: str, number: int = _NO_NUMBER) -> None:
        super().__init__(message)
        self.number = number


def name_line(error: DeskError, statement: Statement, acts_before: int) -> None:
    """Put the statement in front of an error's message, unless an inner statement has done so."""
    if getattr(error, "__notes__", None):
        return
    said = str(error)
    done = "" if not acts_before else f" ({acts_before} act{'s' if acts_before > 1 else ''} done before)"
    error.add_note(said)
    error.acted = bool(acts_before)
    error.args = (f"{place(statement, error)}: {said}{done}",)


def place(statement: Statement, error: DeskError) -> str:
    """Where in the script an error comes from, in words that may stand wherever the error goes."""
    words = _TEXT.sub('"…"', statement.words) if isinstance(error, _AUDITED) else statement.words
    return f"line {statement.line}: {words!r}"


def message_of(error: DeskError) -> str:
    """What an error said before its line was put in front."""
    notes: list[str] = getattr(error, "__notes__", [])
    return notes[0] if notes else str(error)


def number_of(error: DeskError) -> int:
    """The number that `on error message number n` gets."""
    return int(getattr(error, "number", _NO_NUMBER))
