"""Which characters of a text that was typed are not in the field, as far as what is there tells."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

_LONGEST_COMPARED: Final = 4_000
_MOST_PLACES: Final = 20
_MOST_NAMED: Final = 5
_LONGEST_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Gap:
    """Characters that did not arrive. `position` counts the characters of the text before them."""

    position: int
    text: str


def gaps(text: str, before: str, after: str) -> tuple[Gap, ...] | None:
    """What of a text is missing in what came to a field while it was typed; None where that cannot be told.

    A field may hide what it holds, and show one mark for every character; a very long text is compared up to the first
    difference.
    """
    came = _what_may_have_come(before, after)
    if came[0] and came[0] != text and len(set(came[0])) == 1 and came[0][0] not in text:
        return None
    return min((_missing(text, one) for one in came), key=lambda found: sum(len(gap.text) for gap in found))


def _missing(text: str, came: str) -> tuple[Gap, ...]:
    start = _same(text, came)
    if start == len(text):
        return ()
    if len(text) - start > _LONGEST_COMPARED or len(came) - start > _LONGEST_COMPARED:
        return (Gap(start, text[start:]),)
    blocks = SequenceMatcher(None, text[start:], came[start:], autojunk=False).get_matching_blocks()
    found, at = [], 0
    for block in blocks:
        if block.a > at:
            found.append(Gap(start + at, text[start + at : start + block.a]))
        at = block.a + block.size
    return tuple(found)


def in_words(found: Sequence[Gap]) -> str:
    """The first of them, for whoever has typed: `'b' at 1, 'de' at 3`; positions count from 0."""
    named = [f"{_short(gap.text)!r} at {gap.position}" for gap in found[:_MOST_NAMED]]
    more = [f"and {len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
    return ", ".join([*named, *more])


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_NAMED else f"{text[: _LONGEST_NAMED - 1]}…"


def _what_may_have_come(before: str, after: str) -> list[str]:
    """What has come into a text, which is still the same in front of that and behind it.

    Where it begins like what stands behind it, it may also stand a little further in front; where something has gone
    for it, that may begin or end like it, and all may have come.
    """
    start = _same(before, after)
    end = _same(before[start:][::-1], after[start:][::-1])
    if start + end < len(before):
        return [after[start : len(after) - end], after]
    size = len(after) - len(before)
    places = range(start, max(-1, start - _MOST_PLACES), -1)
    return [after[at : at + size] for at in places if after[at + size :] == before[at:]]


def _same(one: str, other: str) -> int:
    """How many characters two texts begin with that are the same."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
