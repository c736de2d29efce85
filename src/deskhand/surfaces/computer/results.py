"""What an action answers: a sentence, a picture, or both."""

from dataclasses import dataclass
from typing import Any, Final

from deskhand.model.image import Picture
from deskhand.model.window import Window
from deskhand.surfaces.surface import image_block

_LONGEST_TITLE: Final = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one action."""

    text: str = ""
    picture: Picture | None = None

    def blocks(self) -> list[dict[str, Any]]:
        """It as MCP content."""
        content = [text_block(self.text)] if self.text else []
        return [*content, *([image_block(self.picture)] if self.picture else [])]


@dataclass(frozen=True, slots=True)
class Answers:
    """What came of several actions, one after the other."""

    each: tuple[Answer, ...]

    def blocks(self) -> list[dict[str, Any]]:
        """They as MCP content."""
        return [block for answer in self.each for block in answer.blocks()]


def text_block(text: str) -> dict[str, Any]:
    """A text as MCP content."""
    return {"type": "text", "text": text}


def within(window: Window | None) -> str:
    """The window that something was done in, as the end of a sentence."""
    if window is None:
        return " on the bare desktop"
    title = "".join(one for one in " ".join(window.title.split()) if one.isprintable())
    return f" in {title[:_LONGEST_TITLE]!r}" if title else ""
