"""What a script runs with, and how long it may be."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform

LONGEST_SCRIPT: Final = 20_000
"""Characters."""


@dataclass(frozen=True, slots=True)
class Context:
    """The desktop, and what this caller may do there."""

    platform: Platform
    turn: Turn
    permit: Callable[[str, Iterable[str]], None]
    """Called with what a script says and the names of applications that it tells; raises Denied where it may not."""
    permit_shell: Callable[[], None]
    """Called before anything runs, for each `do shell script`; raises Denied where that is not allowed."""
