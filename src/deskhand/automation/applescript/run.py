"""Running a script's statements one after the other, within bounds, until it returns or ends."""

import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.automation.applescript import acts, deeds, failures, model, values
from deskhand.automation.applescript.bounds import Bounds, OutOfBounds
from deskhand.automation.applescript.context import Context
from deskhand.automation.applescript.deeds import Deed
from deskhand.automation.applescript.evaluate import Evaluator
from deskhand.automation.applescript.failures import ScriptEnded
from deskhand.automation.applescript.values import Value, WrongValue
from deskhand.model.effect import Effect
from deskhand.model.errors import DeskError

_SETTABLE_BY_NAME: Final = frozenset({"value", "focused", "selected", "frontmost"})
_LINES_KEPT: Final = 20
_LONGEST_LINE: Final = 1000
_NOTHING: Final = object()

Loop = model.Times | model.Counting | model.Each | model.While


@dataclass(frozen=True, slots=True)
class Played:
    """What a script has come to. `result` is None where no statement had a value, `logged` the last lines of its log."""

    result: str | None
    statements: int
    deeds: Sequence[Deed]
    logged: Sequence[str]


class _Return(Exception):
    """Ends the script."""


class _Exit(Exception):
    """Leaves the innermost loop."""


class Player:
    """One script while it runs."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._bounds = Bounds(context.turn)
        self._evaluator = Evaluator(context, self._bounds)
        self._deeds: list[Deed] = []
        self._logged: deque[str] = deque(maxlen=_LINES_KEPT)
        self._result: object = _NOTHING

    def play(self, body: model.Body) -> Played:
        """Run it all. An error names the line it comes from, and how many acts were done before."""
        with contextlib.suppress(_Return):
            self._body(body)
        result = None if self._result is _NOTHING else values.shown(self._result)  # type: ignore[arg-type]
        return Played(result, self._bounds.statements, self._deeds, list(self._logged))

    # ------------------------------------------------------------ statements

    def _body(self, body: model.Body) -> None:
        for statement in body:
            try:
                self._bounds.count()
                try:
                    self._run(statement)
                finally:
                    self._note_commands(statement)
            except DeskError as error:
                failures.name_line(error, statement, len(self._deeds))
                raise

    def _run(self, statement: model.Statement) -> None:
        act = statement.act
        match act:
            case model.Evaluate():
                self._keep(self._value(act.value))
            case model.SetVariable():
                self._set(statement, act)
            case model.Return():
                self._keep(self._value(act.value) if act.value else _NOTHING)
                raise _Return
            case model.ExitRepeat():
                raise _Exit
            case model.Nothing():
                pass
            case model.Raise():
                raise self._raised(act)
            case model.Log():
                self._logged.append(values.shown(self._value(act.value))[:_LONGEST_LINE])
            case model.Delay():
                self._bounds.wait(values.number(self._value(act.seconds)))
            case model.Tell():
                with self._evaluator.telling(self._evaluator.path(act.target)):
                    self._body(act.body)
            case model.If():
                self._if(act)
            case model.Try():
                self._try(act)
            case model.Times() | model.Counting() | model.Each() | model.While():
                self._loop(act)
            case _:
                self._note(statement, deeds.do(act, self._evaluator))

    def _value(self, expression: model.Expression) -> Value:
        return self._evaluator.value(expression)

    def _keep(self, value: object) -> None:
        self._result = value
        if value is not _NOTHING:
            self._evaluator.variables["result"] = value  # type: ignore[assignment]

    def _note(self, statement: model.Statement, done: acts.Done, name: str = "") -> None:
        self._deeds.append(Deed(statement.line, name or deeds.name_of(statement.act), done))

    def _note_commands(self, statement: model.Statement) -> None:
        """What a command of the shell has done, nobody knows: each counts as an act."""
        for _ in range(self._evaluator.take_commands()):
            self._note(statement, acts.Done(Effect.UNVERIFIED, None), "do shell script")

    def _set(self, statement: model.Statement, act: model.SetVariable) -> None:
        value = self._value(act.value)
        told = self._evaluator.innermost
        if act.name in _SETTABLE_BY_NAME and told and act.name not in self._evaluator.variables:
            self._note(statement, acts.set_property(self._context, told, act.name, value))
            return
        self._evaluator.variables[act.name] = value
        self._keep(value)

    def _raised(self, act: model.Raise) -> ScriptEnded:
        message = values.text(self._value(act.message))
        return (
            ScriptEnded(message) if act.number is None else ScriptEnded(message, values.whole(self._value(act.number)))
        )

    # ------------------------------------------------------------ ways through

    def _if(self, act: model.If) -> None:
        for condition, body in act.branches:
            if values.truth(self._value(condition)):
                self._body(body)
                return
        self._body(act.otherwise)

    def _try(self, act: model.Try) -> None:
        try:
            self._body(act.body)
        except DeskError as error:
            if isinstance(error, (*failures.NEVER_CAUGHT, OutOfBounds)):
                raise
            variables = self._evaluator.variables
            if act.message is not None:
                variables[act.message] = failures.message_of(error)
            if act.number is not None:
                variables[act.number] = failures.number_of(error)
            self._body(act.handler)

    def _loop(self, act: Loop) -> None:
        with contextlib.suppress(_Exit):
            for _ in self._turns(act):
                self._bounds.count()
                self._body(act.body)

    def _turns(self, act: Loop) -> Iterator[None]:
        """One for each time round; sets the loop's variable before it."""
        variables = self._evaluator.variables
        match act:
            case model.Times():
                count = None if act.count is None else values.whole(self._value(act.count))
                done = 0
                while count is None or done < count:
                    yield
                    done += 1
            case model.Counting():
                for number in self._numbers(act):
                    variables[act.name] = number
                    yield
            case model.Each():
                items = self._value(act.items)
                for item in items if values.is_list(items) else [items]:
                    variables[act.name] = item
                    yield
            case model.While():
                while values.truth(self._value(act.condition)) != act.until:
                    yield

    def _numbers(self, act: model.Counting) -> range:
        first, last = values.whole(self._value(act.first)), values.whole(self._value(act.last))
        step = 1 if act.step is None else values.whole(self._value(act.step))
        if step == 0:
            raise WrongValue("a loop cannot count by 0")
        return range(first, last + (1 if step > 0 else -1), step)
