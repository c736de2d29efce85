"""How far an application may be used."""

from enum import StrEnum
from typing import Final


class Tier(StrEnum):
    """How far: each allows what those before it do."""

    VIEW = "view"
    CLICK = "click"
    FULL = "full"

    def allows(self, other: "Tier") -> bool:
        """Whether what needs the other tier may be done in this one."""
        return _ORDER.index(self) >= _ORDER.index(other)


_ORDER: Final = (Tier.VIEW, Tier.CLICK, Tier.FULL)
ABOUT: Final = {
    Tier.VIEW: "look at it",
    Tier.CLICK: "look, left click and scroll",
    Tier.FULL: "look, click and type",
}
"""What each allows, for people."""
