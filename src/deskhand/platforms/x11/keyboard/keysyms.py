"""Keysyms, the numbers X has for what is on a key: of characters and of named keys."""

import re
from typing import Final

from deskhand.model.errors import BadArguments
from deskhand.model.keys import suggest_key
from deskhand.platforms.x11.keyboard.legacy_keysyms import CODE_POINTS

SHIFT_L: Final = 0xFFE1
CONTROL_L: Final = 0xFFE3
CAPS_LOCK: Final = 0xFFE5
ALT_L: Final = 0xFFE9
META_L: Final = 0xFFE7
SUPER_L: Final = 0xFFEB
ISO_LEVEL3_SHIFT: Final = 0xFE03
ISO_LEVEL5_SHIFT: Final = 0xFE11
MODE_SWITCH: Final = 0xFF7E
RETURN: Final = 0xFF0D
TAB: Final = 0xFF09
ESCAPE: Final = 0xFF1B

_UNICODE: Final = 0x1000000
_NAMED: Final = {
    "enter": RETURN,
    "escape": ESCAPE,
    "tab": TAB,
    "backspace": 0xFF08,
    "delete": 0xFFFF,
    "insert": 0xFF63,
    "up": 0xFF52,
    "down": 0xFF54,
    "left": 0xFF51,
    "right": 0xFF53,
    "home": 0xFF50,
    "end": 0xFF57,
    "page_up": 0xFF55,
    "page_down": 0xFF56,
    "menu": 0xFF67,
    "print": 0xFF61,
    "pause": 0xFF13,
    "scroll_lock": 0xFF14,
    "caps_lock": CAPS_LOCK,
    "num_lock": 0xFF7F,
    "begin": 0xFF0B,
    "help": 0xFF6A,
    "undo": 0xFF65,
    "redo": 0xFF66,
    "find": 0xFF68,
    "cancel": 0xFF69,
    "kp_enter": 0xFF8D,
    "kp_add": 0xFFAB,
    "kp_subtract": 0xFFAD,
    "kp_multiply": 0xFFAA,
    "kp_divide": 0xFFAF,
    "kp_decimal": 0xFFAE,
    "kp_equal": 0xFFBD,
    "volume_up": 0x1008FF13,
    "volume_down": 0x1008FF11,
    "volume_mute": 0x1008FF12,
    "media_play": 0x1008FF14,
    "media_next": 0x1008FF17,
    "media_previous": 0x1008FF16,
    "media_stop": 0x1008FF15,
    "brightness_up": 0x1008FF02,
    "brightness_down": 0x1008FF03,
    "ctrl": CONTROL_L,
    "alt": ALT_L,
    "shift": SHIFT_L,
    "super": SUPER_L,
    "altgr": ISO_LEVEL3_SHIFT,
    **{f"f{number}": 0xFFBD + number for number in range(1, 25)},
    **{f"kp_{number}": 0xFFB0 + number for number in range(10)},
}


def keysym_of_character(character: str) -> int:
    """The keysym a client reads as this character (X protocol, appendix A)."""
    if character == "\n":
        return RETURN
    if character == "\t":
        return TAB
    code_point = ord(character)
    return code_point if 0x20 <= code_point < 0x7F or 0xA0 <= code_point < 0x100 else _UNICODE | code_point


def is_control(character: str) -> bool:
    """Whether this is no character that a key writes, but a command to a terminal."""
    return ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0


def character_of(keysym: int) -> str | None:
    """The character a client reads from a keysym, None for keys that write none."""
    if 0x20 <= keysym < 0x7F or 0xA0 <= keysym < 0x100:
        return chr(keysym)
    if _UNICODE < keysym <= _UNICODE | 0x10FFFF:
        return chr(keysym - _UNICODE)
    code_point = CODE_POINTS.get(keysym)
    return chr(code_point) if code_point is not None else None


def keysym_of_key(name: str) -> int:
    """The keysym of a key: one of our names, a character, X's own name (`Page_Up`, `XF86AudioPlay`, `eacute`).

    Or a number, as X reads it: `0xff0d`.

    Raises BadArguments where nobody knows the name.
    """
    if len(name) == 1 and not is_control(name):
        return keysym_of_character(name)
    if name in _NAMED:
        return _NAMED[name]
    found = _numbered(name) or _x_names().get(name) or _x_names(folded=True).get(name.lower())
    if found is None:
        raise BadArguments(
            f"keys: there is no key called {name!r}{suggest_key(name)}",
            recovery="name one as X does, joined with +: Return, Page_Down, ctrl+shift+t, U20AC; text is typed, not pressed",
        )
    return found


def _numbered(name: str) -> int | None:
    found = re.fullmatch(r"0[xX]([0-9a-fA-F]{1,8})", name)
    number = int(found[1], 16) if found else 0
    return number if 0 < number < 1 << 29 else None


def _x_names(*, folded: bool = False) -> dict[str, int]:
    # Two long tables that hardly a call needs: they are loaded at the first unusual name.
    from xcffib import keysymdef, xf86keysym

    names: dict[str, int] = {}
    for table, prefix, kept in ((keysymdef, "XK_", ""), (xf86keysym, "XF86XK_", "XF86")):
        for name, keysym in vars(table).items():
            if name.startswith(prefix):
                x_name = kept + name.removeprefix(prefix)
                names.setdefault(x_name.lower() if folded else x_name, keysym)
    return names
