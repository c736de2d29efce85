"""What was copied."""

from contextlib import AbstractContextManager
from typing import Protocol

from deskhand.model.clipboard import Clip, Contents


class Clipboard(Protocol):
    """The clipboard."""

    def read(self) -> Clip: ...

    def contents(self) -> Contents:
        """All forms of what is on the clipboard."""
        ...

    def write(self, contents: Contents) -> None:
        """Put something on the clipboard; it stays there after this process has ended."""
        ...

    def lent(self, contents: Contents) -> AbstractContextManager[None]:
        """Have something on the clipboard while the block runs, then put back all forms of what was there.

        For what is pasted as a way of typing: whoever has it so neither learns nor loses what somebody has copied.
        """
        ...

    def wait_until_pasted(self, window: int, seconds: float) -> bool:
        """Whether the application of this window has fetched what was written last, within so many seconds."""
        ...
