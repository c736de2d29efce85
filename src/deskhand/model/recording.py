"""A recording of the screen, as it stands."""

from dataclasses import dataclass
from pathlib import Path

from deskhand.model.geometry import Size


@dataclass(frozen=True, slots=True)
class Recording:
    """What there is of a recording: `seconds` of film, `length` bytes, `frames` that differ from the one before."""

    id: str
    target: str
    path: Path
    size: Size
    seconds: float
    length: int
    frames: int
    end: str | None
    """Why it has ended, None while it goes on."""
