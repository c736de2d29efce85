"""The ports with what has been granted before everything that acts: nobody who uses a desktop this way goes round it.

It stands outside the policy (`guarded.py`): what the human has granted is still refused where the policy denies it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from deskhand.desktop.gated import Gated, GatedAccessibility, GatedApps
from deskhand.desktop.tier_gate import TierGate
from deskhand.guard import system_keys
from deskhand.guard.access import Access
from deskhand.guard.given import Flag
from deskhand.guard.policy import Deed
from deskhand.guard.tiers import Tier
from deskhand.model.clipboard import Clip, Contents
from deskhand.model.geometry import Point
from deskhand.model.keys import Chord, Modifier
from deskhand.platforms.base import (
    Accessibility,
    Apps,
    Button,
    Clipboard,
    Keyboard,
    Missing,
    Platform,
    Pointer,
    Windows,
)


@dataclass(slots=True)
class _Held:
    """The modifiers that are down now, pressed through these ports."""

    modifiers: list[Modifier] = field(default_factory=list)


def tiered(platform: Platform, access: Access) -> Platform:
    """The same desktop, where nothing is done that has not been granted.

    Looking, and moving the pointer with no button held, needs no grant.
    """
    gate, held = TierGate(platform, access), _Held()

    def wrapped(port: Any, make: Callable[..., object], *more: object) -> Any:
        return port if isinstance(port, Missing) else make(port, gate, *more)

    return replace(
        platform,
        pointer=cast(Pointer, wrapped(platform.pointer, TieredPointer, held)),
        keyboard=cast(Keyboard, wrapped(platform.keyboard, TieredKeyboard, held, access)),
        windows=cast(Windows, wrapped(platform.windows, TieredWindows)),
        accessibility=cast(Accessibility, wrapped(platform.accessibility, GatedAccessibility)),
        apps=cast(Apps, wrapped(platform.apps, GatedApps)),
        clipboard=cast(Clipboard, wrapped(platform.clipboard, TieredClipboard, access)),
    )


class TieredPointer(Gated[TierGate]):
    """The pointer: left clicks and the wheel need less than other buttons, dragging, and modifiers held meanwhile."""

    def __init__(self, port: Pointer, gate: TierGate, held: _Held) -> None:
        super().__init__(port, gate)
        self._held = held

    def move(self, to: Point) -> None:
        if self._port.held():
            self._gate.before_dragging_to(to)
        self._port.move(to)

    def press(self, button: Button) -> None:
        self._gate.before_pointer(Deed.DRAG, Tier.FULL)
        self._port.press(button)

    def click(self, button: Button, times: int = 1) -> None:
        is_plain = button is Button.LEFT and not self._held.modifiers
        self._gate.before_pointer(Deed.CLICK, Tier.CLICK if is_plain else Tier.FULL)
        self._port.click(button, times)

    def scroll(self, dx: int, dy: int) -> None:
        self._gate.before_pointer(Deed.SCROLL, Tier.FULL if self._held.modifiers else Tier.CLICK)
        self._port.scroll(dx, dy)


class TieredKeyboard(Gated[TierGate]):
    """The keyboard: all of it needs the whole application; what the desktop itself listens to needs more."""

    def __init__(self, port: Keyboard, gate: TierGate, held: _Held, access: Access) -> None:
        super().__init__(port, gate)
        self._held = held
        self._access = access

    def type(self, text: str, window: int, go_on: Callable[[], None]) -> None:
        def still() -> None:
            go_on()
            self._gate.before_keys(Deed.TYPE)

        self._gate.before_keys(Deed.TYPE)
        self._port.type(text, window, still)

    def press(self, chord: Chord) -> None:
        system_keys.check_chord(self._access, chord, self._held.modifiers)
        self._gate.before_keys(Deed.KEY)
        self._port.press(chord)
        self._held.modifiers += chord.modifiers

    def hold(self, modifiers: Sequence[Modifier]) -> None:
        system_keys.check_held(self._access, modifiers)
        self._gate.before_keys(Deed.KEY)
        self._port.hold(modifiers)
        self._held.modifiers += modifiers

    def release_all(self) -> None:
        self._port.release_all()
        self._held.modifiers.clear()


class TieredWindows(Gated[TierGate]):
    """The windows: one that comes to the front must be granted, one that is closed may be used in full."""

    def activate(self, window: int) -> bool:
        self._gate.before_window(window, Deed.ACTIVATE, Tier.VIEW)
        return bool(self._port.activate(window))

    def close(self, window: int) -> None:
        self._gate.before_window(window, Deed.CLOSE, Tier.FULL)
        self._port.close(window)


class TieredClipboard(Gated[TierGate]):
    """The clipboard: reading it and writing it have a grant each. `lent` needs none: nothing of it is told or stays."""

    def __init__(self, port: Clipboard, gate: TierGate, access: Access) -> None:
        super().__init__(port, gate)
        self._access = access

    def read(self) -> Clip:
        self._access.check_flag(Flag.CLIPBOARD_READ)
        return cast(Clip, self._port.read())

    def contents(self) -> Contents:
        self._access.check_flag(Flag.CLIPBOARD_READ)
        return cast(Contents, self._port.contents())

    def write(self, contents: Contents) -> None:
        self._access.check_flag(Flag.CLIPBOARD_WRITE)
        self._port.write(contents)
