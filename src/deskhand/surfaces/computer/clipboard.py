"""The clipboard, where that has been granted."""

from typing import Annotated, Final

from deskhand.desk import Desk
from deskhand.model.clipboard import text_contents
from deskhand.surfaces.computer.results import Answer
from deskhand.tools import Effect, arg, tool

_LONGEST_SHOWN: Final = 20_000
_LONGEST_TEXT: Final = 100_000


@tool("read_clipboard", effect=Effect.READS, idempotent=True, after_acts=True)
def read_clipboard(desk: Desk) -> Answer:
    """The text on the clipboard."""
    clip = desk.platform.clipboard.read()
    if not clip.text:
        empty = "The clipboard is empty." if clip.text is None else "The text on the clipboard is empty."
        return Answer("There is an image on the clipboard, and no text." if clip.has_image else empty)
    if len(clip.text) > _LONGEST_SHOWN:
        return Answer(f"{clip.text[:_LONGEST_SHOWN]}…\n({len(clip.text)} characters in all)")
    return Answer(clip.text)


@tool("write_clipboard", effect=Effect.WRITES, session=True)
def write_clipboard(desk: Desk, text: Annotated[str, arg(private=True, max_length=_LONGEST_TEXT)]) -> Answer:
    """Put a text on the clipboard."""
    desk.platform.clipboard.write(text_contents(text))
    return Answer(f"{len(text)} characters are on the clipboard.")
