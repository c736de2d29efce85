"""Modifiers that are held: told of, and let go of where somebody else holds them while we type."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

import xcffib.xkb
import xcffib.xtest

from deskhand.model.errors import NotPossible
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.keyboard.keymap import Keymap

_RELEASE: Final = 3
_CORE_KEYBOARD: Final = 0x100
_STATE_NOTIFY: Final = 1 << 2
_HELD_SECONDS: Final = 1.0
_WORDS: Final = ((1, "Shift"), (4, "Ctrl"), (8, "Alt"), (32, "Mod3"), (64, "Super"), (128, "AltGr"))


class Modifiers:
    """The modifiers of an X server's keyboard, whoever holds them."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        self._xtest: Any = server.extension(xcffib.xtest)

    @cached_property
    def _xkb(self) -> Any:
        xkb = self._server.extension(xcffib.xkb)
        xkb.UseExtension(1, 0).reply()
        return xkb

    def state(self) -> Any:
        """XKB's own words for it: `baseMods` are held, `lockedMods` locked, `group` is the active layout."""
        return self._xkb.GetState(_CORE_KEYBOARD).reply()

    def in_words(self) -> list[str]:
        """The modifiers that are physically down now."""
        held = self.state().baseMods
        return [word for bit, word in _WORDS if held & bit]

    def free(self, keymap: Keymap, ours: Sequence[int]) -> None:
        """Let go of modifiers that are held by other keys than ours: a hotkey's Super would make commands of a text.

        They are not pressed again: whoever holds them knows better when to let go. Raises NotPossible where somebody
        does not let go of them within 1 s.
        """
        state = self.state()
        if state.latchedMods:
            # A sticky key waits for the next one, which would be ours.
            self._xkb.LatchLockState(_CORE_KEYBOARD, 0, 0, False, 0, state.latchedMods, False, 0)

        def held_by_others() -> int:
            return int(self.state().baseMods & ~keymap.modifiers_of(ours))

        if not held_by_others():
            return
        self._release_all_but(keymap, ours)
        if held_by_others() and not self._wait_until_free(held_by_others):
            held = " and ".join(self.in_words())
            raise NotPossible(
                f"somebody holds {held} down on the keyboard", recovery="try again when the key is released"
            )

    def _release_all_but(self, keymap: Keymap, ours: Sequence[int]) -> None:
        down = self._server.core.QueryKeymap().reply().keys
        for keycode, modifier in keymap.modifier_map.items():
            if modifier and keycode not in ours and down[keycode >> 3] >> (keycode & 7) & 1:
                self._xtest.FakeInput(_RELEASE, keycode, 0, 0, 0, 0, 0)
        self._server.sync()

    def _wait_until_free(self, held_by_others: Callable[[], int]) -> bool:
        self._xkb.SelectEvents(_CORE_KEYBOARD, _STATE_NOTIFY, 0, _STATE_NOTIFY, 0, 0)
        try:
            return self._server.wait_until(lambda: not held_by_others(), _HELD_SECONDS)
        finally:
            self._xkb.SelectEvents(_CORE_KEYBOARD, _STATE_NOTIFY, _STATE_NOTIFY, 0, 0, 0)
