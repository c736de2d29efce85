"""`do shell script`: what a command says as a value, and its failure as an error of the script."""

from typing import Final

from deskhand.automation.applescript.context import Context
from deskhand.automation.applescript.values import LONGEST_TEXT
from deskhand.model.errors import NotPossible

_LONGEST_COMPLAINT: Final = 300


class ShellFailed(NotPossible):
    """Raised when a command ends with a status that is not 0; `number` is that status, as `on error … number` has it."""

    recovery = "correct the command, or hold its failure back with try … on error"

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.number = number


def run(command: str, context: Context, seconds: float) -> str:
    """What a command writes to its standard output, without the line break at its end.

    Raises Denied where none may run, ShellFailed for one that fails, NotPossible for one that says or takes too much.
    """
    if "\0" in command:
        raise NotPossible("a shell command cannot hold a null character", recovery="correct the command")
    done = context.platform.shell.run(command, context.turn, seconds=seconds, most_bytes=4 * LONGEST_TEXT)
    if done.status:
        complaint = _text(done.errors) or _text(done.output) or "it says nothing"
        raise ShellFailed(
            f"the shell command ended with status {done.status}: {complaint[-_LONGEST_COMPLAINT:]}", done.status
        )
    return _text(done.output)


def _text(said: bytes) -> str:
    return said.decode("utf-8", "replace").removesuffix("\n")
