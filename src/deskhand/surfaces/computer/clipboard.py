"""The clipboard, where that has been granted."""

from typing import Annotated, Final

from deskhand.desk import Desk
from deskhand.model.clipboard import Clip, text_contents
from deskhand.surfaces.computer.results import Answer
from deskhand.tools import Effect, arg, tool

_LONGEST_SHOWN: Final = 20_000
_MOST_FILES: Final = 50
_LONGEST_TEXT: Final = 100_000


@tool("read_clipboard", effect=Effect.READS, idempotent=True, after_acts=True)
def read_clipboard(desk: Desk) -> Answer:
    """The text on the clipboard."""
    clip = desk.platform.clipboard.read()
    if not clip.text:
        return Answer(_without_text(clip))
    if len(clip.text) > _LONGEST_SHOWN:
        return Answer(f"{clip.text[:_LONGEST_SHOWN]}…\n({len(clip.text)} characters in all)")
    return Answer(clip.text)


def _without_text(clip: Clip) -> str:
    if clip.file_urls:
        shown = "\n".join(clip.file_urls[:_MOST_FILES])
        more = f"\n… ({len(clip.file_urls)} in all)" if len(clip.file_urls) > _MOST_FILES else ""
        return f"There is no text on the clipboard, but copied files:\n{shown}{more}"
    if clip.has_image:
        return "There is an image on the clipboard, and no text."
    if clip.has_more:
        return "What is on the clipboard is no text: paste it to see what it is."
    return "The clipboard is empty." if clip.text is None else "The text on the clipboard is empty."


@tool("write_clipboard", effect=Effect.WRITES, session=True)
def write_clipboard(desk: Desk, text: Annotated[str, arg(private=True, max_length=_LONGEST_TEXT)]) -> Answer:
    """Put a text on the clipboard."""
    desk.platform.clipboard.write(text_contents(text))
    return Answer(f"{len(text)} characters are on the clipboard.")
