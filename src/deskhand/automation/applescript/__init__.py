"""Scripts in the part of AppleScript that drives interfaces: read whole, checked whole, then run.

Nothing of this is loaded, nor the parser's library, before `play` is called for the first time.
"""

from typing import TYPE_CHECKING

from deskhand.automation.applescript.context import LONGEST_SCRIPT, Context

if TYPE_CHECKING:
    from deskhand.automation.applescript.run import Played

__all__ = ["LONGEST_SCRIPT", "Context", "play"]


def play(script: str, context: Context) -> "Played":
    """Run a script.

    Raises NotUnderstood, naming the line, before anything has been done where some of it cannot be run here, and Denied
    where it may not; what goes wrong in the middle names its line too.
    """
    from deskhand.automation.applescript.check import check, targets
    from deskhand.automation.applescript.parse import parse
    from deskhand.automation.applescript.run import Player
    from deskhand.automation.applescript.source import in_one_line

    body = parse(script)
    check(body, context.permit_shell)
    context.permit(script, targets(body))
    # The same words with other spaces, or a comment between them, are the same script.
    context.permit(in_one_line(script), ())
    return Player(context).play(body)
