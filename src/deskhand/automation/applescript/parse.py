"""From the text of a script to its statements, or to an error that names the first one that cannot be run here.

The only files that know lark are this and `expressions.py`; nothing loads them before a script comes.
"""

import functools
from collections.abc import Callable
from importlib import resources
from typing import Final

from lark import Lark, Token, UnexpectedInput, UnexpectedToken

from deskhand.automation.applescript import model
from deskhand.automation.applescript.expressions import (
    Node,
    expression,
    optional,
    tokens,
    trees,
    variable_name,
)
from deskhand.automation.applescript.source import NotUnderstood, line_of, statement_at, without_comments

_DEEPEST: Final = 120
"""Levels of the parser's tree; about 30 blocks or brackets in each other."""
_OPENERS: Final = {"TELL": "tell", "IF": "if", "REPEAT": "repeat", "TRY": "try"}


def parse(script: str) -> model.Body:
    """The statements of a script. Raises NotUnderstood."""
    text = without_comments(script)
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise _refusal(text, error) from None
    _refuse_depth(text, tree)
    return _Reading(text).body(trees(tree)[0])


@functools.cache
def _parser() -> Lark:
    grammar = resources.files(__package__).joinpath("grammar.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=False)


class _Reading:
    """The statements of one script while they are read."""

    def __init__(self, text: str) -> None:
        self._text = text

    def body(self, block: Node) -> model.Body:
        """The statements of a block."""
        return tuple(self._statement(one) for one in trees(block))

    def _statement(self, node: Node) -> model.Statement:
        """Also of a statement that stands on the line of another."""
        line = int(node.meta.line)
        inner = trees(node)[0]
        found = trees(inner)[0] if inner.data == "simple" else inner
        return model.Statement(line, statement_at(self._text, node.meta.start_pos), self._act(found))

    def _act(self, node: Node) -> model.Act:
        kind = str(node.data)
        if kind in _SIMPLE:
            return _SIMPLE[kind](node)
        match kind:
            case "tell_block":
                target, block = trees(node)
                return model.Tell(expression(target), self.body(block))
            case "tell_line":
                target, told = trees(node)
                return model.Tell(expression(target), (self._statement(told),))
            case "if_block":
                return self._if(node)
            case "if_line":
                condition, then, *other = trees(node)
                branch = (expression(condition), (self._statement(then),))
                return model.If((branch,), tuple(map(self._statement, other)))
            case "repeat_block":
                how, block = trees(node)
                return _loop(how, self.body(block))
        return self._try(node)

    def _if(self, node: Node) -> model.If:
        condition, block, *others = trees(node)
        branches = [(expression(condition), self.body(block))]
        otherwise: model.Body = ()
        for other in others:
            if other.data == "else_if":
                condition, block = trees(other)
                branches.append((expression(condition), self.body(block)))
            else:
                otherwise = self.body(trees(other)[0])
        return model.If(tuple(branches), otherwise)

    def _try(self, node: Node) -> model.Try:
        block, *handlers = trees(node)
        names: dict[str, str] = {}
        handler: model.Body = ()
        for part in trees(handlers[0]) if handlers else ():
            if part.data == "block":
                handler = self.body(part)
            else:
                names[str(part.data)] = variable_name(tokens(part, "NAME")[0])
        return model.Try(self.body(block), names.get("error_text"), names.get("error_number"), handler)


# ---------------------------------------------------------------- statements of one line


def _loop(how: Node, body: model.Body) -> model.Act:
    parts = [expression(one) for one in trees(how)]
    name = variable_name(tokens(how, "NAME")[0]) if how.data in ("counting", "each") else ""
    match how.data:
        case "forever":
            return model.Times(None, body)
        case "times":
            return model.Times(parts[0], body)
        case "counting":
            return model.Counting(name, parts[0], parts[1], parts[2] if len(parts) > 2 else None, body)
        case "each":
            return model.Each(name, parts[0], body)
    return model.While(parts[0], how.data == "repeat_until", body)


def _set_variable(node: Node) -> model.SetVariable:
    return model.SetVariable(variable_name(tokens(node, "NAME")[0]), expression(trees(node)[0]))


def _set_property(node: Node) -> model.SetProperty:
    owner, value = trees(node)
    return model.SetProperty(tokens(node, "PROPERTY")[0], expression(owner), expression(value))


def _raise(node: Node) -> model.Raise:
    message, *number = (expression(one) for one in trees(node))
    return model.Raise(message, *number)


def _notify(node: Node) -> model.Notify:
    text, *others = (expression(one) for one in trees(node))
    marks = [str(child.type) for child in node.children if isinstance(child, Token)]
    said = dict(zip([mark for mark in marks if mark in ("TITLE", "SUBTITLE", "SOUND")], others, strict=True))
    return model.Notify(text, said.get("TITLE"), said.get("SUBTITLE"))


def _keystroke(node: Node) -> model.Keystroke:
    text, *using = trees(node)
    return model.Keystroke(expression(text), _modifiers(using))


def _key_code(node: Node) -> model.KeyCode:
    codes, *using = trees(node)
    return model.KeyCode(expression(codes), _modifiers(using))


def _modifiers(using: list[Node]) -> tuple[str, ...]:
    return tuple(tokens(using[0], "MODIFIER")) if using else ()


def _click(node: Node) -> model.Click:
    parts = [expression(one) for one in trees(node)]
    at = parts.pop() if tokens(node, "AT") else None
    return model.Click(parts[0] if parts else None, at)


def _perform(node: Node) -> model.Perform:
    action, *target = (expression(one) for one in trees(node))
    return model.Perform(action, target[0] if target else None)


def _app_command(node: Node) -> model.AppCommand:
    verb = next(str(child).casefold() for child in node.children if isinstance(child, Token))
    return model.AppCommand(verb, optional(node))


def _with_one(make: Callable[[model.Expression], model.Act]) -> Callable[[Node], model.Act]:
    return lambda node: make(expression(trees(node)[0]))


_SIMPLE: Final[dict[str, Callable[[Node], model.Act]]] = {
    "evaluate": _with_one(model.Evaluate),
    "get": _with_one(model.Evaluate),
    "set_variable": _set_variable,
    "copy": _set_variable,
    "set_property": _set_property,
    "set_clipboard": _with_one(model.SetClipboard),
    "return_value": lambda node: model.Return(optional(node)),
    "exit_repeat": lambda _: model.ExitRepeat(),
    "nothing": lambda _: model.Nothing(),
    "raise_error": _raise,
    "log": _with_one(model.Log),
    "delay": _with_one(model.Delay),
    "notify": _notify,
    "keystroke": _keystroke,
    "key_code": _key_code,
    "click": _click,
    "perform": _perform,
    "app_command": _app_command,
    "close": lambda node: model.Close(optional(node)),
}


# ---------------------------------------------------------------- what cannot be read


def _refusal(text: str, error: UnexpectedInput) -> NotUnderstood:
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return _unended(text, error)
    line = max(1, int(error.line))
    return NotUnderstood(
        f"line {line}: {statement_at(text, error.pos_in_stream or 0)!r} cannot be run here{_from(text, error)}"
    )


def _from(text: str, error: UnexpectedInput) -> str:
    """From which word on, where there is one."""
    words = text.split("\n")[int(error.line) - 1][max(0, int(error.column) - 1) :].split()
    return f" from {words[0][:40]!r} on" if words else ": something is missing at its end"


def _unended(text: str, error: UnexpectedToken) -> NotUnderstood:
    """The script ends within a block: the last one that was opened is named."""
    stack = error.interactive_parser.parser_state.value_stack if error.interactive_parser else []
    opened = [one for one in stack if isinstance(one, Token) and one.type in _OPENERS]
    if not opened:
        return NotUnderstood("the script ends before its last statement does")
    last = opened[-1]
    line = int(last.line or 1)
    word = _OPENERS[last.type]
    return NotUnderstood(
        f"line {line}: {statement_at(text, last.start_pos or 0)!r} has no `end {word}`",
        recovery=f"add `end {word}` where it ends",
    )


def _refuse_depth(text: str, tree: Node) -> None:
    waiting = [(tree, 0, 0)]
    while waiting:
        node, depth, around = waiting.pop()
        # A tree without a word in it is nowhere.
        place = getattr(node.meta, "start_pos", around)
        if depth > _DEEPEST:
            at = f"line {line_of(text, place)}: {statement_at(text, place)!r}"
            raise NotUnderstood(f"{at} is in too many blocks or brackets", recovery="make it flatter")
        waiting.extend((below, depth + 1, place) for below in trees(node))
