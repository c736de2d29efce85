"""Acting with the keyboard."""

import contextlib
from typing import Annotated

from deskhand.desk import Desk
from deskhand.desktop import keyboard
from deskhand.desktop.gaps import in_words
from deskhand.model.errors import BadArguments, after_acting
from deskhand.surfaces.computer.parameters import Keys, Seconds, chords_of
from deskhand.surfaces.computer.results import Answer, within
from deskhand.tools import Effect, arg, tool

_LONGEST_TEXT = 100_000


@tool("type", effect=Effect.ACTS, session=True)
def type_text(desk: Desk, text: Annotated[str, arg(private=True, min_length=1, max_length=_LONGEST_TEXT)]) -> Answer:
    """Type a text; a line break is Enter."""
    typed = keyboard.type_text(desk.platform, text, desk.turn)
    where = within(typed.window)
    if typed.arrived is None:
        leads_on = not {"\n", "\r", "\t"}.isdisjoint(text)
        unknown = "look at what Enter or Tab has done" if leads_on else "the field cannot be read back"
        return Answer(f"Typed {typed.characters} characters{where}; {unknown}.")
    if typed.arrived == typed.characters:
        return Answer(f"Typed {typed.characters} characters{where}.")
    which = f"missing is {in_words(typed.missing)}" if typed.missing else "look at a screenshot for what is missing"
    return Answer(f"Only {typed.arrived} of {typed.characters} characters are in the field{where}: {which}.")


@tool("key", effect=Effect.ACTS, session=True)
def key(desk: Desk, text: Keys, repeat: Annotated[int, arg("How often", ge=1, le=100)] = 1) -> Answer:
    """Press keys together; several groups with spaces between, one after the other."""
    chords = [*chords_of(desk, text)] * repeat
    for done, chord in enumerate(chords):
        with _pressed(done, len(chords)):
            desk.turn.check()
            keyboard.stroke(desk.platform, chord)
    times = f" {repeat} times" if repeat > 1 else ""
    return Answer(f"Pressed {text}{times}{within(desk.platform.windows.active())}.")


@tool("hold_key", effect=Effect.ACTS, session=True)
def hold_key(desk: Desk, text: Keys, duration: Seconds) -> Answer:
    """Hold keys down for so many seconds."""
    chord, *more = chords_of(desk, text)
    if more:
        raise BadArguments("text: only one group of keys can be held", recovery="join the keys with +")
    keyboard.hold(desk.platform, chord, duration, desk.turn)
    return Answer(f"Held {text} for {duration:g} s.")


def _pressed(done: int, wanted: int) -> contextlib.AbstractContextManager[None]:
    """What goes wrong in the block says how many keys had been pressed before."""
    if not done:
        return contextlib.nullcontext()
    return after_acting(lambda: f" (after {done} of {wanted} key presses)")
