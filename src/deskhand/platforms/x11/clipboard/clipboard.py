"""Reading and writing the clipboard of an X screen."""

import time
from typing import Final
from urllib.parse import urlsplit

from deskhand.model.clipboard import TEXT_TARGETS, Clip, Contents
from deskhand.platforms.x11.clipboard.holder_client import HolderClient
from deskhand.platforms.x11.clipboard.selection import SelectionReader
from deskhand.platforms.x11.connection import XServer, translate_errors

_READ_SECONDS: Final = 2.0
_LATIN_TEXT: Final = "STRING"
_FILES: Final = "text/uri-list"
_NOT_CONTENTS: Final = frozenset({"TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION"})


@translate_errors
class X11Clipboard:
    """The selection CLIPBOARD."""

    def __init__(self, server: XServer, holder: HolderClient) -> None:
        self._server = server
        self._reader = SelectionReader(server)
        self._holder = holder

    def read(self) -> Clip:
        """What is on the clipboard, as people see it.

        Raises NotAnswering where the program that has copied it does not answer within 2 s.
        """
        if not self._reader.owner():
            return Clip(None, (), has_image=False)
        deadline = time.monotonic() + _READ_SECONDS
        targets = self._reader.targets(deadline)
        text = self._text(targets, deadline)
        urls = self._reader.read(_FILES, deadline) if _FILES in targets else None
        return Clip(
            text=text,
            file_urls=_file_urls(urls or b""),
            has_image=any(target.startswith("image/") for target in targets),
        )

    def contents(self) -> Contents:
        """All forms of what is on the clipboard, to be put back later with `write`.

        Raises NotAnswering where the program that has copied it does not answer within 2 s for one of them.
        """
        if not self._reader.owner():
            return {}
        found: dict[str, bytes] = {}
        for target in self._reader.targets(time.monotonic() + _READ_SECONDS):
            if target not in _NOT_CONTENTS and target not in found:
                data = self._reader.read(target, time.monotonic() + _READ_SECONDS)
                if data is not None:
                    found[target] = data
        return found

    def write(self, contents: Contents) -> None:
        """Put something on the clipboard; it stays there after this process has ended.

        Nothing at all empties the clipboard.
        """
        self._holder.own(contents)

    def wait_until_pasted(self, window: int, seconds: float) -> bool:
        """Whether the application of this window has fetched what was written last, within so many seconds."""
        mask = self._server.connection.get_setup().resource_id_mask
        return self._holder.wait_until_served(lambda requestor: requestor & ~mask == window & ~mask, seconds)

    def _text(self, targets: list[str], deadline: float) -> str | None:
        for target in (*TEXT_TARGETS, "text/plain"):
            if target in targets and (data := self._reader.read(target, deadline)) is not None:
                return data.decode("utf-8", "replace").rstrip("\0")
        if _LATIN_TEXT in targets and (data := self._reader.read(_LATIN_TEXT, deadline)) is not None:
            return data.decode("latin-1").rstrip("\0")
        return None


def _file_urls(data: bytes) -> tuple[str, ...]:
    """The file URLs of a text/uri-list (RFC 2483): other schemes and comments are left out."""
    lines = data.decode("utf-8", "replace").rstrip("\0").splitlines()
    return tuple(line for line in lines if urlsplit(line).scheme == "file")
