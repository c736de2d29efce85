"""Which application is used how far where nobody has said more: lists that the user can add to."""

import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import translate
from importlib import resources
from pathlib import Path
from typing import Any, Final

from deskhand.guard.own_file import content_of, line_of_syntax
from deskhand.guard.places import config_directory
from deskhand.guard.tiers import Tier
from deskhand.model.errors import BadPolicy

NAME: Final = "tiers.toml"


@dataclass(frozen=True, slots=True)
class TierList:
    """The applications of one tier. `names` is matched with a whole name, in small letters."""

    tier: Tier
    names: re.Pattern[str]
    categories: frozenset[str]

    def has(self, names: Collection[str], categories: Collection[str]) -> bool:
        return bool(self.categories.intersection(categories)) or any(map(self.names.match, names))


@dataclass(frozen=True, slots=True)
class Tiers:
    """The lists, in the order in which they are asked; what none has is used in full."""

    lists: tuple[TierList, ...]

    def of(self, names: Collection[str], categories: Collection[str] = ()) -> Tier:
        """The tier of an application of these names, in small letters, and these categories."""
        return next((one.tier for one in self.lists if one.has(names, categories)), Tier.FULL)


def load_tiers(file: Path | None = None) -> Tiers:
    """The user's own lists, where there are any, before the usual ones.

    Raises BadPolicy, naming the file, where the user's own cannot be used.
    """
    path = file or config_directory() / NAME
    own = content_of(path)
    usual = resources.files("deskhand.guard").joinpath(NAME).read_text("utf-8")
    return Tiers((_read(own, str(path)) if own is not None else ()) + _read(usual, NAME))


def _read(text: str, path: str) -> tuple[TierList, ...]:
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadPolicy(f"{path}, {line_of_syntax(str(error), text)}") from None
    unknown = next((key for key in raw if key not in list(Tier)), None)
    if unknown is not None:
        raise BadPolicy(f"{path}: there is no tier {unknown!r} (known: {', '.join(Tier)})")
    # An application that stands in two lists is used as little as the lesser allows.
    return tuple(_list_of(tier, raw[tier], path) for tier in Tier if tier in raw)


def _list_of(tier: Tier, raw: Any, path: str) -> TierList:
    if not isinstance(raw, dict) or raw.keys() - {"apps", "categories"}:
        raise BadPolicy(f"{path}: [{tier}] holds two lists, apps and categories, and nothing else")
    names, categories = (_texts(raw.get(key, []), f"{path}: [{tier}] {key}") for key in ("apps", "categories"))
    words = [translate(name.casefold().strip().removesuffix(".desktop")) for name in names]
    return TierList(tier, re.compile("|".join(words) or r"(?!)"), frozenset(categories))


def _texts(raw: Any, where: str) -> list[str]:
    if not isinstance(raw, list) or not all(isinstance(one, str) and one.strip() for one in raw):
        raise BadPolicy(f"{where} must be a list of names")
    return raw
