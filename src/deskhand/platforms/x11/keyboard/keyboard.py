"""Key presses, and text in any layout, through the XTEST keyboard."""

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

import xcffib.xproto
import xcffib.xtest

from deskhand.model.errors import BadArguments, DeskError, NotAnswering, NotPossible
from deskhand.model.keys import Chord, Modifier
from deskhand.platforms.linux.patience import Patience
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.errors import translate_errors
from deskhand.platforms.x11.keyboard import keysyms
from deskhand.platforms.x11.keyboard.keymap import LOCK, Keymap, KeyStroke
from deskhand.platforms.x11.keyboard.layout import DeviceLayout
from deskhand.platforms.x11.keyboard.modifiers import Modifiers
from deskhand.platforms.x11.keyboard.spare import SpareKeys, symbols_for
from deskhand.platforms.x11.ping import can_be_asked, pause, process_of, wait_until_handled

_PRESS, _RELEASE = 2, 3
_CORE_KEYBOARD: Final = 0x100
_HANDLED_SECONDS: Final = 2.0
_CATCH_UP_SECONDS: Final = 5.0
_LOOK_UP_SECONDS: Final = 0.5
_AT_ONCE: Final = 64
_UNASKED: Final = 256
_UNASKED_SECONDS: Final = 0.05
_MODIFIER_KEYSYMS: Final = {
    Modifier.SHIFT: keysyms.SHIFT_L,
    Modifier.CTRL: keysyms.CONTROL_L,
    Modifier.ALT: keysyms.ALT_L,
    Modifier.SUPER: keysyms.SUPER_L,
    Modifier.ALTGR: keysyms.ISO_LEVEL3_SHIFT,
}


@translate_errors
class X11Keyboard:
    """The keyboard of an X screen.

    Text goes by the layout that the XTEST keyboard has, in its active group; what that lacks goes by spare keys.
    """

    def __init__(self, server: XServer, patience: Patience | None = None) -> None:
        self._server = server
        self._patience = patience or Patience()
        self._xtest: Any = server.extension(xcffib.xtest)
        self._keymap: Keymap | None = None
        self._spare = SpareKeys(server)
        self._modifiers = Modifiers(server)
        self._down: list[int] = []
        """The keys this process holds, in the order they were pressed."""
        self._typed_into: int | None = None
        self._typed = 0
        """How many characters of the text that is typed now have been pressed."""

    @cached_property
    def _layout(self) -> DeviceLayout:
        return DeviceLayout(self._server, _xtest_keyboard(self._server))

    # ------------------------------------------------------------ text

    def check(self, text: str) -> None:
        """Raise BadArguments where a text holds what no key writes."""
        for position, character in enumerate(text):
            code_point = ord(character)
            is_control = keysyms.is_control(character) and character not in "\n\t\r"
            if is_control or 0xD800 <= code_point < 0xE000:
                raise BadArguments(
                    f"text: the character U+{code_point:04X} at position {position} cannot be typed",
                    recovery="leave control characters out of the text; use the key tool for keys",
                )

    def type(self, text: str, window: int, go_on: Callable[[], None]) -> None:
        """Type a text into the window that has the keyboard.

        `window` is that window, asked whether it has caught up where the text needs more spare keys than there are.
        `go_on` is called now and then and may raise to stop: what it raises has the number of characters `typed`. Nothing is left held, whatever happens. Caps Lock and Num
        Lock are respected and stay as they are. Raises BadArguments before the first key (see `check`), NotPossible
        where somebody holds a modifier for longer than 1 s, NotAnswering where the application does not catch up.
        """
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.check(text)
        self._modifiers.free(self._layout_now(), self._down)
        self._typed = 0
        try:
            rest = text
            while rest:
                strokes = self._plan(rest, lambda: self._catch_up(go_on))
                rest = rest[len(strokes) :]
                self._typed_into = window
                self._play(strokes, go_on)
        except DeskError as error:
            error.typed = self._typed
            raise
        finally:
            self.release_all()

    def _plan(self, text: str, catch_up: Callable[[], None]) -> list[KeyStroke]:
        """The keys for as much of a text, from its start, as the spare keys have room for."""
        keymap, group, locked = self._read_layout()
        special = self._special_keys(keymap, group, locked)
        known = keymap.characters(group, locked, without=self._spare.keycodes) | special
        text = text[: self._spare.reach(text, known)]
        if not text:
            raise NotPossible(
                "the keyboard layout has no spare key for the characters it lacks",
                recovery="set the text with ax_set_value, or put it on the clipboard and paste it",
            )
        self._spare.place([symbols_for(character) for character in text if character not in known], catch_up)
        keymap, group, locked = self._read_layout()
        known = keymap.characters(group, locked) | special
        lost = next((character for character in text if character not in known), None)
        if lost is not None:
            raise NotPossible(f"the character {lost!r} cannot be typed in this keyboard layout")
        return [known[character] for character in text]

    def _catch_up(self, go_on: Callable[[], None]) -> None:
        """Wait until the keys typed so far have been handled. Raises NotAnswering where that takes too long."""
        deadline = time.monotonic() + _CATCH_UP_SECONDS
        while not self._has_caught_up(_LOOK_UP_SECONDS, go_on):
            go_on()
            if time.monotonic() > deadline or self._is_hanging():
                raise NotAnswering(
                    "the app does not take the keys that are typed",
                    recovery="wait for the app, then look at how much of the text has arrived",
                )

    def _pace(self, typed: int, go_on: Callable[[], None]) -> None:
        """Keep the keys few that the application has not handled: a text that is stopped is to stop soon.

        So it is also seen soon whether the application goes on taking keys, however slowly.
        """
        if self._typed_into is not None and can_be_asked(self._server, self._typed_into):
            self._catch_up(go_on)
        elif typed % _UNASKED == 0:
            pause(_UNASKED_SECONDS, go_on)

    def _has_caught_up(self, seconds: float, go_on: Callable[[], None]) -> bool:
        """Whether the application typed into last has handled all keys, as far as it can be asked."""
        window = self._typed_into
        if window is None:
            return True
        try:
            handled = wait_until_handled(self._server, window, seconds, self._patience, go_on)
            return handled or not can_be_asked(self._server, window)
        except xcffib.xproto.WindowError:
            return True  # it has gone

    def _is_hanging(self) -> bool:
        window = self._typed_into
        return window is not None and self._patience.is_spent(process_of(self._server, window))

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
            if start:
                self._pace(start, go_on)
            for keycode, modifiers in strokes[start : start + _AT_ONCE]:
                if modifiers != held:
                    self._hold_modifiers(keymap, held & ~modifiers, press=False)
                    self._hold_modifiers(keymap, modifiers & ~held, press=True)
                    held = modifiers
                self._press(keycode)
                self._release(keycode)
                self._typed += 1
            self._server.flush()
        self._hold_modifiers(keymap, held, press=False)
        self._server.sync()

    def _hold_modifiers(self, keymap: Keymap, modifiers: int, *, press: bool) -> None:
        for modifier, keycode in keymap.modifier_keys.items():
            if modifier & modifiers:
                (self._press if press else self._release)(keycode)

    # ------------------------------------------------------------ chords

    def check_chord(self, chord: Chord) -> None:
        """Raise BadArguments where nobody knows a key of that name."""
        keysyms.keysym_of_key(chord.key)

    def press(self, chord: Chord) -> None:
        """Press a chord's keys and keep them down, until `release_all`."""
        self._modifiers.free(self._layout_now(), self._down)
        keymap, group, locked = self._read_layout()
        keysym = keysyms.keysym_of_key(chord.key)
        shortcut = not {Modifier.SHIFT, Modifier.ALTGR}.issuperset(chord.modifiers)
        stroke = keymap.stroke(keysym, group, locked, shortcut=shortcut)
        if stroke is None:
            stroke = self._stroke_on_spare_key(chord, keysym)
        self._press_modifiers(keymap, chord.modifiers)
        self._hold_modifiers(keymap, stroke.modifiers & ~keymap.modifiers_of(self._down), press=True)
        self._press(stroke.keycode)
        self._server.sync()

    def hold(self, modifiers: Sequence[Modifier]) -> None:
        """Press modifiers and keep them down, until `release_all`."""
        self._modifiers.free(self._layout_now(), self._down)
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
        symbols = (keysym, keysym) if character is None else symbols_for(character)
        if self._spare.room:
            self._spare.place([symbols], lambda: self._catch_up(_nothing))
            keymap, group, locked = self._read_layout()
            wanted = keysym if character is None else keysyms.keysym_of_character(character)
            stroke = keymap.stroke(wanted, group, locked)
            if stroke is not None:
                return stroke
        raise NotPossible(
            f"this keyboard layout has no key {chord.key!r}",
            recovery="write characters with type_text_tool, or do it another way: a menu item, a button",
        )

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
        return self._modifiers.in_words()

    def locks(self) -> tuple[bool, bool]:
        """Whether Caps Lock and Num Lock are on."""
        locked = self._modifiers.state().lockedMods
        keymap = self._layout_now()
        return bool(locked & LOCK), bool(locked & keymap.modifier_of(0xFF7F))

    def layout(self) -> Keymap:
        """The layout as it is now."""
        return self._layout_now()

    def reserve(self, first: int, last: int) -> None:
        """Empty these keys, so that there are spare ones: for a desktop of our own, before its first program."""
        count = last - first + 1
        self._server.core.ChangeKeyboardMapping(count, first, 1, [0] * count)
        self._server.sync()

    def restore(self) -> None:
        """Take back what was put on spare keys, but where an application has not handled them yet.

        Chromium and Firefox lose characters whose keys are emptied before they have looked.
        """
        if self._spare.is_used and self._has_caught_up(_HANDLED_SECONDS, _nothing):
            self._spare.clear()

    def _read_layout(self) -> tuple[Keymap, int, int]:
        """The layout, the active group, and the locked modifiers."""
        keymap, state = self._layout_now(), self._modifiers.state()
        return keymap, state.group, state.lockedMods

    def _layout_now(self) -> Keymap:
        keymap = self._layout.now()
        if keymap is not self._keymap:
            self._keymap = keymap
            self._spare.see(keymap)
        return keymap

    def _press(self, keycode: int) -> None:
        self._down.append(keycode)
        self._xtest.FakeInput(_PRESS, keycode, 0, 0, 0, 0, 0)

    def _release(self, keycode: int) -> None:
        if keycode in self._down:
            self._down.remove(keycode)
        self._xtest.FakeInput(_RELEASE, keycode, 0, 0, 0, 0, 0)


def _nothing() -> None:
    """Go on."""


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
