"""What a script runs with, and how much of it there may be."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform

LONGEST_SCRIPT: Final = 20_000
"""Characters."""
MOST_STATEMENTS: Final = 10_000
"""That run, in loops each time."""
MOST_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True)
class Context:
    """The desktop, and what this caller may do there."""

    platform: Platform
    turn: Turn
    permit: Callable[[str, Iterable[str]], None]
    """Called before anything runs, with the script and the applications it names; raises where one is denied."""
    permit_shell: Callable[[], None]
    """Called for each `do shell script`; raises Denied where that is not allowed."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Of the desktop, for shell commands."""
