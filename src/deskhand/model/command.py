"""What has come of a command of the shell."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that has ended: its exit status (-9 where signal 9 has ended it), and what it has said."""

    status: int
    output: bytes
    errors: bytes
