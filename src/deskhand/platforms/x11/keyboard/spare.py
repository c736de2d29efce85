"""Characters that the layout lacks, put on keys that have nothing on them.

A key that is given another character while its last press is still on its way writes the new one, or nothing, in
half of the toolkits. So every character gets a key of its own, all are mapped before the first is pressed, and a key
is only used again when all are taken, after the application has caught up.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.keyboard.keysyms import keysym_of_character

Symbols = tuple[int, ...]
_NOTHING: Final = 0


class SpareKeys:
    """The keys with nothing on them, and what this process has put there."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        self._placed: OrderedDict[Symbols, int] = OrderedDict()
        self._free: list[int] = []

    def offer(self, keycodes: Sequence[int]) -> None:
        """Say which keys are empty in the layout now: those that are not ours yet become so when needed."""
        ours = set(self._placed.values())
        self._free = [keycode for keycode in keycodes if keycode not in ours]

    @property
    def room(self) -> int:
        """How many different characters fit at once (a letter brings its other case along)."""
        return len(self._placed) + len(self._free)

    def place(self, characters: Sequence[str], caught_up: Callable[[], None]) -> None:
        """Put characters on keys, at most `room` of them. `caught_up` waits before a used key is used again."""
        wanted = dict.fromkeys(symbols_for(character) for character in characters)
        for symbols in wanted:
            if symbols in self._placed:
                self._placed.move_to_end(symbols)
        missing = [symbols for symbols in wanted if symbols not in self._placed]
        if len(missing) > len(self._free):
            caught_up()
        changed: dict[int, Symbols] = {}
        for symbols in missing:
            keycode = self._free.pop() if self._free else self._placed.popitem(last=False)[1]
            self._placed[symbols] = keycode
            changed[keycode] = symbols
        self._map(changed)

    def lost(self, keycodes: Sequence[int]) -> None:
        """Forget these keys: somebody else has put other things on them."""
        for symbols in [symbols for symbols, keycode in self._placed.items() if keycode in keycodes]:
            del self._placed[symbols]

    @property
    def placed(self) -> dict[int, Symbols]:
        """What was put where, by keycode."""
        return {keycode: symbols for symbols, keycode in self._placed.items()}

    def clear(self) -> None:
        """Leave every key as empty as it was."""
        self._map(dict.fromkeys(self._placed.values(), (_NOTHING,)))
        self._placed.clear()

    def _map(self, symbols: dict[int, Symbols]) -> None:
        # Neighbours go in one request: some window managers grab all their keys anew at each.
        for run in _runs(sorted(symbols)):
            width = max(len(symbols[keycode]) for keycode in run)
            flat = [number for keycode in run for number in (symbols[keycode] + (_NOTHING,) * width)[:width]]
            self._server.core.ChangeKeyboardMapping(len(run), run[0], width, flat)
        if symbols:
            self._server.sync()


def symbols_for(character: str) -> Symbols:
    """What a key gets for a character: a letter with two cases both of them, so that Caps Lock finds its own."""
    lower, upper = character.lower(), character.upper()
    if len(lower) == len(upper) == 1 and lower != upper and character in (lower, upper):
        return (keysym_of_character(lower), keysym_of_character(upper))
    return (keysym_of_character(character),)


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] + 1 == number:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs
