"""The keys of a Mac's keyboard by their numbers, and what its modifiers are called here."""

from typing import Final

from deskhand.model.errors import BadArguments
from deskhand.model.keys import MODIFIERS, Chord, Modifier, parse_chord

# The virtual key codes of HIToolbox (Events.h, an ANSI keyboard), from 0 on; a dash where there is no key.
_FROM_ZERO: Final = """
a s d f h g z x c v - b q w e r y t 1 2 3 4 6 5 equal 9 7 minus 8 0 bracketright o u bracketleft i p enter l j
apostrophe k semicolon backslash comma slash n m period tab space grave backspace - escape - - - - - - - - - - f17
kp_decimal - kp_multiply - kp_add - clear volume_up volume_down volume_mute kp_divide kp_enter - kp_subtract f18 f19
kp_equal kp_0 kp_1 kp_2 kp_3 kp_4 kp_5 kp_6 kp_7 f20 kp_8 kp_9 - - - f5 f6 f7 f3 f8 f9 - f11 - f13 f16 f14 - f10 menu
f12 - f15 help home page_up delete f4 end f2 page_down f1 left right down up
"""
CODES: Final = {code: name for code, name in enumerate(_FROM_ZERO.split()) if name != "-"}
"""Our name of the key of each code."""

CHARACTERS: Final = {"\n": "enter", "\r": "enter", "\t": "tab", " ": "space"}
"""What is pressed for a character that a key is named after."""


def chord_of_code(code: object, modifiers: tuple[str, ...]) -> Chord:
    """The chord of a key code. Raises BadArguments for one that no key has."""
    number = int(code) if isinstance(code, float) and code.is_integer() else code
    name = CODES.get(number) if isinstance(number, int) and not isinstance(number, bool) else None
    if name is None:
        raise BadArguments(f"no key has the code {code!r}", recovery="use keystroke, or the code of another key")
    return _chord(name, modifiers)


def chord_of_character(character: str, modifiers: tuple[str, ...]) -> Chord:
    """The chord that presses a character's key; command stands for Ctrl, as everywhere."""
    return _chord(CHARACTERS.get(character, character), modifiers)


def _chord(key: str, words: tuple[str, ...]) -> Chord:
    held: list[Modifier] = [MODIFIERS[word.casefold()] for word in words]
    written = "+".join([*dict.fromkeys(held), key])
    return parse_chord(written)
