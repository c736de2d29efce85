"""Key combinations that are the desktop's own, and not of the application in front: they need a grant of their own."""

from collections.abc import Collection
from typing import Final

from deskhand.guard.access import Access
from deskhand.guard.given import Flag
from deskhand.model.errors import NotGranted
from deskhand.model.keys import Chord, Modifier, parse_chord

# What Xfce, GNOME, KDE, Openbox, the X server and the kernel take before an application sees it. More modifiers held
# beside these change nothing, since some desktops look at these alone.
_COMBINATIONS: Final = """
alt+f4 alt+tab alt+escape alt+grave alt+f1 alt+f2 alt+f3 alt+space ctrl+escape
ctrl+alt+delete ctrl+alt+backspace ctrl+alt+escape ctrl+alt+end ctrl+alt+insert
ctrl+alt+l ctrl+alt+t ctrl+alt+d
ctrl+alt+up ctrl+alt+down ctrl+alt+left ctrl+alt+right
print
"""
_OWN_KEYS: Final = ("super", "hyper", "meta")
"""Keys that belong to the desktop, whatever they are pressed with; `XF86…` has some too."""
_DESKTOP_KEYS: Final = (
    "xf86poweroff", "xf86powerdown", "xf86sleep", "xf86suspend", "xf86hibernate", "xf86wakeup", "xf86logoff",
    "xf86screensaver", "xf86lock", "xf86switch_vt", "xf86ungrab", "xf86cleargrab", "xf86_switch_vt", "xf86_ungrab",
    "xf86_cleargrab", "xf86_next_vmode", "xf86_prev_vmode", "xf86next_vmode", "xf86prev_vmode", "xf86launch",
    "xf86taskpane", "xf86terminal", "xf86explorer", "xf86dos", "xf86rfkill", "xf86wlan", "xf86bluetooth", "xf86uwb",
    "xf86wwan", "xf86display", "xf86touchpad", "xf86rotatewindows", "xf86tasklist", "xf86allapplications",
)  # fmt: skip
_NUMBERS: Final = ("0x", "0X")
"""How keys begin that are named by a number of the X server, which may be any key's."""
_LIKE: Final = {
    "iso_left_tab": "tab",
    "kp_tab": "tab",
    "kp_space": " ",
    "kp_delete": "delete",
    "kp_decimal": "delete",
    "kp_separator": "delete",
    "kp_insert": "insert",
    "kp_0": "insert",
    "kp_end": "end",
    "kp_1": "end",
    "kp_up": "up",
    "kp_8": "up",
    "kp_down": "down",
    "kp_2": "down",
    "kp_left": "left",
    "kp_4": "left",
    "kp_right": "right",
    "kp_6": "right",
    "dead_grave": "`",
    "~": "`",
    "asciitilde": "`",
    "terminate_server": "ctrl+alt+backspace",
    "3270_printscreen": "print",
    "sys_req": "print",
    "execute": "print",
    "l1": "f11",
    "l2": "f12",
    **{f"kp_f{number}": f"f{number}" for number in range(1, 5)},
}
"""Other keys that the desktop takes for one of those above."""


def _table() -> dict[str, tuple[frozenset[Modifier], ...]]:
    """For each key, the modifiers with which it is the desktop's."""
    consoles = " ".join(f"ctrl+alt+f{number}" for number in range(1, 25))
    table: dict[str, tuple[frozenset[Modifier], ...]] = {}
    for chord in map(parse_chord, f"{_COMBINATIONS} {consoles}".split()):
        table[chord.key] = (*table.get(chord.key, ()), frozenset(chord.modifiers))
    return table


_BLOCKED: Final = _table()


def is_systems(chord: Chord, held: Collection[Modifier] = ()) -> bool:
    """Whether a chord, pressed while those modifiers are held, is the desktop's."""
    modifiers = {*chord.modifiers, *held}
    name = chord.key if chord.key == " " else chord.key.strip().casefold()
    key = _LIKE.get(name, name)
    if Modifier.SUPER in modifiers or key.startswith(_OWN_KEYS) or key == "ctrl+alt+backspace":
        return True
    if key.startswith(_DESKTOP_KEYS):
        return True
    return any(needed <= modifiers for needed in _BLOCKED.get(key, ()))


def check_chord(access: Access, chord: Chord, held: Collection[Modifier] = ()) -> None:
    """Raise NotGranted for a chord of the desktop's, where those are not granted."""
    if Flag.SYSTEM_KEYS in access.flags:
        return
    if chord.key.startswith(_NUMBERS):
        raise NotGranted(
            f"{chord.key!r} may be a key of the desktop itself, and systemKeyCombos is not granted",
            recovery="name the key: Return, Page_Down, U20AC; or call request_access with systemKeyCombos true",
        )
    if is_systems(chord, held):
        _refuse("+".join((*dict.fromkeys((*held, *chord.modifiers)), chord.key)))


def check_held(access: Access, modifiers: Collection[Modifier]) -> None:
    """The same for modifiers that are to be held while something is clicked."""
    if Flag.SYSTEM_KEYS not in access.flags and Modifier.SUPER in modifiers:
        _refuse("+".join(modifiers))


def _refuse(said: str) -> None:
    raise NotGranted(
        f"{said!r} is a key combination of the desktop itself, and systemKeyCombos is not granted",
        recovery="do it another way: open_application brings an app forward, a click closes a window; or call "
        "request_access with systemKeyCombos true and the reason",
    )
