"""Key combinations as people and agents write them: `ctrl+shift+t`, `cmd+s`, `Page_Down`, `ctrl++`."""

import difflib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from deskhand.model.errors import BadArguments


class Modifier(StrEnum):
    """A key that is held while another is pressed."""

    CTRL = "ctrl"
    ALT = "alt"
    SHIFT = "shift"
    SUPER = "super"
    ALTGR = "altgr"


# On a desktop without a Command key its shortcuts are Ctrl's.
MODIFIERS: Final = {
    "ctrl": Modifier.CTRL,
    "control": Modifier.CTRL,
    "ctl": Modifier.CTRL,
    "ctrl_l": Modifier.CTRL,
    "ctrl_r": Modifier.CTRL,
    "cmd": Modifier.CTRL,
    "command": Modifier.CTRL,
    "alt": Modifier.ALT,
    "opt": Modifier.ALT,
    "option": Modifier.ALT,
    "shift": Modifier.SHIFT,
    "super": Modifier.SUPER,
    "win": Modifier.SUPER,
    "windows": Modifier.SUPER,
    "meta": Modifier.SUPER,
    "logo": Modifier.SUPER,
    "altgr": Modifier.ALTGR,
    "iso_level3_shift": Modifier.ALTGR,
    "control_l": Modifier.CTRL,
    "control_r": Modifier.CTRL,
    "shift_l": Modifier.SHIFT,
    "shift_r": Modifier.SHIFT,
    "alt_l": Modifier.ALT,
    "alt_r": Modifier.ALT,
    "super_l": Modifier.SUPER,
    "super_r": Modifier.SUPER,
    "meta_l": Modifier.SUPER,
    "meta_r": Modifier.SUPER,
}

_IN_SHORTCUTS: Final = frozenset({Modifier.CTRL, Modifier.ALT, Modifier.SUPER})
"""With one of these a letter writes nothing."""

# Our name of a key, and what else it is called.
_KEYS: Final = """
enter return|escape esc|tab|backspace back|delete del forwarddelete|space spacebar|insert ins
up uparrow arrowup|down downarrow arrowdown|left leftarrow arrowleft|right rightarrow arrowright
home|end|page_up pageup pgup prior|page_down pagedown pgdn pgdown next
menu apps contextmenu|print printscreen print_screen prtsc sysrq|pause break|scroll_lock scrolllock
caps_lock capslock|num_lock numlock|begin clear|help|undo|redo|find|cancel
kp_enter numpadenter|kp_add|kp_subtract|kp_multiply|kp_divide|kp_decimal|kp_equal
volume_up volumeup|volume_down volumedown|volume_mute volumemute mute|media_play playpause play|media_next nexttrack
media_previous previoustrack prevtrack|media_stop|brightness_up|brightness_down
plus|minus|comma|period dot|slash|backslash|semicolon|apostrophe quote|grave backtick|equal equals
bracketleft leftbracket|bracketright rightbracket|underscore|colon|asterisk
"""
_CHARACTER_KEYS: Final = {
    "plus": "+",
    "minus": "-",
    "comma": ",",
    "period": ".",
    "slash": "/",
    "backslash": "\\",
    "semicolon": ";",
    "apostrophe": "'",
    "grave": "`",
    "equal": "=",
    "bracketleft": "[",
    "bracketright": "]",
    "underscore": "_",
    "colon": ":",
    "asterisk": "*",
    "space": " ",
}


_CONTROL_KEYS: Final = {
    "\r": "enter",
    "\n": "enter",
    "\t": "tab",
    "\b": "backspace",
    "\x1b": "escape",
    "\x7f": "delete",
}
"""The keys that some mean by a control character."""


def _names() -> dict[str, str]:
    names: dict[str, str] = {}
    for group in _KEYS.replace("\n", "|").split("|"):
        words = group.split()
        for word in words:
            names[word] = words[0]
    names |= {f"f{number}": f"f{number}" for number in range(1, 25)}
    names |= {f"kp_{number}": f"kp_{number}" for number in range(10)}
    return names


KEY_NAMES: Final = _names()
"""Our name for every name of a key."""


@dataclass(frozen=True, slots=True)
class Chord:
    """One key, and the modifiers held while it is pressed.

    `key` is a character, one of our names (`page_down`), or a name only the platform may know (`XF86AudioPlay`). A
    shortcut's letter is a small one: menus write Ctrl+S for the key S, and Shift is named where it is held.
    `written` is the chord as it was given.
    """

    modifiers: tuple[Modifier, ...]
    key: str
    written: str


def parse_chord(written: str) -> Chord:
    """Read a key combination; raises BadArguments naming the part that is wrong."""
    parts = _split(written)
    modifiers: list[Modifier] = []
    for part in parts[:-1]:
        modifier = MODIFIERS.get(part.lower())
        if modifier is None:
            raise BadArguments(
                f"keys: {part!r} in {written!r} is not a modifier",
                recovery=f"hold ctrl, alt, shift, super or altgr{_like(part, MODIFIERS)}; the last part is the key",
            )
        if modifier not in modifiers:
            modifiers.append(modifier)
    key = _key(parts[-1])
    if _IN_SHORTCUTS.intersection(modifiers):
        key = _small(key)
    return Chord(tuple(modifiers), key, written)


def _small(key: str) -> str:
    small = key.lower()
    return small if len(key) == len(small) == 1 else key


def _split(written: str) -> list[str]:
    text = written.strip()
    if not text:
        raise BadArguments("keys: no key is named", recovery="name a key, like enter or ctrl+s")
    if text == "+":
        return ["+"]
    if text.endswith("++"):
        return [*(part.strip() for part in text[:-2].split("+")), "+"]
    parts = [part.strip() for part in text.split("+")]
    if not all(parts):
        raise BadArguments(f"keys: {written!r} has an empty part", recovery="write it like ctrl+shift+t")
    return parts


def _key(name: str) -> str:
    name = _by_number(name)
    if len(name) == 1:
        return _CONTROL_KEYS.get(name, name)
    known = KEY_NAMES.get(name.lower())
    if known is not None:
        return _CHARACTER_KEYS.get(known, known)
    modifier = MODIFIERS.get(name.lower())
    if modifier is None:
        return name
    # The right one of two keys is named where it is meant.
    return name.lower().replace("ctrl_", "control_") if name.lower().endswith("_r") else modifier.value


def _by_number(name: str) -> str:
    """The character that is named by its number, as in U20AC; any other name as it is."""
    found = re.fullmatch(r"U([0-9a-fA-F]{2,8})", name)
    number = int(found[1], 16) if found else 0
    return chr(number) if 0x20 <= number <= 0x10FFFF and number >> 11 != 0x1B else name


def suggest_key(name: str) -> str:
    """A few key names like a wrong one, as the end of a sentence; "" where none is near."""
    return _like(name, KEY_NAMES)


def _like(word: str, words: dict[str, str] | dict[str, Modifier]) -> str:
    near = difflib.get_close_matches(word.lower(), words, n=3)
    return f" (did you mean {' or '.join(near)}?)" if near else ""
