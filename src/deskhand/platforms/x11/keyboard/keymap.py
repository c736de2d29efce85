"""The keyboard layout as the X server applies it: which key, with which modifiers held, writes a character.

Source: the X Keyboard Extension protocol 1.0, "Key Types" and the encoding of GetMap. The reply is read here, byte by
byte, because its bytes also tell whether anything has changed since it was last read.
"""

import struct
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final, NamedTuple

from deskhand.platforms.x11.keyboard import keysyms

SHIFT: Final = 1
LOCK: Final = 2
CONTROL: Final = 4
ALT: Final = 8

_KEY_TYPES, _KEY_SYMS, _MODIFIER_MAP = 1, 2, 4
PARTS: Final = _KEY_TYPES | _KEY_SYMS | _MODIFIER_MAP
_HEADER: Final = 40
_PRESENT_AT: Final = 12
_KEYPAD: Final = range(0xFF80, 0xFFBE)


class KeyStroke(NamedTuple):
    """A key, and the real modifiers (a mask) to hold for it."""

    keycode: int
    modifiers: int


@dataclass(frozen=True, slots=True)
class _KeyType:
    """How the modifiers held choose a level of a key."""

    mask: int
    levels: dict[int, int]
    preserved: dict[int, int]
    """By modifiers, which of them the client gets to see as if the key had not looked at them."""

    def level(self, modifiers: int) -> int:
        return self.levels.get(modifiers & self.mask, 0)

    def uses_lock(self, modifiers: int) -> bool:
        """Whether Caps Lock has done its work when the level is chosen."""
        return bool(self.mask & LOCK & ~self.preserved.get(modifiers & self.mask, 0))


@dataclass(frozen=True, slots=True)
class _Key:
    """What is on one key, group by group, level by level."""

    groups: tuple[tuple[_KeyType, tuple[int, ...]], ...]
    out_of_range: int

    def group(self, group: int) -> tuple[_KeyType, tuple[int, ...]]:
        """What the key does in a group it may not have (XKB: wrap, clamp or redirect)."""
        count = len(self.groups)
        if group < count:
            return self.groups[group]
        if self.out_of_range & 0xC0 == 0x40:
            return self.groups[-1]
        if self.out_of_range & 0xC0 == 0x80:
            redirected = self.out_of_range >> 4 & 3
            return self.groups[redirected if redirected < count else 0]
        return self.groups[group % count]


class Keymap:
    """One keyboard layout."""

    def __init__(self, reply: bytes) -> None:
        """Read the reply to XkbGetMap with key types, keysyms and the modifier map."""
        self.bytes = reply
        self.keys: dict[int, _Key] = {}
        self.modifier_map: dict[int, int] = {}
        present, _, type_count = struct.unpack_from("<HBB", reply, _PRESENT_AT)
        first_key, _, key_count = struct.unpack_from("<BHB", reply, 17)
        modifier_count = reply[33]
        at = _HEADER
        types: list[_KeyType] = []
        if present & _KEY_TYPES:
            for _ in range(type_count):
                key_type, at = _read_type(reply, at)
                types.append(key_type)
        if present & _KEY_SYMS:
            for keycode in range(first_key, first_key + key_count):
                key, at = _read_key(reply, at, types)
                if key is not None:
                    self.keys[keycode] = key
        if present & _MODIFIER_MAP:
            for index in range(modifier_count):
                self.modifier_map[reply[at + 2 * index]] = reply[at + 2 * index + 1]

    @cached_property
    def modifier_keys(self) -> dict[int, int]:
        """By real modifier, a key that holds it: Shift, Ctrl, Alt, Super, and what chooses a third or fifth level."""
        wanted = (
            keysyms.SHIFT_L,
            keysyms.CONTROL_L,
            keysyms.ALT_L,
            keysyms.META_L,
            keysyms.SUPER_L,
            keysyms.ISO_LEVEL3_SHIFT,
            keysyms.ISO_LEVEL5_SHIFT,
            keysyms.MODE_SWITCH,
        )
        found: dict[int, int] = {}
        for keysym in wanted:
            for keycode in self.keycodes_of(keysym):
                modifier = self.modifier_map.get(keycode, 0)
                if modifier and modifier not in found:
                    found[modifier] = keycode
        return found

    def modifier_of(self, keysym: int) -> int:
        """The real modifier that a key with this keysym holds; 0 for none."""
        for keycode in self.keycodes_of(keysym):
            if self.modifier_map.get(keycode):
                return self.modifier_map[keycode]
        return 0

    def modifiers_of(self, keycodes: Iterable[int]) -> int:
        """The real modifiers that these keys hold."""
        modifiers = 0
        for keycode in keycodes:
            modifiers |= self.modifier_map.get(keycode, 0)
        return modifiers

    def keycodes_of(self, keysym: int) -> Iterator[int]:
        """The keys with this keysym on the first level of any group."""
        for keycode, key in self.keys.items():
            if any(symbols and symbols[0] == keysym for _, symbols in key.groups):
                yield keycode

    def plain_symbol(self, keycode: int, group: int) -> int:
        """What is on a key in a group, with no modifier held; 0 for nothing."""
        key = self.keys.get(keycode)
        symbols = key.group(group)[1] if key else ()
        return symbols[0] if symbols else 0

    def symbols(self, keycode: int) -> set[int]:
        """All that is on a key."""
        key = self.keys.get(keycode)
        return {symbol for _, symbols in key.groups for symbol in symbols if symbol} if key else set()

    def characters(self, group: int, locked: int, without: Container[int] = ()) -> dict[str, KeyStroke]:
        """How to write each character of the layout, in this group and with these modifiers locked.

        The fewest modifiers win, then the lowest keycode; keys `without` do not count.
        """
        found: dict[str, KeyStroke] = {}
        for held in self._combinations():
            for keycode, key in self.keys.items():
                if keycode in without:
                    continue
                character = self._written(key, group, held, locked)
                if character is not None and character not in found:
                    found[character] = KeyStroke(keycode, held)
        return found

    def stroke(self, keysym: int, group: int, locked: int, *, shortcut: bool = False) -> KeyStroke | None:
        """How to press the key with this keysym; a shortcut's in another group too, where this one lacks it.

        Toolkits look a shortcut's letter up in the other groups, so Ctrl+C works while Cyrillic is active.
        """
        others = (other for other in range(4) if other != group)
        for tried in (group, *(others if shortcut else ())):
            for held in self._combinations():
                for keycode, key in self.keys.items():
                    key_type, symbols = key.group(tried)
                    level = key_type.level(held | locked & ~LOCK)
                    if level < len(symbols) and symbols[level] == keysym:
                        return KeyStroke(keycode, held)
        # A digit of the keypad while Num Lock is off: the key is there, its level is not ours to choose.
        for keycode, key in self.keys.items():
            if keysym in key.group(group)[1]:
                return KeyStroke(keycode, 0)
        return None

    def spare_keycodes(self) -> list[int]:
        """The keys with nothing on them."""
        return [keycode for keycode in range(self.bytes[10], self.bytes[11] + 1) if keycode not in self.keys]

    def _combinations(self) -> list[int]:
        """The modifiers that choose levels, none first: Shift, and the keys for a third and fifth level."""
        chooses = [SHIFT] if SHIFT in self.modifier_keys else []
        for keysym in (keysyms.ISO_LEVEL3_SHIFT, keysyms.ISO_LEVEL5_SHIFT, keysyms.MODE_SWITCH):
            modifier = self.modifier_of(keysym)
            if modifier and modifier not in chooses:
                chooses.append(modifier)
        return [sum(some) for count in range(len(chooses) + 1) for some in combinations(chooses, count)]

    @staticmethod
    def _written(key: _Key, group: int, held: int, locked: int) -> str | None:
        key_type, symbols = key.group(group)
        modifiers = held | locked
        level = key_type.level(modifiers)
        if level >= len(symbols) or symbols[level] in _KEYPAD:
            return None
        if held & ~key_type.mask:
            return None  # a modifier that the key ignores is a shortcut, not a level
        character = keysyms.character_of(symbols[level])
        # What a key's own levels do not make of Caps Lock, the client does: it writes a capital.
        if (
            character is not None
            and locked & LOCK
            and not key_type.uses_lock(modifiers)
            and len(character.upper()) == 1
        ):
            return character.upper()
        return character


def _read_type(reply: bytes, at: int) -> tuple[_KeyType, int]:
    mask, _, _, _, entries, preserves = struct.unpack_from("<BBHBBB", reply, at)
    at += 8
    levels: dict[int, int] = {}
    preserved: dict[int, int] = {}
    for entry in range(entries):
        active, modifiers, level = struct.unpack_from("<BBB", reply, at + 8 * entry)
        if active:
            levels[modifiers] = level
            preserved[modifiers] = reply[at + 8 * entries + 4 * entry] if preserves else 0
    return _KeyType(mask, levels, preserved), at + (12 if preserves else 8) * entries


def _read_key(reply: bytes, at: int, types: list[_KeyType]) -> tuple[_Key | None, int]:
    type_indexes = reply[at : at + 4]
    group_info, width, count = struct.unpack_from("<BBH", reply, at + 4)
    symbols = struct.unpack_from(f"<{count}I", reply, at + 8)
    at += 8 + 4 * count
    groups = tuple(
        (types[type_indexes[group]], symbols[group * width : (group + 1) * width])
        for group in range(group_info & 0x0F)
        if type_indexes[group] < len(types)
    )
    return (_Key(groups, group_info) if groups and any(symbols) else None), at
