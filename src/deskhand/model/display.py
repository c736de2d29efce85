"""A display (monitor) of the desktop."""

from dataclasses import dataclass

from deskhand.model.geometry import Rect


@dataclass(frozen=True, slots=True)
class Display:
    """One display: its part of the screen in pixels, and how many pixels one point of its interface has."""

    id: int
    name: str
    bounds: Rect
    scale: float
    main: bool
