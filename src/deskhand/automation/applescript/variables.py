"""The variables of a script that runs, and how much they may hold together."""

from collections.abc import Iterator, MutableMapping
from typing import Final

from deskhand.automation.applescript.values import Value, WrongValue, weight

_HEAVIEST: Final = 2_000_000


class Variables(MutableMapping[str, Value]):
    """By name, in small letters."""

    def __init__(self) -> None:
        self._values: dict[str, Value] = {}
        self._weight = 0

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __setitem__(self, name: str, value: Value) -> None:
        """Raises WrongValue where all of them together would grow out of bounds."""
        total = self._weight + weight(value) - weight(self._values.get(name))
        if total > _HEAVIEST:
            raise WrongValue("the variables hold more than a script may keep", recovery="keep less, or less at a time")
        self._values[name] = value
        self._weight = total

    def __delitem__(self, name: str) -> None:
        self._weight -= weight(self._values.pop(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
