"""What lies on the clipboard."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

Contents = Mapping[str, bytes]
"""The same thing in several forms: bytes by target (a MIME type, or an X name like UTF8_STRING)."""

TEXT_TARGETS: Final = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain;charset=UTF-8")


@dataclass(frozen=True, slots=True)
class Clip:
    """The clipboard as people see it. `text` is None where nothing on it can be read as text."""

    text: str | None
    file_urls: tuple[str, ...]
    has_image: bool
    has_more: bool = False
    """Whether there is something, in forms of which none is any of these."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at all."""
        return self.text is None and not self.file_urls and not self.has_image and not self.has_more


def text_contents(text: str) -> Contents:
    """What a program offers that has copied a text."""
    encoded = text.encode("utf-8")
    forms = dict.fromkeys((*TEXT_TARGETS, "text/plain", "TEXT"), encoded)
    with contextlib.suppress(UnicodeEncodeError):
        forms["STRING"] = text.encode("latin-1")  # the one form that is not UTF-8 (ICCCM 2.6.2)
    return forms
