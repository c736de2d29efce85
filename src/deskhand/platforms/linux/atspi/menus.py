"""The menu bars of an application with all that is in them, and the shortcuts that stand there."""

import re
from typing import Final

from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.atspi.link import Asker
from deskhand.platforms.linux.atspi.nodes import Reading
from deskhand.platforms.linux.atspi.reading import read_all
from deskhand.platforms.linux.atspi.walking import walk

_MENU_BAR: Final = names.NUMBER["menu bar"]
_WORDS: Final = {"primary": "ctrl", "control": "ctrl", "mod1": "alt"}


def read_menu_bars(asker: Asker) -> Reading:
    """The menu bars with all that is in them, also of closed menus."""
    bars = read_all(asker, [_MENU_BAR])
    reading = Reading(complete=bars.complete)
    for bar in bars.nodes:
        below = walk(asker, bar.path, everything=True)
        for node in below.nodes:
            node.depth += 1
        bar.depth = 0
        reading.nodes += [bar, *below.nodes]
        reading.complete = reading.complete and below.complete
    reading.total = len(reading.nodes)
    return reading


def read_shortcuts(asker: Asker, reading: Reading) -> dict[str, str]:
    """The shortcut of each menu item that has one, by path."""
    answers = asker.ask((node.path, names.ACTION, "GetKeyBinding", "i", (0,)) for node in reading.nodes)
    reading.note(answers)
    found: dict[str, str] = {}
    for node, answer in zip(reading.nodes, answers, strict=True):
        if isinstance(answer, str) and (shortcut := shortcut_of(answer)):
            found[node.path] = shortcut
    return found


def shortcut_of(key_binding: str) -> str:
    """The shortcut in an AT-SPI key binding: `n;<Alt>f:n;<Primary>n` → `ctrl+n`, "" where there is none.

    Its parts are the mnemonic, the way there from the menu bar, and the shortcut, which may be missing.
    """
    parts = key_binding.split(";")
    binding = parts[-1] if len(parts) == 3 else key_binding if len(parts) == 1 and "+" in key_binding else ""
    if not binding:
        return ""
    keys = re.findall(r"<([^>]+)>|([^<>+]+)", binding)
    words = [(held or pressed).strip().lower() for held, pressed in keys]
    return "+".join(_WORDS.get(word, word) for word in words)
