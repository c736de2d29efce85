"""What an act has brought about, as far as can be told, and the way it went."""

from enum import StrEnum


class Effect(StrEnum):
    """Whether an act did what it was for. A call that returned proves nothing."""

    CONFIRMED = "confirmed"
    """What it was for was seen: the element changed, the text was read back, a window came."""
    UNVERIFIED = "unverified"
    """It was done, and nothing that can be read tells whether it worked."""
    NO_CHANGE = "no_change"
    """It was done, and nothing at all has changed."""


class Route(StrEnum):
    """How an act was done."""

    ACCESSIBILITY = "accessibility"
    POINTER = "pointer"
    KEYBOARD = "keyboard"
    CLIPBOARD = "clipboard"
