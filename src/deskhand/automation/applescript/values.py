"""AppleScript's values: how they are shown, turned into each other, compared and reckoned with."""

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol, Self, TypeGuard, Union

from deskhand.model.errors import BadArguments


class Thing(Protocol):
    """What is on the screen: an application, a window, an element."""

    def words(self) -> str:
        """What it is, as a script would write it."""
        ...


Value = Union[str, int, float, bool, None, "Items", Thing]
LONGEST_TEXT: Final = 100_000
LONGEST_LIST: Final = 10_000
_HEAVIEST_LIST: Final = 400_000
"""Characters and items, with those of the lists in it: a list of two of itself, made a few times over, is endless."""
_DEEPEST_LIST: Final = 50
_MOST_COMPARISONS: Final = 4_000_000


class WrongValue(BadArguments):
    """Raised when a value is not of the kind that a statement needs, or grows out of bounds."""

    recovery = "correct the statement that the message names, then run the script again"


class Items(tuple[Value, ...]):
    """A list; it knows how much is in it. Raises WrongValue for one that is longer or deeper than a script may make."""

    weight: int
    depth: int

    def __new__(cls, values: Iterable[Value]) -> Self:
        made = super().__new__(cls, values)
        made.weight = 1 + sum(map(weight, made))
        made.depth = 1 + max((one.depth for one in made if isinstance(one, Items)), default=0)
        if len(made) > LONGEST_LIST or made.weight > _HEAVIEST_LIST or made.depth > _DEEPEST_LIST:
            raise WrongValue(
                f"a list of more than {LONGEST_LIST:,} items, {_HEAVIEST_LIST:,} characters in all or "
                f"{_DEEPEST_LIST} lists in each other is more than a script may make"
            )
        return made


def weight(value: Value) -> int:
    """How much room a value takes, and time to go through it."""
    return value.weight if isinstance(value, Items) else 1 + len(value) if isinstance(value, str) else 1


def is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_list(value: object) -> TypeGuard[Items]:
    return isinstance(value, Items)


def shown(value: Value) -> str:
    """A value as AppleScript shows it, a text without quotes."""
    return value if isinstance(value, str) else _inner(value)


def _inner(value: Any) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if value is None:
        return "missing value"
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_number(value):
        return _number_words(value)
    if is_list(value):
        return f"{{{', '.join(map(_inner, value))}}}"
    return str(value.words())


def _number_words(value: float) -> str:
    return str(value) if isinstance(value, int) or not value.is_integer() or abs(value) >= 1e15 else f"{value:.1f}"


# ---------------------------------------------------------------- one kind as another


def text(value: Value) -> str:
    """A value as text. Raises WrongValue for a thing, a list of things, or what is too long."""
    if is_list(value):
        return bounded_text("".join(text(item) for item in value))
    if isinstance(value, str | bool) or value is None or is_number(value):
        return bounded_text(shown(value))
    raise WrongValue(f"{_cut(value)} is not a text; ask for its name or value")


def number(value: Value) -> int | float:
    """A value as number. Raises WrongValue."""
    if isinstance(value, bool) or value is None or not isinstance(value, str | int | float):
        raise WrongValue(f"{_cut(value)} is not a number")
    if not isinstance(value, str):
        return value
    try:
        found = float(value.strip())
    except ValueError:
        raise WrongValue(f"{_cut(value)} is not a number") from None
    return _finite(int(found) if found.is_integer() and "." not in value and abs(found) < 1e15 else found)


def whole(value: Value) -> int:
    """A value as whole number. Raises WrongValue."""
    found = number(value)
    if isinstance(found, float) and not found.is_integer():
        raise WrongValue(f"{_cut(value)} is not a whole number")
    return int(found)


def truth(value: Value) -> bool:
    """A value as true or false. Raises WrongValue."""
    if isinstance(value, bool):
        return value
    words = value.casefold() if isinstance(value, str) else value
    if words in ("true", "yes", 1):
        return True
    if words in ("false", "no", 0):
        return False
    raise WrongValue(f"{_cut(value)} is neither true nor false")


def coerced(value: Value, kind: str) -> Value:
    """`value as kind`."""
    match kind:
        case "text" | "string" | "unicode text":
            return text(value)
        case "number":
            return number(value)
        case "real":
            return float(number(value))
        case "integer":
            return _finite(math.floor(number(value) + 0.5))
        case "boolean":
            return truth(value)
    return value if is_list(value) else Items([value])


def bounded_text(found: str) -> str:
    """Raise WrongValue where a text is longer than a script may make it."""
    if len(found) > LONGEST_TEXT:
        raise WrongValue(f"a text of more than {LONGEST_TEXT:,} characters is more than a script may make")
    return found


def quoted(found: str) -> str:
    """A text as one word of the shell."""
    escaped = found.replace("'", "'\\''")
    return bounded_text(f"'{escaped}'")


def _cut(value: Value) -> str:
    words = _inner(value)
    return words if len(words) <= 60 else f"{words[:59]}…"


def _finite(found: float) -> int | float:
    if isinstance(found, float) and not math.isfinite(found):
        raise WrongValue("a number grew out of all bounds")
    return found if isinstance(found, float) or abs(found) < 1 << 53 else float(found)


# ---------------------------------------------------------------- operators


def joined(left: Value, right: Value) -> Value:
    """`left & right`: lists where the left is one, texts otherwise."""
    if not is_list(left):
        return bounded_text(text(left) + text(right))
    return Items([*left, *(right if is_list(right) else [right])])


def _reckoned(sign: str, left: Value, right: Value) -> int | float:
    a, b = number(left), number(right)
    try:
        match sign:
            case "+":
                return _finite(a + b)
            case "-":
                return _finite(a - b)
            case "*":
                return _finite(a * b)
            case "/":
                return _finite(a / b)
            case "div":
                return _finite(int(a / b))
            case "mod":
                return _finite(
                    math.fmod(a, b) if isinstance(a, float) or isinstance(b, float) else int(math.fmod(a, b))
                )
        raised = float(a) ** b
    except (ZeroDivisionError, OverflowError, ValueError):
        raise WrongValue(f"{_cut(left)} {sign} {_cut(right)} has no result") from None
    if isinstance(raised, complex):
        raise WrongValue(f"{_cut(left)} {sign} {_cut(right)} has no result")
    return _finite(raised)


def same(left: Value, right: Value) -> bool:
    """Whether two values are equal; small and large letters are the same, and a number is no text."""
    if isinstance(left, str) and isinstance(right, str):
        return left.casefold() == right.casefold()
    if is_list(left) and is_list(right):
        return len(left) == len(right) and all(map(same, left, right))
    if is_number(left) and is_number(right):
        return left == right
    return type(left) is type(right) and left == right


def _ordered(compare: Callable[[Any, Any], bool], left: Value, right: Value) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return compare(left.casefold(), right.casefold())
    return compare(number(left), number(right))


def _contains(whole_of: Value, part: Value) -> bool:
    if is_list(whole_of):
        parts = part if is_list(part) else (part,)
        if len(parts) * whole_of.weight + len(whole_of) * weight(part) > _MOST_COMPARISONS:
            raise WrongValue("these lists are too long to be compared item by item")
        return all(any(same(item, one) for item in whole_of) for one in parts)
    return text(part).casefold() in text(whole_of).casefold()


_COMPARISONS: Final[dict[str, Callable[[Value, Value], bool]]] = {
    "=": same,
    "<": lambda left, right: _ordered(operator.lt, left, right),
    ">": lambda left, right: _ordered(operator.gt, left, right),
    "≤": lambda left, right: _ordered(operator.le, left, right),
    "≥": lambda left, right: _ordered(operator.ge, left, right),
    "contains": _contains,
    "is in": lambda left, right: _contains(right, left),
    "starts with": lambda left, right: text(left).casefold().startswith(text(right).casefold()),
    "ends with": lambda left, right: text(left).casefold().endswith(text(right).casefold()),
}
_OPPOSITES: Final = {
    "≠": "=", "is not in": "is in", "not contains": "contains", "not starts with": "starts with",
    "not ends with": "ends with",
}  # fmt: skip


def compared(sign: str, left: Value, right: Value) -> bool:
    """What a comparison says."""
    if sign in _OPPOSITES:
        return not _COMPARISONS[_OPPOSITES[sign]](left, right)
    return _COMPARISONS[sign](left, right)


def operated(sign: str, left: Value, right: Value) -> Value:
    """The result of an operator between two values; `and` and `or` are not among them."""
    if sign == "&":
        return joined(left, right)
    if sign in ("+", "-", "*", "/", "div", "mod", "^"):
        return _reckoned(sign, left, right)
    return compared(sign, left, right)
