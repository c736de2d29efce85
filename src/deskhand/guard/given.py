"""What is granted ahead of time: on the command line, in the policy, or all of it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from deskhand.guard.tiers import Tier
from deskhand.model.app import is_shared_name


class Flag(StrEnum):
    """What is granted beside applications."""

    CLIPBOARD_READ = "clipboardRead"
    CLIPBOARD_WRITE = "clipboardWrite"
    SYSTEM_KEYS = "systemKeyCombos"


FLAGS_ABOUT: Final = {
    Flag.CLIPBOARD_READ: "read the clipboard",
    Flag.CLIPBOARD_WRITE: "write to the clipboard",
    Flag.SYSTEM_KEYS: "press the system's key combinations",
}
"""What each allows, for people."""


@dataclass(frozen=True, slots=True)
class GivenApp:
    """An application granted ahead of time, by one of its names; without a tier, that of the lists."""

    word: str
    tier: Tier | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """Everything granted ahead of time."""

    apps: tuple[GivenApp, ...] = ()
    flags: frozenset[Flag] = frozenset()
    everything: bool = False
    """Every application in full, the clipboard, and the system's keys."""

    def and_also(self, other: "Given") -> "Given":
        return Given(self.apps + other.apps, self.flags | other.flags, self.everything or other.everything)


EVERYTHING: Final = Given(everything=True)


def given_app(written: str) -> GivenApp:
    """Read APP or APP=TIER. Raises ValueError with what is wrong: also for a name that many applications go by."""
    word, equals, tier = written.rpartition("=")
    if not equals:
        word, tier = tier, ""
    if not word.strip() or (equals and tier not in list(Tier)):
        raise ValueError(f"{written!r} is not APP or APP=TIER (tiers: {', '.join(Tier)})")
    if is_shared_name(word):
        raise ValueError(
            f"{written!r} would be every APP that {word.strip()} runs: name one by its id, or as its window's class says"
        )
    return GivenApp(word.strip(), Tier(tier) if equals else None)
