"""Acting on elements, and telling honestly what came of it."""

from deskhand.desktop.elements.performing import focus, perform, press
from deskhand.desktop.elements.scene import AFTER_SECONDS, Acted, Target, refuse_disabled
from deskhand.desktop.elements.setting import set_value, takes_value

__all__ = [
    "AFTER_SECONDS",
    "Acted",
    "Target",
    "focus",
    "perform",
    "press",
    "refuse_disabled",
    "set_value",
    "takes_value",
]
