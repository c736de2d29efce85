"""A question to the human who sits at the desktop, or at the client, and what they said."""

from dataclasses import dataclass
from enum import StrEnum


class Answer(StrEnum):
    """What came of a question."""

    ALLOW = "allow"
    DENY = "deny"
    ABORT = "abort"
    """It was closed, or nobody has answered in time."""


@dataclass(frozen=True, slots=True)
class Question:
    """Whether something may be done. `lines` tell what; `reason` is what a model says, and not to be trusted."""

    title: str
    lines: tuple[str, ...]
    reason: str

    @property
    def text(self) -> str:
        """All of it, for whoever shows a text."""
        return "\n".join(
            (self.title, *(f"- {line}" for line in self.lines), f"Reason given by the agent: {self.reason}")
        )
