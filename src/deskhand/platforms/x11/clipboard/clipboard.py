"""Reading and writing the clipboard of an X screen."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from deskhand.model.clipboard import TEXT_TARGETS, Clip, Contents
from deskhand.model.errors import DeskError, NotAnswering
from deskhand.platforms.linux.patience import Patience
from deskhand.platforms.x11.clipboard.holder_client import HolderClient
from deskhand.platforms.x11.clipboard.selection import SelectionReader
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.errors import translate_errors
from deskhand.platforms.x11.owners import Owners
from deskhand.platforms.x11.ping import process_of

_READ_SECONDS: Final = 2.0
_LATIN_TEXT: Final = "STRING"
_FILES: Final = "text/uri-list"
_NOT_CONTENTS: Final = frozenset({"TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION"})


@translate_errors
class X11Clipboard:
    """The selection CLIPBOARD."""

    def __init__(self, server: XServer, holder: HolderClient, patience: Patience) -> None:
        self._server = server
        self._owners = Owners(server)
        self._patience = patience
        self._reader = SelectionReader(server)
        self._holder = holder

    def read(self) -> Clip:
        """What is on the clipboard, as people see it.

        Raises NotAnswering where the program that has copied it does not answer within 2 s.
        """
        owner = self._reader.owner()
        if not owner:
            return Clip(None, (), has_image=False)
        with self._asking(owner) as seconds:
            deadline = time.monotonic() + seconds
            targets = self._reader.targets(deadline)
            text = self._text(targets, deadline)
            urls = self._reader.read(_FILES, deadline) if _FILES in targets else None
        has_image = any(target.startswith("image/") for target in targets)
        clip = Clip(text, _file_urls(urls or b""), has_image)
        return replace(clip, has_more=clip.is_empty and not _NOT_CONTENTS.issuperset(targets))

    def contents(self) -> Contents:
        """All forms of what is on the clipboard, to be put back later with `write`.

        Raises NotAnswering where the program that has copied it does not answer within 2 s for one of them.
        """
        owner = self._reader.owner()
        if not owner:
            return {}
        found: dict[str, bytes] = {}
        with self._asking(owner) as seconds:
            for target in self._reader.targets(time.monotonic() + seconds):
                if target not in _NOT_CONTENTS and target not in found:
                    data = self._reader.read(target, time.monotonic() + seconds)
                    if data is not None:
                        found[target] = data
        return found

    def write(self, contents: Contents) -> None:
        """Put something on the clipboard; it stays there after this process has ended.

        Nothing at all empties the clipboard.
        """
        self._holder.own(contents)

    @contextlib.contextmanager
    def lent(self, contents: Contents) -> Iterator[None]:
        """Have something on the clipboard while the block runs, then put back all forms of what was there.

        Raises what `contents` does, before anything has changed.
        """
        before = self.contents()
        self.write(contents)
        try:
            yield
        finally:
            # Where the desktop has gone, so has the clipboard.
            with contextlib.suppress(DeskError):
                self.write(before)

    def wait_until_pasted(self, window: int, seconds: float) -> bool:
        """Whether the application of this window has fetched what was written last, within so many seconds."""
        mask = self._server.connection.get_setup().resource_id_mask
        pid, start = process_of(self._server, window), time.monotonic()
        seconds = self._patience.within(pid, seconds)
        if self._holder.wait_until_served(lambda requestor: requestor & ~mask == window & ~mask, seconds):
            self._patience.answered(pid)
            return True
        self._patience.waited(pid, time.monotonic() - start)
        return False

    @contextlib.contextmanager
    def _asking(self, owner: int) -> Iterator[float]:
        """Ask the owner of the clipboard while the block runs, waiting so many seconds for an answer."""
        pid, start = self._owners.made_by(owner) or -owner, time.monotonic()
        try:
            yield self._patience.within(pid, _READ_SECONDS)
        except NotAnswering:
            self._patience.waited(pid, time.monotonic() - start)
            raise
        self._patience.answered(pid)

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
