"""What the system lets this process do, by trying: look into applications, take pictures, act."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from deskhand.model.errors import DeskError
from deskhand.model.geometry import Rect
from deskhand.platforms.base import Platform


@dataclass(frozen=True, slots=True)
class Permission:
    """One of them; `remedy` is what to do where it does not work."""

    name: str
    works: bool
    about: str
    remedy: str = ""


def permissions(connect: Callable[[], Platform]) -> list[Permission]:
    """Each of them, tried with something harmless. `connect` may raise: then nothing works."""
    return [_tried(name, connect, attempt) for name, attempt in _ATTEMPTS.items()]


def _tried(name: str, connect: Callable[[], Platform], attempt: Callable[[Platform], str]) -> Permission:
    try:
        return Permission(name, True, attempt(connect()))
    except DeskError as error:
        return Permission(name, False, str(error), error.recovery)


def _accessibility(platform: Platform) -> str:
    return f"{len(platform.accessibility.apps())} applications can be looked into"


def _screen(platform: Platform) -> str:
    size = platform.screen.size()
    platform.screen.grab(Rect(0, 0, min(8, size.width), min(8, size.height)))
    return f"{size.width}x{size.height} pixels"


def _input(platform: Platform) -> str:
    platform.pointer.position()
    platform.keyboard.locks()
    return "the pointer and the keyboard can be used"


_ATTEMPTS: Final[dict[str, Callable[[Platform], str]]] = {
    "accessibility": _accessibility,
    "screenCapture": _screen,
    "input": _input,
}
