"""From the parser's trees of expressions to the expressions of the model."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from lark import Token, Tree

from deskhand.automation.applescript.model import (
    Application,
    ClipboardText,
    Coercion,
    Exists,
    Expression,
    Filter,
    IsRunning,
    ListOf,
    Literal,
    Operations,
    Property,
    Shell,
    Specifier,
    Unary,
    Variable,
)

Node = Tree[Token]

CONSTANTS: Final[Mapping[str, str | float]] = {
    "tab": "\t",
    "space": " ",
    "linefeed": "\n",
    "quote": '"',
    "pi": 3.141592653589793,
}
"""What these names stand for, unless the script sets a variable of the name."""

_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}
_ORDINALS: Final = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_PLURALS: Final = {"boxes": "box", "processes": "process"}
_COMPARISONS: Final = {
    "is": "=", "equals": "=", "is equal to": "=", "is not": "≠", "isn't": "≠", "isn’t": "≠", "/=": "≠", "<>": "≠",
    "is not equal to": "≠", "does not equal": "≠", "is less than": "<", "is greater than": ">",
    "is not less than": "≥", "is not greater than": "≤", ">=": "≥", "<=": "≤", "is less than or equal to": "≤",
    "is greater than or equal to": "≥", "begins with": "starts with",
}  # fmt: skip


def trees(node: Node) -> list[Node]:
    """The trees directly below one."""
    return [child for child in node.children if isinstance(child, Tree)]


def tokens(node: Node, kind: str) -> list[str]:
    """The words of a kind directly below a tree, in small letters, with single spaces."""
    return [plain(child) for child in node.children if isinstance(child, Token) and child.type == kind]


def plain(words: str) -> str:
    """Words as they are compared."""
    return " ".join(words.casefold().split())


def variable_name(written: str) -> str:
    """A name as it is kept: AppleScript takes large and small letters for the same."""
    return plain(written).strip("|")


def expression(node: Node) -> Expression:
    """What an expression's tree means."""
    kind = str(node.data)
    if kind in _OPERATIONS:
        return _operations(node)
    return _BUILDERS[kind](node)


def optional(node: Node) -> Expression | None:
    """The one expression in a tree, None where it has none."""
    below = trees(node)
    return expression(below[0]) if below else None


# ---------------------------------------------------------------- operations

_OPERATIONS: Final = {
    "either": "or", "both": "and", "comparison": "", "concatenation": "&", "sum": "", "product": "", "power": "^",
}  # fmt: skip
"""What operators are called; those that are not kept as words in the tree have one name."""


def _operations(node: Node) -> Operations:
    name = _OPERATIONS[str(node.data)]
    first, *operands = (expression(below) for below in trees(node))
    words = [plain(child) for child in node.children if isinstance(child, Token)]
    operators = [name] * len(operands) if name else [_operator(word) for word in words]
    return Operations(first, tuple(zip(operators, operands, strict=True)))


def _operator(word: str) -> str:
    if word.startswith("does not ") and word != "does not equal":
        verb = word.removeprefix("does not ")
        return f"not {'contains' if verb == 'contain' else verb.replace('start', 'starts').replace('end', 'ends')}"
    return _COMPARISONS.get(word, "/" if word == "÷" else word)


def _coercion(node: Node) -> Expression:
    built = expression(trees(node)[0])
    for kind in tokens(node, "KIND"):
        built = Coercion(built, kind)
    return built


# ---------------------------------------------------------------- atoms


def _literal(node: Node) -> Literal:
    token = node.children[0]
    assert isinstance(token, Token)
    match token.type:
        case "STRING":
            return Literal(
                re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), token[1:-1], flags=re.DOTALL)
            )
        case "NUMBER":
            return Literal(_number(token))
        case "MISSING":
            return Literal(None)
    return Literal(plain(token) == "true")


def _number(written: str) -> int | float:
    # An integer of so many digits is none of AppleScript's, and slow to read.
    return int(written) if written.isdigit() and len(written) <= 15 else float(written)


def _negative_number(node: Node) -> Literal:
    return Literal(-_number(tokens(node, "NUMBER")[0]))


# ---------------------------------------------------------------- things


def kind_of(words: str) -> str:
    """The singular of a class: `menu items` → `menu item`."""
    words = plain(words)
    for plural, singular in _PLURALS.items():
        if words.endswith(plural):
            words = words.removesuffix(plural) + singular
    if words.endswith("checkboxes"):
        return "checkbox"
    words = words if words.endswith(("s s", "ss")) else words.removesuffix("s")
    return words.removeprefix("application ")


def _specifier(node: Node) -> Specifier:
    kind, *others = trees(node)
    if kind.data != "indexed":
        _take_condition(node)
        others = trees(node)[1:]
    condition = next((_condition(one) for one in others if one.data == "condition"), None)
    container = next((expression(one) for one in others if one.data != "condition"), None)
    words = next(plain(child) for child in kind.children if isinstance(child, Token) and child.type.startswith("CLASS"))
    selector: Expression | None = None
    if kind.data == "indexed":
        selector = expression(trees(kind)[0])
    elif kind.data == "ordinal":
        selector = Literal(_ordinal(tokens(kind, "ORDINAL")[0]))
    return Specifier(kind_of(words), selector, container, condition)


def _take_condition(node: Node) -> None:
    """In `first button of window 1 whose …` the condition is for the button: what has a number or name needs none."""
    inner = node
    while True:
        found = next((one for one in trees(inner) if one.data == "condition"), None)
        if found is not None:
            inner.children.remove(found)
            node.children.append(found)
            return
        containers = [one for one in trees(inner)[1:] if one.data == "specifier"]
        if not containers or trees(containers[0])[0].data != "indexed":
            return
        inner = containers[0]


def _ordinal(word: str) -> int:
    if word == "last":
        return -1
    if word == "front":
        return 1
    return _ORDINALS.index(word) + 1 if word in _ORDINALS else int(word[:-2][:9])


def _condition(node: Node) -> Filter:
    names = " ".join(tokens(node, "NAME"))
    return Filter(names, _operator(tokens(node, "COMPARISON")[0]), expression(trees(node)[0]))


def _one(make: Callable[[Expression], Expression]) -> Callable[[Node], Expression]:
    """A builder of what is made of one expression."""
    return lambda node: make(expression(trees(node)[0]))


def _property(node: Node) -> Property:
    return Property(tokens(node, "PROPERTY")[0], expression(trees(node)[0]))


_BUILDERS: Final[dict[str, Callable[[Node], Expression]]] = {
    "literal": _literal,
    "negative_number": _negative_number,
    "variable": lambda node: Variable(variable_name(tokens(node, "NAME")[0])),
    "list": lambda node: ListOf(tuple(expression(below) for below in trees(node))),
    "return_character": lambda _: Literal("\n"),
    "clipboard": lambda _: ClipboardText(),
    "specifier": _specifier,
    "property": _property,
    "coercion": _coercion,
    "count": _one(lambda of: Property("count", of)),
    "opposite": _one(lambda of: Unary("not", of)),
    "negative": _one(lambda of: Unary("-", of)),
    "application": _one(Application),
    "exists": _one(Exists),
    "is_running": _one(IsRunning),
    "shell": _one(Shell),
}
