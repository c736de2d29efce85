"""What a script is once it has been read: statements with their lines, and the expressions in them."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

# ---------------------------------------------------------------- expressions


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


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Evaluate:
    """An expression on a line of its own, or `get x`."""

    value: Expression


@dataclass(frozen=True, slots=True)
class SetVariable:
    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class SetProperty:
    name: str
    owner: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class SetClipboard:
    value: Expression


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None


@dataclass(frozen=True, slots=True)
class ExitRepeat:
    """`exit repeat`."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """What a script may say and nothing comes of here: `use scripting additions`."""


@dataclass(frozen=True, slots=True)
class Raise:
    """`error "…"`."""

    message: Expression


@dataclass(frozen=True, slots=True)
class Log:
    value: Expression


@dataclass(frozen=True, slots=True)
class Delay:
    seconds: Expression


@dataclass(frozen=True, slots=True)
class Notify:
    text: Expression
    title: Expression | None
    subtitle: Expression | None


@dataclass(frozen=True, slots=True)
class Keystroke:
    text: Expression
    modifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyCode:
    codes: Expression
    modifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Click:
    """Of an element, of what the `tell` around it is about, or at a point of the screen."""

    target: Expression | None
    at: Expression | None = None


@dataclass(frozen=True, slots=True)
class Perform:
    """`perform action "AXPress" of x`."""

    action: Expression
    target: Expression | None


@dataclass(frozen=True, slots=True)
class AppCommand:
    """`activate`, `launch` or `quit`."""

    verb: str
    target: Expression | None


@dataclass(frozen=True, slots=True)
class Close:
    """`close window 1`."""

    target: Expression | None


@dataclass(frozen=True, slots=True)
class Tell:
    target: Expression
    body: "Body"


@dataclass(frozen=True, slots=True)
class If:
    branches: "tuple[tuple[Expression, Body], ...]"
    otherwise: "Body"


@dataclass(frozen=True, slots=True)
class Times:
    """`repeat 3 times`; for ever where there is no count."""

    count: Expression | None
    body: "Body"


@dataclass(frozen=True, slots=True)
class Counting:
    """`repeat with i from 1 to 5 by 2`."""

    name: str
    first: Expression
    last: Expression
    step: Expression | None
    body: "Body"


@dataclass(frozen=True, slots=True)
class Each:
    """`repeat with x in list`."""

    name: str
    items: Expression
    body: "Body"


@dataclass(frozen=True, slots=True)
class While:
    """`repeat while x`, or until x where that is what is `wanted` to be true in the end."""

    condition: Expression
    until: bool
    body: "Body"


@dataclass(frozen=True, slots=True)
class Try:
    body: "Body"
    message: str | None
    number: str | None
    handler: "Body"


Act = (
    Evaluate | SetVariable | SetProperty | SetClipboard | Return | ExitRepeat | Nothing | Raise | Log | Delay | Notify
    | Keystroke | KeyCode | Click | Perform | AppCommand | Close | Tell | If | Times | Counting | Each | While | Try
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: where it stands (lines count from 1), and what it says."""

    line: int
    words: str
    act: Act


Body = tuple[Statement, ...]


def inside(node: Any) -> Iterator[Any]:
    """What stands directly in a statement or an expression."""
    if isinstance(node, tuple):
        yield from node
    elif is_dataclass(node):
        for one in fields(node):
            found = getattr(node, one.name)
            if isinstance(found, tuple) or is_dataclass(found):
                yield found


def everything_in(node: Any) -> Iterator[Any]:
    """A node and all below it, statements before what is in them."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(list(inside(found))))
