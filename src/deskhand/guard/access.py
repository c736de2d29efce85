"""What one connection may use, as its human has granted it: applications as far as their tier, the clipboard, keys.

Grants last as long as the connection and are not stored. Those that were given ahead of time (on the command line, in
the policy) hold for every connection.
"""

import threading
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NoReturn

from deskhand.guard.given import FLAGS_ABOUT, Flag, Given
from deskhand.guard.policy import Deed
from deskhand.guard.tier_lists import Tiers
from deskhand.guard.tiers import Tier
from deskhand.model.app import is_shared_name
from deskhand.model.errors import NotGranted

LONGEST_NAME: Final = 40
"""Characters of a name that a model or a human is shown."""
_BESIDE_LETTERS: Final = " .-_+&'()"


def plain(text: str, longest: int = LONGEST_NAME, *, also: str = "") -> str:
    """A text from outside with plain characters (and `also` those) only, on one line, and not longer than that.

    A name comes from a window or a file, a reason from a model: neither may bring line ends, marks that turn the
    direction of writing, or a text of their own.
    """
    kept = "".join(
        one if one.isalnum() or one in _BESIDE_LETTERS + also else " " for one in unicodedata.normalize("NFC", text)
    )
    words = " ".join(kept.split())
    return words if len(words) <= longest else f"{words[: longest - 1].rstrip()}…"


@dataclass(frozen=True, slots=True)
class Grant:
    """One application that may be used. `id` is its desktop file's, or its name where it has none."""

    id: str
    display_name: str
    tier: Tier
    granted_at: datetime


@dataclass(slots=True)
class Access:
    """What one connection may use. Any thread may ask, or add."""

    given: Given
    tiers: Tiers
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    _grants: dict[str, Grant] = field(default_factory=dict)
    _flags: set[Flag] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    # ------------------------------------------------------------ what there is

    @property
    def grants(self) -> list[Grant]:
        """What was granted on request, first who was first."""
        with self._lock:
            return list(self._grants.values())

    @property
    def flags(self) -> frozenset[Flag]:
        if self.given.everything:
            return frozenset(Flag)
        with self._lock:
            return self.given.flags | self._flags

    def tier_of(self, names: Collection[str], categories: Collection[str] = ()) -> Tier | None:
        """How far an application of these names (in small letters) may be used; None where it is not granted."""
        if self.given.everything:
            return Tier.FULL
        with self._lock:
            found = [grant.tier for grant in self._grants.values() if grant.id.casefold() in names]
        own = {one for one in names if not is_shared_name(one)}
        for one in self.given.apps:
            if one.word.casefold().removesuffix(".desktop") in own:
                found.append(one.tier or self.tiers.of(names, categories))
        return max(found, key=list(Tier).index, default=None)

    def since_of(self, app_id: str) -> datetime:
        """Since when an application may be used that may be."""
        with self._lock:
            known = self._grants.get(app_id)
        return known.granted_at if known is not None else self.since

    def grant(self, app_id: str, display_name: str, tier: Tier) -> Grant:
        """Add an application, until the connection ends."""
        given = Grant(app_id, plain(display_name), tier, datetime.now(UTC))
        with self._lock:
            self._grants[app_id] = given
        return given

    def allow(self, flags: Collection[Flag]) -> None:
        """Add what is granted beside applications, until the connection ends."""
        with self._lock:
            self._flags.update(flags)

    # ------------------------------------------------------------ may it be done?

    def check_app(
        self, names: Collection[str], categories: Collection[str], called: str, deed: Deed, need: Tier, *, front: bool
    ) -> None:
        """Raise NotGranted where this may not be done in an application of these names.

        `front` tells that it is in front, and so gets what is done.
        """
        tier = self.tier_of(names, categories)
        if tier is None:
            _refuse_ungranted(plain(called), deed, front=front)
        if not tier.allows(need):
            raise NotGranted(
                f"{deed} {plain(called)} needs the tier {need}; it is granted with the tier {tier}",
                recovery=_AROUND[tier],
            )

    def check_flag(self, flag: Flag) -> None:
        """Raise NotGranted where what a flag stands for may not be done."""
        if flag not in self.flags:
            raise NotGranted(
                f"{flag} is not granted: the user has not allowed to {FLAGS_ABOUT[flag]}",
                recovery=f"call request_access with {flag} true and the reason",
            )


_AROUND: Final = {
    Tier.VIEW: "look at it with screenshot; use the tools made for web pages or for its data, or ask the user to do "
    "this step; only the user can give it more (deskhand --grant APP=TIER)",
    Tier.CLICK: "left_click and scroll work there; use your own tools for a shell or for files instead of typing; "
    "only the user can give it more (deskhand --grant APP=TIER)",
}


def _refuse_ungranted(called: str, deed: Deed, *, front: bool) -> NoReturn:
    others = f'or call request_access with apps ["{called}"]'
    if front:
        raise NotGranted(
            f"{called} is in front and is not granted: {deed} it is refused",
            recovery=f"call open_application for an app of list_granted_applications, {others}",
        )
    raise NotGranted(
        f"{called} is not granted: {deed} it is refused",
        recovery=f"act on an app of list_granted_applications, {others}",
    )
