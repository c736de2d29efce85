"""What is shown to whoever sits at the desktop."""

from collections.abc import Callable, Sequence
from typing import Protocol

from deskhand.model.question import Answer, Question
from deskhand.model.turn import HasFileno


class Notifications(Protocol):
    """Short messages to whoever sits at the desktop."""

    def show(self, title: str, text: str) -> None:
        """Show one. Raises Unsupported where nothing on the desktop shows them."""
        ...


class Dialogs(Protocol):
    """Questions to whoever sits at the desktop."""

    def check(self) -> None:
        """Raise Unsupported where nobody could be asked."""
        ...

    def ask(self, question: Question, wait: Callable[[Sequence[HasFileno], float], bool], seconds: float) -> Answer:
        """Show a question, and wait so many seconds for a person's answer; ABORT where it is closed, or nobody answers.

        `wait` waits for something to read, for so many seconds at most, and may raise to stop. What programs press
        counts for nothing. Raises Unsupported where that cannot be told.
        """
        ...
