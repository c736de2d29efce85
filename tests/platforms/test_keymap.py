"""Layouts as the X server describes them are read right, and keysyms mean the characters they mean to everybody else."""

import ctypes
import ctypes.util
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.model.errors import BadArguments
from deskhand.model.keys import KEY_NAMES, MODIFIERS, parse_chord
from deskhand.platforms.x11.keyboard import keysyms
from deskhand.platforms.x11.keyboard.keymap import ALT, CONTROL, LOCK, SHIFT, Keymap, KeyStroke
from deskhand.platforms.x11.keyboard.keysyms import character_of, keysym_of_character, keysym_of_key
from deskhand.platforms.x11.keyboard.spare import symbols_for

NUM_LOCK, LEVEL3 = 1 << 4, 1 << 7
FIRST, LAST = 8, 40
WRAP, CLAMP, REDIRECT = 0x00, 0x40, 0x80


# ---------------------------------------------------------------- descriptions of layouts


@dataclass(frozen=True)
class Type:
    """A key type: its modifiers, (modifiers, level) of each entry, and what each entry preserves."""

    mask: int
    entries: tuple[tuple[int, int], ...] = ()
    preserved: tuple[int, ...] = ()
    inactive: tuple[int, ...] = ()

    def packed(self) -> bytes:
        levels = 1 + max((level for _, level in self.entries), default=0)
        data = struct.pack("<BBHBBBx", self.mask, self.mask, 0, levels, len(self.entries), bool(self.preserved))
        for modifiers, level in self.entries:
            data += struct.pack("<BBBBHxx", modifiers not in self.inactive, modifiers, level, modifiers, 0)
        return data + b"".join(struct.pack("<BBH", mask, mask, 0) for mask in self.preserved)


ONE, TWO, ALPHABETIC, KEYPAD, FOUR, SEMI = range(6)
TYPES = (
    Type(0),
    Type(SHIFT, ((SHIFT, 1),)),
    Type(SHIFT | LOCK, ((SHIFT, 1), (LOCK, 1))),
    Type(SHIFT | NUM_LOCK, ((SHIFT, 1), (NUM_LOCK, 1))),
    Type(SHIFT | LEVEL3, ((SHIFT, 1), (LEVEL3, 2), (SHIFT | LEVEL3, 3))),
    Type(
        SHIFT | LOCK | LEVEL3,
        ((SHIFT, 1), (LOCK, 1), (LEVEL3, 2), (SHIFT | LEVEL3, 3), (LOCK | LEVEL3, 2), (SHIFT | LOCK | LEVEL3, 3)),
        (0, 0, 0, 0, LOCK, LOCK),
    ),
)


@dataclass(frozen=True)
class Key:
    """A key: (type, symbols) of each group, and what happens in a group it has not."""

    groups: tuple[tuple[int, tuple[int, ...]], ...] = ()
    out_of_range: int = WRAP

    def packed(self) -> bytes:
        width = max((len(symbols) for _, symbols in self.groups), default=0)
        flat = [number for _, symbols in self.groups for number in (*symbols, *[0] * (width - len(symbols)))]
        types = [index for index, _ in self.groups] + [0] * (4 - len(self.groups))
        head = struct.pack("<4BBBH", *types, len(self.groups) | self.out_of_range, width, len(flat))
        return head + struct.pack(f"<{len(flat)}I", *flat)


@dataclass
class Layout:
    """A layout, as bytes of a reply to GetMap."""

    keys: dict[int, Key]
    types: Sequence[Type] = TYPES
    modifiers: dict[int, int] = field(default_factory=dict)

    def keymap(self) -> Keymap:
        count = LAST - FIRST + 1
        body = b"".join(one.packed() for one in self.types)
        body += b"".join(self.keys.get(keycode, Key()).packed() for keycode in range(FIRST, LAST + 1))
        body += b"".join(bytes(pair) for pair in self.modifiers.items())
        head = bytearray(40)
        struct.pack_into("<BBHI2xBBH", head, 0, 1, 3, 7, 0, FIRST, LAST, 1 | 2 | 4)
        struct.pack_into("<BBB", head, 14, 0, len(self.types), len(self.types))
        struct.pack_into("<BHB", head, 17, FIRST, 0, count)
        struct.pack_into("<B", head, 33, len(self.modifiers))
        return Keymap(bytes(head) + body)


def of(text: str) -> tuple[int, ...]:
    """The keysyms of these characters."""
    return tuple(keysym_of_character(character) for character in text)


SHIFT_KEY, LEVEL3_KEY, CONTROL_KEY, NUM_KEY, ALT_KEY = 30, 31, 32, 33, 34
MODIFIER_KEYS = {
    SHIFT_KEY: Key(((ONE, (keysyms.SHIFT_L,)),)),
    LEVEL3_KEY: Key(((ONE, (keysyms.ISO_LEVEL3_SHIFT,)),)),
    CONTROL_KEY: Key(((ONE, (keysyms.CONTROL_L,)),)),
    NUM_KEY: Key(((ONE, (0xFF7F,)),)),
    ALT_KEY: Key(((ONE, (keysyms.ALT_L, keysyms.META_L)),)),
}
MODIFIER_MAP = {SHIFT_KEY: SHIFT, LEVEL3_KEY: LEVEL3, CONTROL_KEY: CONTROL, NUM_KEY: NUM_LOCK, ALT_KEY: ALT}


def keymap_of(keys: dict[int, Key]) -> Keymap:
    return Layout({**MODIFIER_KEYS, **keys}, modifiers=MODIFIER_MAP).keymap()


# ---------------------------------------------------------------- characters


def test_each_level_is_reached_by_its_modifiers() -> None:
    known = keymap_of({10: Key(((FOUR, of('2"²@')),))}).characters(0, 0)
    assert known["2"] == KeyStroke(10, 0)
    assert known['"'] == KeyStroke(10, SHIFT)
    assert known["²"] == KeyStroke(10, LEVEL3)
    assert known["@"] == KeyStroke(10, SHIFT | LEVEL3)


def test_the_fewest_modifiers_win_and_then_the_lowest_key() -> None:
    keys = {10: Key(((FOUR, of('a"€@')),)), 12: Key(((ONE, of("€")),)), 11: Key(((ONE, of("€")),))}
    assert keymap_of(keys).characters(0, 0)["€"] == KeyStroke(11, 0)
    assert keymap_of(keys).characters(0, 0, without={11})["€"] == KeyStroke(12, 0)
    assert keymap_of(keys).characters(0, 0, without={11, 12})["€"] == KeyStroke(10, LEVEL3)


def test_caps_lock_turns_letters_and_leaves_the_rest() -> None:
    keymap = keymap_of({10: Key(((ALPHABETIC, of("aA")),)), 11: Key(((TWO, of("1!")),))})
    locked = keymap.characters(0, LOCK)
    assert (locked["a"], locked["A"]) == (KeyStroke(10, SHIFT), KeyStroke(10, 0))
    assert (locked["1"], locked["!"]) == (KeyStroke(11, 0), KeyStroke(11, SHIFT))


def test_programs_make_capitals_where_the_key_has_not_looked_at_caps_lock() -> None:
    two, semi = {10: Key(((TWO, of("жЖ")),))}, {10: Key(((SEMI, of("lLłŁ")),))}
    assert "ж" not in keymap_of(two).characters(0, LOCK)
    assert keymap_of(two).characters(0, LOCK)["Ж"] == KeyStroke(10, 0)
    locked = keymap_of(semi).characters(0, LOCK)
    assert "ł" not in locked  # the key preserves Caps Lock on its third level: programs see ł and Caps Lock
    assert locked["Ł"] == KeyStroke(10, LEVEL3)
    assert locked["l"] == KeyStroke(10, SHIFT)


def test_entries_that_are_not_active_do_not_count() -> None:
    types = (*TYPES, Type(SHIFT | LEVEL3, ((SHIFT, 1), (LEVEL3, 2)), inactive=(LEVEL3,)))
    layout = Layout({**MODIFIER_KEYS, 10: Key(((len(TYPES), of("abc")),))}, types, MODIFIER_MAP)
    known = layout.keymap().characters(0, 0)
    assert known["b"] == KeyStroke(10, SHIFT)
    assert "c" not in known


def test_the_keypad_is_not_used_for_text() -> None:
    keymap = keymap_of({10: Key(((KEYPAD, (0xFF95, 0xFFB7)),)), 11: Key(((ONE, of("7")),))})
    for locked in (0, NUM_LOCK):
        assert keymap.characters(0, locked)["7"] == KeyStroke(11, 0)


@pytest.mark.parametrize(
    ("out_of_range", "expected"), [(WRAP, "a"), (CLAMP, "b"), (REDIRECT | 0x00, "a"), (REDIRECT | 0x10, "b")]
)
def test_a_group_that_a_key_lacks_is_another(out_of_range: int, expected: str) -> None:
    key = Key(((ONE, of("a")), (ONE, of("b"))), out_of_range)
    keymap = keymap_of({10: key})
    assert keymap.characters(2, 0)[expected] == KeyStroke(10, 0)
    assert keymap.characters(1, 0)["b"] == KeyStroke(10, 0)


def test_dead_keys_write_nothing() -> None:
    assert "^" not in keymap_of({10: Key(((TWO, (0xFE52, 0x00B0)),))}).characters(0, 0)


# ---------------------------------------------------------------- keys


def test_a_shortcut_is_found_in_another_group_and_a_letter_is_not() -> None:
    keymap = keymap_of({10: Key(((ALPHABETIC, of("cC")), (ALPHABETIC, of("сС"))))})
    latin = keysym_of_character("c")
    assert keymap.stroke(latin, 1, 0, shortcut=True) == KeyStroke(10, 0)
    assert keymap.stroke(latin, 1, 0) is None
    assert keymap.stroke(latin, 0, 0) == KeyStroke(10, 0)


def test_a_key_of_the_keypad_is_found_whatever_num_lock_is() -> None:
    keymap = keymap_of({10: Key(((KEYPAD, (0xFF95, 0xFFB7)),))})
    assert keymap.stroke(0xFFB7, 0, 0) == KeyStroke(10, SHIFT)
    assert keymap.stroke(0xFFB7, 0, NUM_LOCK) == KeyStroke(10, 0)


def test_modifiers_are_known_by_the_keys_that_hold_them() -> None:
    keymap = keymap_of({})
    assert keymap.modifier_keys == {SHIFT: SHIFT_KEY, LEVEL3: LEVEL3_KEY, CONTROL: CONTROL_KEY, ALT: ALT_KEY}
    assert keymap.modifier_of(0xFF7F) == NUM_LOCK
    assert keymap.modifier_of(0xFFEB) == 0


def test_spare_keys_are_those_with_nothing_on_them() -> None:
    keymap = keymap_of({10: Key(((ONE, of("a")),)), 11: Key(((TWO, (0, 0)),)), 12: Key()})
    used = {10, *MODIFIER_KEYS}
    assert keymap.spare_keycodes() == [keycode for keycode in range(FIRST, LAST + 1) if keycode not in used]
    assert keymap.symbols(10) == {ord("a")}
    assert keymap.symbols(11) == set()


# ---------------------------------------------------------------- keysyms


characters = st.characters(exclude_categories=["Cs", "Cc"])


@given(characters)
def test_every_character_has_a_keysym_that_means_it(character: str) -> None:
    assert character_of(keysym_of_character(character)) == character


@given(characters)
def test_a_spare_key_writes_the_character_with_or_without_shift(character: str) -> None:
    symbols = symbols_for(character)
    assert character in {character_of(symbol) for symbol in symbols}
    lower, upper = (character_of(symbol) for symbol in symbols)
    assert lower is not None
    assert upper is not None
    # With Caps Lock on the key writes its other symbol: that must be a capital of the first, or the same.
    assert upper in (lower, lower.upper())


# Toolkits do not agree on the angle brackets, and the Thai one stands for no character that exists.
DISPUTED = {0xABC, 0xABE, 0xDDE}


def test_keysyms_mean_what_they_mean_to_toolkits() -> None:
    library = ctypes.util.find_library("xkbcommon")
    if library is None:
        pytest.skip("libxkbcommon is not installed")
    to_character = ctypes.CDLL(library).xkb_keysym_to_utf32
    to_character.restype = ctypes.c_uint32
    wrong = {}
    for keysym in (*range(0x20, 0x2100), *range(0x1000100, 0x1003000)):
        theirs, ours = to_character(keysym), character_of(keysym)
        if ours is not None and chr(theirs) != ours and keysym not in DISPUTED:
            wrong[hex(keysym)] = (ours, chr(theirs))
    assert wrong == {}


def test_no_character_of_before_unicode_is_missing() -> None:
    library = ctypes.util.find_library("xkbcommon")
    if library is None:
        pytest.skip("libxkbcommon is not installed")
    to_character = ctypes.CDLL(library).xkb_keysym_to_utf32
    to_character.restype = ctypes.c_uint32
    missing = {keysym for keysym in range(0x20, 0x2100) if to_character(keysym) >= 0x20 and not character_of(keysym)}
    assert missing - DISPUTED == set()


# ---------------------------------------------------------------- names


@pytest.mark.parametrize("name", sorted({*KEY_NAMES, *MODIFIERS}))
def test_every_key_that_can_be_named_has_a_keysym(name: str) -> None:
    assert keysym_of_key(parse_chord(name).key) > 0


@pytest.mark.parametrize(
    ("name", "keysym"),
    [
        ("Return", 0xFF0D),
        ("Page_Down", 0xFF56),
        ("XF86AudioPlay", 0x1008FF14),
        ("xf86audioplay", 0x1008FF14),
        ("eacute", 0xE9),
        ("Eacute", 0xC9),
        ("EuroSign", 0x20AC),
        ("F12", 0xFFC9),
        ("é", 0xE9),
        ("漢", 0x1006F22),
    ],
)
def test_names_of_x_are_known(name: str, keysym: int) -> None:
    assert keysym_of_key(name) == keysym


def test_an_unknown_name_is_refused_with_names_like_it() -> None:
    with pytest.raises(BadArguments, match=r"no key called 'pagedwn' \(did you mean .*pagedown"):
        keysym_of_key("pagedwn")
    with pytest.raises(BadArguments, match=r"no key called 'qqqqqqqq'$"):
        keysym_of_key("qqqqqqqq")
