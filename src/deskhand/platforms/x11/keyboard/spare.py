"""Characters and keys that the layout lacks, put on keys that have nothing on them.

A key that is given another character while its last press is still on its way writes the new one, or nothing, in
half of the toolkits. So every character gets a key of its own, all are mapped before the first is pressed, and a key
is only used again when all are taken, after the application has caught up.
"""

import io
import struct
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

import xcffib.xkb

from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.keyboard.keymap import Keymap
from deskhand.platforms.x11.keyboard.keysyms import keysym_of_character

Symbols = tuple[int, int]
"""What a key writes, without and with Shift."""

_CORE_KEYBOARD: Final = 0x100
_KEY_SYMS: Final = 2
_SET_MAP: Final = 9
_ALPHABETIC: Final = 2  # one of the four types that every server has (XKB protocol, "Canonical Key Types")
_NOTE: Final = "_DESKHAND_SPARE_KEYS"
"""A property of the root window: (keycode, symbol, symbol) of every key that deskhand has put something on.

A process that was killed takes nothing back, and there are few spare keys: the next one goes on with them.
"""


class SpareKeys:
    """The keys with nothing on them, and what deskhand has put there."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        self._placed: OrderedDict[Symbols, int] = OrderedDict()
        self._free: list[int] = []
        self.is_used = False
        """Whether this process has put something on a key that it has not taken back."""

    def see(self, keymap: Keymap) -> None:
        """Take note of the layout as it is now: which keys are empty, and which are not ours any more."""
        noted = {symbols: keycode for keycode, symbols in self._noted()} | self._placed
        self._placed = OrderedDict(
            (symbols, keycode) for symbols, keycode in noted.items() if set(symbols) <= keymap.symbols(keycode)
        )
        ours = set(self._placed.values())
        self._free = [keycode for keycode in keymap.spare_keycodes() if keycode not in ours]

    @property
    def keycodes(self) -> set[int]:
        """The keys that something was put on."""
        return set(self._placed.values())

    def reach(self, text: str, known: Container[str]) -> int:
        """How many characters of a text can be typed when all keys are used for what is not known in it."""
        wanted: set[Symbols] = set()
        for position, character in enumerate(text):
            if character not in known:
                wanted.add(symbols_for(character))
                if len(wanted) > self.room:
                    return position
        return len(text)

    @property
    def room(self) -> int:
        """How many different symbols fit at once."""
        return len(self._placed) + len(self._free)

    def place(self, wanted: Iterable[Symbols], catch_up: Callable[[], None]) -> None:
        """Put symbols on keys, no more than fit. `catch_up` waits before a used key is used again, or raises."""
        wanted = dict.fromkeys(wanted)
        for symbols in wanted:
            if symbols in self._placed:
                self._placed.move_to_end(symbols)
        missing = [symbols for symbols in wanted if symbols not in self._placed]
        if len(missing) > len(self._free):
            catch_up()
        changed: dict[int, Symbols] = {}
        for symbols in missing:
            keycode = self._free.pop() if self._free else self._placed.popitem(last=False)[1]
            self._placed[symbols] = keycode
            changed[keycode] = symbols
        self.is_used |= bool(changed)
        self._map(changed)

    def clear(self) -> None:
        """Leave every key as empty as it was."""
        emptied = dict.fromkeys(self._placed.values())
        self._free += self._placed.values()
        self._placed.clear()
        self._map(emptied)
        self.is_used = False

    def _noted(self) -> Iterator[tuple[int, Symbols]]:
        numbers = self._server.numbers(self._server.root, _NOTE)
        for at in range(0, len(numbers) - 2, 3):
            yield numbers[at], (numbers[at + 1], numbers[at + 2])

    def _note(self) -> None:
        numbers: list[int] = []
        for symbols, keycode in self._placed.items():
            numbers += (keycode, *symbols)
        self._server.set_numbers(self._server.root, _NOTE, numbers)

    def _map(self, keys: Mapping[int, Symbols | None]) -> None:
        """Put symbols on keys, or nothing."""
        if not keys:
            return
        self._note()  # first: a process that is killed in between leaves no key unnoted
        # Neighbours go in one request: some window managers grab all their keys anew at each.
        for run in _runs(sorted(keys)):
            self._set_map(run[0], b"".join(_key(keys[keycode]) for keycode in run), len(run))
        self._server.sync()

    def _set_map(self, first: int, keys: bytes, count: int) -> None:
        """XkbSetMap for keysyms alone, which xcffib 1.13 does not write.

        Not the core protocol's ChangeKeyboardMapping: the server would give letters it has no name for a type that
        ignores Caps Lock, and every client would make capitals of them then.
        """
        codes = self._server.keycodes
        symbols = (len(keys) - 8 * count) // 4
        request = struct.pack(
            "=4xHHHBBBBBBH", _CORE_KEYBOARD, _KEY_SYMS, 0, codes[0], codes[-1], 0, 0, first, count, symbols
        )
        request += bytes(18)  # no actions, behaviours and modifiers
        self._server.extension(xcffib.xkb).send_request(_SET_MAP, io.BytesIO(request + keys))


def symbols_for(character: str) -> Symbols:
    """What a key gets for a character: a letter with two cases both of them, so that Caps Lock finds its own."""
    lower, upper = character.lower(), character.upper()
    if len(lower) == len(upper) == 1 and character in (lower, upper):
        return (keysym_of_character(lower), keysym_of_character(upper))
    return (keysym_of_character(character),) * 2


def _key(symbols: Symbols | None) -> bytes:
    """The description of a key with one group (XKB protocol, "KEYSYMMAP")."""
    if symbols is None:
        return struct.pack("=4BBBH", 0, 0, 0, 0, 0, 0, 0)
    types = (_ALPHABETIC,) * 4
    return struct.pack("=4BBBH2I", *types, 1, len(symbols), len(symbols), *symbols)


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] + 1 == number:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs
