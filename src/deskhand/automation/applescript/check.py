"""What can be said of a script before any of it runs: statements that mean nothing here, or are not allowed."""

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

from deskhand.automation.applescript import failures, keys, model
from deskhand.automation.applescript.bounds import MOST_SECONDS, MOST_STATEMENTS
from deskhand.automation.applescript.evaluate import PROPERTIES
from deskhand.automation.applescript.expressions import CONSTANTS
from deskhand.automation.applescript.source import NotUnderstood
from deskhand.automation.applescript.things import SYSTEM_EVENTS
from deskhand.model.errors import BadArguments, Denied

_SETTABLE: Final = frozenset({"value", "focused", "selected", "frontmost"})
_IN_VALUES: Final = frozenset({"item", "character", "process"})
_LOOPS: Final = (model.Times, model.Counting, model.Each, model.While)
_UI_ACTS: Final = (model.Click, model.Perform, model.Close)


def check(body: model.Body, permit_shell: Callable[[], None]) -> None:
    """Raise NotUnderstood for the first statement that cannot be run, Denied for a shell command that may not."""
    known = set(CONSTANTS) | {"result", "it"} | _variables(body)
    for statement, in_loop, in_process in _statements(body, False, False):
        where = f"line {statement.line}: {statement.words!r}"
        if isinstance(statement.act, model.ExitRepeat) and not in_loop:
            raise NotUnderstood(f"{where} is in no repeat")
        for node in _own(statement.act):
            if isinstance(node, model.Shell):
                _ask(permit_shell, statement)
            problem = _problem(node, known | PROPERTIES if in_process else known)
            if problem:
                raise NotUnderstood(f"{where} {problem}")
        if not in_process and _needs_process(statement.act):
            raise NotUnderstood(
                f"{where} names no process", recovery='put it into tell process "X" … end tell, or add: of process "X"'
            )


def _ask(permit: Callable[[], None], statement: model.Statement) -> None:
    """Ask whether something may be done, and tell where in the script it is that may not."""
    try:
        permit()
    except Denied as error:
        failures.name_line(error, statement, 0)
        raise


def targets(body: model.Body) -> Iterator[str]:
    """The applications and processes that a script names outright; what it works out is seen when it acts."""
    for node in model.everything_in(body):
        match node:
            case model.Application(name=model.Literal(value=str() as name)):
                yield name
            case model.Specifier(kind="process", selector=model.Literal(value=str() as name)):
                yield name


def _statements(body: model.Body, in_loop: bool, in_process: bool) -> Iterator[tuple[model.Statement, bool, bool]]:
    """Every statement in order; whether it is in a loop, and told to something in an application."""
    for statement in body:
        yield statement, in_loop, in_process
        act = statement.act
        loops = in_loop or isinstance(act, _LOOPS)
        told = in_process or (isinstance(act, model.Tell) and not _is_desktop(act.target))
        for part in _bodies(act):
            yield from _statements(part, loops, told)


def _bodies(act: model.Act) -> Iterator[model.Body]:
    match act:
        case model.If():
            yield from (body for _, body in act.branches)
            yield act.otherwise
        case model.Try():
            yield act.body
            yield act.handler
        case model.Tell() | model.Times() | model.Counting() | model.Each() | model.While():
            yield act.body


def _own(node: Any) -> Iterator[Any]:
    """A statement's act and what it is made of, without the statements in it."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(one for one in reversed(list(model.inside(found))) if not isinstance(one, model.Statement))


def _variables(body: model.Body) -> set[str]:
    """Every name that is given a value somewhere."""
    names: set[str] = set()
    for node in model.everything_in(body):
        match node:
            case model.SetVariable() | model.Counting() | model.Each():
                names.add(node.name)
            case model.Try():
                names |= {name for name in (node.message, node.number) if name}
    return names


# ---------------------------------------------------------------- what is wrong


def _problem(node: Any, known: set[str] | frozenset[str]) -> str | None:
    """What is wrong with a node, None for nothing."""
    match node:
        case model.Variable() if node.name not in known:
            return f"cannot be run here: {node.name!r} is no command, and no variable that is set"
        case model.Literal(value=float() as number) if math.isinf(number):
            return "has a number that is larger than can be reckoned with"
        case model.SetProperty() if node.name not in _SETTABLE:
            return f"cannot be run here: {node.name} is not among what can be set ({', '.join(sorted(_SETTABLE))})"
        case model.KeyCode():
            return _key_problem(node.codes)
        case model.Times(count=model.Literal()) if _exceeds(node.count, MOST_STATEMENTS):
            return f"repeats more often than the {MOST_STATEMENTS:,} statements that a script may run"
        case model.Delay() if _exceeds(node.seconds, MOST_SECONDS):
            return f"waits longer than the {MOST_SECONDS:.0f} s that a script may run"
        case model.Specifier() if node.kind in ("item", "character") and node.container is None:
            return f"does not say of what the {node.kind} is"
    return None


def _key_problem(codes: model.Expression) -> str | None:
    for code in codes.items if isinstance(codes, model.ListOf) else (codes,):
        if isinstance(code, model.Literal):
            try:
                keys.chord_of_code(code.value, ())
            except BadArguments as error:
                return f"cannot be run here: {error}"
    return None


def _exceeds(node: model.Expression | None, limit: float) -> bool:
    return isinstance(node, model.Literal) and isinstance(node.value, int | float) and node.value > limit


# ---------------------------------------------------------------- in which application


def _needs_process(act: model.Act) -> bool:
    """Whether an act is about something on the screen, and nothing says in which application."""
    if isinstance(act, _UI_ACTS) and act.target is None and not (isinstance(act, model.Click) and act.at):
        return True
    return any(isinstance(node, model.Specifier) and _is_homeless(node) for node in _own(act))


def _is_homeless(specifier: model.Specifier) -> bool:
    """Whether nothing that it is in is an application, a process, or a variable that may be one."""
    root: model.Expression | None = specifier
    while isinstance(root, model.Specifier):
        if root.kind in _IN_VALUES:
            return False
        root = root.container
    return root is None or _is_desktop(root)


def _is_desktop(target: model.Expression) -> bool:
    name = target.name if isinstance(target, model.Application) else None
    return isinstance(name, model.Literal) and str(name.value).strip().casefold() == SYSTEM_EVENTS
