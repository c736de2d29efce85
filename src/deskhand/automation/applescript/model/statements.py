"""What a script says to do, statement by statement, with its lines."""

from dataclasses import dataclass

from deskhand.automation.applescript.model.expressions import Expression


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
    """`error "…" number 5`."""

    message: Expression
    number: Expression | None = None


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
