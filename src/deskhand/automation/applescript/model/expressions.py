"""What stands in a statement: values, operators, and the names of what is on the screen."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, a number, true, false, or None for `missing value`."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Variable:
    """A name, in small letters."""

    name: str


@dataclass(frozen=True, slots=True)
class ListOf:
    """`{1, 2, 3}`."""

    items: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True)
class Operations:
    """`first op operand op operand …`, from left to right; all of one precedence."""

    first: "Expression"
    rest: "tuple[tuple[str, Expression], ...]"


@dataclass(frozen=True, slots=True)
class Unary:
    """`not x` or `-x`."""

    operator: str
    operand: "Expression"


@dataclass(frozen=True, slots=True)
class Coercion:
    """`x as text`."""

    operand: "Expression"
    kind: str


@dataclass(frozen=True, slots=True)
class Filter:
    """`whose name contains "x"`."""

    name: str
    comparison: str
    value: "Expression"


@dataclass(frozen=True, slots=True)
class Specifier:
    """One kind of thing within another: `button "OK" of window 1`.

    `selector` is the name or number; the number alone for `first` (1), `last` (-1) and `front` (1); None means every.
    """

    kind: str
    selector: "Expression | None"
    container: "Expression | None" = None
    condition: Filter | None = None


@dataclass(frozen=True, slots=True)
class Application:
    """`application "X"`."""

    name: "Expression"


@dataclass(frozen=True, slots=True)
class Property:
    """`value of x`."""

    name: str
    owner: "Expression"


@dataclass(frozen=True, slots=True)
class Exists:
    owner: "Expression"


@dataclass(frozen=True, slots=True)
class IsRunning:
    owner: "Expression"


@dataclass(frozen=True, slots=True)
class ClipboardText:
    """`the clipboard`."""


@dataclass(frozen=True, slots=True)
class Shell:
    """`do shell script "…"`."""

    command: "Expression"


Expression = (
    Literal | Variable | ListOf | Operations | Unary | Coercion | Specifier | Application | Property | Exists
    | IsRunning | ClipboardText | Shell
)  # fmt: skip
