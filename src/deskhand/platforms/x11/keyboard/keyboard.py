"""Key presses, and text in any layout, through the XTEST keyboard."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

import xcffib.xkb
import xcffib.xproto
import xcffib.xtest

from deskhand.model.errors import BadArguments, NotPossible
from deskhand.model.keys import Chord, Modifier
from deskhand.platforms.x11.connection import XServer, translate_errors
from deskhand.platforms.x11.keyboard import keysyms
from deskhand.platforms.x11.keyboard.keymap import LOCK, PARTS, Keymap, KeyStroke
from deskhand.platforms.x11.keyboard.spare import SpareKeys
from deskhand.platforms.x11.ping import wait_until_handled

_PRESS, _RELEASE = 2, 3
_CORE_KEYBOARD: Final = 0x100
_STATE_NOTIFY: Final = 1 << 2
_HELD_SECONDS: Final = 1.0
_HANDLED_SECONDS: Final = 2.0
_AT_ONCE: Final = 64
_MODIFIER_KEYSYMS: Final = {
    Modifier.SHIFT: keysyms.SHIFT_L,
    Modifier.CTRL: keysyms.CONTROL_L,
    Modifier.ALT: keysyms.ALT_L,
    Modifier.SUPER: keysyms.SUPER_L,
    Modifier.ALTGR: keysyms.ISO_LEVEL3_SHIFT,
}
_MODIFIER_WORDS: Final = ((1, "Shift"), (4, "Ctrl"), (8, "Alt"), (32, "Mod3"), (64, "Super"), (128, "AltGr"))


@translate_errors
class X11Keyboard:
    """The keyboard of an X screen.

    Text goes by the layout that the XTEST keyboard has, in its active group; what that lacks goes by spare keys.
    """

    def __init__(self, server: XServer) -> None:
        self._server = server
        self._xtest: Any = server.extension(xcffib.xtest)
        self._keymap: Keymap | None = None
        self._spare = SpareKeys(server)
        self._down: list[int] = []
        """The keys this process holds, in the order they were pressed."""

    @cached_property
    def _xkb(self) -> Any:
        xkb = self._server.extension(xcffib.xkb)
        xkb.UseExtension(1, 0).reply()
        return xkb

    @cached_property
    def _device(self) -> int:
        return _xtest_keyboard(self._server)

    # ------------------------------------------------------------ text

    def check(self, text: str) -> None:
        """Raise BadArguments where a text holds what no key writes."""
        for position, character in enumerate(text):
            code_point = ord(character)
            is_control = (code_point < 0x20 and character not in "\n\t\r") or 0x7F <= code_point < 0xA0
            if is_control or 0xD800 <= code_point < 0xE000:
                raise BadArguments(
                    f"text: the character U+{code_point:04X} at position {position} cannot be typed",
                    recovery="leave control characters out of the text; use the key tool for keys",
                )

    def type(self, text: str, window: int, go_on: Callable[[], None]) -> None:
        """Type a text into the window that has the keyboard.

        `window` is that window, asked whether it has caught up where the text needs more spare keys than there are.
        `go_on` is called now and then and may raise to stop. Nothing is left held, whatever happens. Caps Lock and Num
        Lock are respected and stay as they are. Raises BadArguments before the first key (see `check`), NotPossible
        where somebody holds a modifier for longer than 1 s.
        """
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.check(text)
        self._free_modifiers()
        try:
            rest = text
            while rest:
                strokes, rest = self._plan(rest, window)
                self._play(strokes, go_on)
        finally:
            self.release_all()

    def _plan(self, text: str, window: int) -> tuple[list[KeyStroke], str]:
        """The keys for as much of a text as the spare keys have room for, and what is left of it."""
        keymap, group, locked = self._read_layout()
        known = keymap.characters(group, locked) | self._special_keys(keymap, group, locked)
        missing = dict.fromkeys(character for character in text if character not in known)
        if missing:
            now, text, rest = _split_at(text, list(missing)[: self._spare.room], known)
            if not now:
                raise NotPossible(
                    "the keyboard layout has no spare key for the characters it lacks",
                    recovery="set the text with ax_set_value, or put it on the clipboard and paste it",
                )
            self._spare.place(now, lambda: self._catch_up(window))
            keymap, group, locked = self._read_layout()
            known |= keymap.characters(group, locked)
        else:
            rest = ""
        lost = next((character for character in text if character not in known), None)
        if lost is not None:
            raise NotPossible(f"the character {lost!r} cannot be typed in this keyboard layout")
        return [known[character] for character in text], rest

    def _catch_up(self, window: int) -> None:
        wait_until_handled(self._server, window, _HANDLED_SECONDS)

    def _special_keys(self, keymap: Keymap, group: int, locked: int) -> dict[str, KeyStroke]:
        found = {
            "\n": keymap.stroke(keysyms.RETURN, group, locked),
            "\t": keymap.stroke(keysyms.TAB, group, locked),
        }
        return {character: stroke for character, stroke in found.items() if stroke is not None}

    def _play(self, strokes: Sequence[KeyStroke], go_on: Callable[[], None]) -> None:
        keymap = self._layout_now()
        held = 0
        for start in range(0, len(strokes), _AT_ONCE):
            go_on()
            for keycode, modifiers in strokes[start : start + _AT_ONCE]:
                if modifiers != held:
                    self._hold_modifiers(keymap, held & ~modifiers, press=False)
                    self._hold_modifiers(keymap, modifiers & ~held, press=True)
                    held = modifiers
                self._press(keycode)
                self._release(keycode)
            self._server.flush()
        self._hold_modifiers(keymap, held, press=False)
        self._server.sync()

    def _hold_modifiers(self, keymap: Keymap, modifiers: int, *, press: bool) -> None:
        for modifier, keycode in keymap.modifier_keys.items():
            if modifier & modifiers:
                (self._press if press else self._release)(keycode)

    # ------------------------------------------------------------ chords

    def press(self, chord: Chord) -> None:
        """Press a chord's keys and keep them down, until `release` or `release_all`."""
        self._free_modifiers()
        keymap, group, locked = self._read_layout()
        keysym = keysyms.keysym_of_key(chord.key)
        stroke = keymap.stroke(keysym, group, locked)
        if stroke is None:
            stroke = self._stroke_on_spare_key(chord, keysym)
        self._press_modifiers(keymap, chord.modifiers)
        already = sum({keymap.modifier_map.get(keycode, 0) for keycode in self._down})
        self._hold_modifiers(keymap, stroke.modifiers & ~already, press=True)
        self._press(stroke.keycode)
        self._server.sync()

    def hold(self, modifiers: Sequence[Modifier]) -> None:
        """Press modifiers and keep them down, until `release_all`."""
        self._free_modifiers()
        self._press_modifiers(self._layout_now(), modifiers)
        self._server.sync()

    def _press_modifiers(self, keymap: Keymap, modifiers: Sequence[Modifier]) -> None:
        for modifier in modifiers:
            keycode = next(keymap.keycodes_of(_MODIFIER_KEYSYMS[modifier]), None)
            if keycode is None:
                self.release_all()
                raise NotPossible(f"this keyboard layout has no {modifier} key")
            self._press(keycode)

    def _stroke_on_spare_key(self, chord: Chord, keysym: int) -> KeyStroke:
        character = keysyms.character_of(keysym)
        if character is None or not self._spare.room:
            raise NotPossible(f"this keyboard layout has no key {chord.key!r}")
        self._spare.place([character], lambda: None)
        keymap, group, locked = self._read_layout()
        stroke = keymap.stroke(keysym, group, locked)
        if stroke is None:
            raise NotPossible(f"this keyboard layout has no key {chord.key!r}")
        return stroke

    def release_all(self) -> None:
        """Let go of every key this process holds, the last first."""
        for keycode in reversed(self._down):
            self._xtest.FakeInput(_RELEASE, keycode, 0, 0, 0, 0, 0)
        if self._down:
            self._down.clear()
            self._server.sync()

    # ------------------------------------------------------------ state

    def held_modifiers(self) -> list[str]:
        """The modifiers that are physically down now, by anybody, in words."""
        state = self._state()
        return [word for bit, word in _MODIFIER_WORDS if state.baseMods & bit]

    def locks(self) -> tuple[bool, bool]:
        """Whether Caps Lock and Num Lock are on."""
        locked = self._state().lockedMods
        keymap = self._layout_now()
        return bool(locked & LOCK), bool(locked & keymap.modifier_of(0xFF7F))

    def reserve(self, first: int, last: int) -> None:
        """Empty these keys, so that there are spare ones: for a desktop of our own, before its first program."""
        count = last - first + 1
        self._server.core.ChangeKeyboardMapping(count, first, 1, [0] * count)
        self._server.sync()

    def restore(self) -> None:
        """Take back what was put on spare keys."""
        self._spare.clear()

    def _state(self) -> Any:
        return self._xkb.GetState(_CORE_KEYBOARD).reply()

    def _free_modifiers(self) -> None:
        """Let go of modifiers that somebody holds: a hotkey's Super would make commands of the text.

        They are not pressed again: whoever holds them knows better when to let go.
        """
        if not self._state().baseMods:
            return
        keymap = self._layout_now()
        down = self._server.core.QueryKeymap().reply().keys
        for keycode, modifier in keymap.modifier_map.items():
            if modifier and down[keycode >> 3] >> (keycode & 7) & 1:
                self._xtest.FakeInput(_RELEASE, keycode, 0, 0, 0, 0, 0)
        self._server.sync()
        if self._state().baseMods and not self._wait_for_release():
            held = " and ".join(self.held_modifiers())
            raise NotPossible(
                f"somebody holds {held} down on the keyboard", recovery="try again when the key is released"
            )

    def _wait_for_release(self) -> bool:
        self._xkb.SelectEvents(_CORE_KEYBOARD, _STATE_NOTIFY, 0, _STATE_NOTIFY, 0, 0)
        try:
            return self._server.wait_until(lambda: not self._state().baseMods, _HELD_SECONDS)
        finally:
            self._xkb.SelectEvents(_CORE_KEYBOARD, _STATE_NOTIFY, _STATE_NOTIFY, 0, 0, 0)

    def _read_layout(self) -> tuple[Keymap, int, int]:
        """The layout, the active group, and the locked modifiers."""
        keymap, state = self._layout_now(), self._state()
        return keymap, state.group, state.lockedMods

    def _layout_now(self) -> Keymap:
        cookie = self._xkb.GetMap(self._device, PARTS, 0, *([0] * 15))
        unpacker = self._server.connection.wait_for_reply(cookie.sequence)
        unpacker._resize(unpacker.known_max)
        reply = bytes(unpacker.buf)
        # The sequence number differs from reply to reply, the rest only when the layout does.
        if self._keymap is None or self._keymap.bytes[4:] != reply[4:]:
            self._keymap = Keymap(reply)
            ours = self._spare.placed
            self._spare.lost([keycode for keycode in ours if keycode not in self._keymap.keys])
            self._spare.offer(self._keymap.spare_keycodes())
        return self._keymap

    def _press(self, keycode: int) -> None:
        self._down.append(keycode)
        self._xtest.FakeInput(_PRESS, keycode, 0, 0, 0, 0, 0)

    def _release(self, keycode: int) -> None:
        if keycode in self._down:
            self._down.remove(keycode)
        self._xtest.FakeInput(_RELEASE, keycode, 0, 0, 0, 0, 0)


def _split_at(text: str, room_for: Sequence[str], known: dict[str, KeyStroke]) -> tuple[list[str], str, str]:
    """As many missing characters as there is room for, the text they suffice for, and the rest."""
    placeable = set(room_for)
    for position, character in enumerate(text):
        if character not in known and character not in placeable:
            return list(room_for), text[:position], text[position:]
    return list(room_for), text, ""


def _xtest_keyboard(server: XServer) -> int:
    """The number of the device our key presses come from; the core keyboard where it cannot be told.

    A layout may be set for one keyboard alone: what counts is that of the keyboard that sends.
    """
    import xcffib.xinput

    if not server.has_extension(xcffib.xinput):
        return _CORE_KEYBOARD
    xinput = server.extension(xcffib.xinput)
    xinput.XIQueryVersion(2, 2).reply()
    for device in xinput.XIQueryDevice(0).reply().infos:
        name = bytes(device.name.raw).decode("utf-8", "replace")
        if name.endswith("XTEST keyboard"):
            return int(device.deviceid)
    return _CORE_KEYBOARD
