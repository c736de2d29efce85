"""Running a script's statements one after the other, within bounds, until it returns or ends."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from deskhand.automation.applescript import acts, keys, model, values
from deskhand.automation.applescript.acts import Done
from deskhand.automation.applescript.context import MOST_SECONDS, MOST_STATEMENTS, Context
from deskhand.automation.applescript.evaluate import Evaluator
from deskhand.automation.applescript.references import Path
from deskhand.automation.applescript.things import AppThing
from deskhand.automation.applescript.values import Value, WrongValue
from deskhand.model.errors import (
    Cancelled,
    Denied,
    DeskError,
    DesktopLost,
    NotPossible,
    PermissionMissing,
    SessionRequired,
)

_NEVER_CAUGHT: Final = (Cancelled, Denied, DesktopLost, PermissionMissing, SessionRequired)
"""What `try` does not hold back: the caller, the policy or the desktop has ended the script."""
_SETTABLE_BY_NAME: Final = frozenset({"value", "focused", "selected", "frontmost"})
_NOTHING: Final = object()


class ScriptEnded(NotPossible):
    """Raised when a script does more than it may, or says so itself with `error`."""

    recovery = "correct the script, then run it again; inspect_ui tells what it has done so far"


class OutOfBounds(ScriptEnded):
    """Raised when a script runs longer than it may; `try` does not hold it back."""

    recovery = "let the script do less, or split it"


@dataclass(frozen=True, slots=True)
class Deed:
    """One act: the line it stands in, the command, and what came of it."""

    line: int
    act: str
    done: Done


@dataclass(frozen=True, slots=True)
class Played:
    """What a script has come to. `result` is None where no statement had a value."""

    result: str | None
    statements: int
    deeds: Sequence[Deed]
    logged: Sequence[str]


class _Return(Exception):
    """Ends the script."""


class _Exit(Exception):
    """Leaves the innermost loop."""


@dataclass(slots=True)
class Player:
    """One script while it runs."""

    context: Context
    statements: int = 0
    deeds: list[Deed] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    _evaluator: Evaluator = field(init=False)
    _result: object = _NOTHING
    _deadline: float = 0.0

    def __post_init__(self) -> None:
        self._evaluator = Evaluator(self.context)

    def play(self, body: model.Body) -> Played:
        """Run it all. An error names the line it comes from, and how many acts were done before."""
        self._deadline = time.monotonic() + MOST_SECONDS
        with contextlib.suppress(_Return):
            self._body(body)
        result = None if self._result is _NOTHING else values.shown(self._result)  # type: ignore[arg-type]
        return Played(result, self.statements, self.deeds, self.logged)

    # ------------------------------------------------------------ statements

    def _body(self, body: model.Body) -> None:
        for statement in body:
            self._count()
            try:
                self._run(statement)
            except DeskError as error:
                _name_line(error, statement, len(self.deeds))
                raise

    def _count(self) -> None:
        """Before each statement, and each turn of a loop: may it go on?"""
        self.context.turn.check()
        self.statements += 1
        if self.statements > MOST_STATEMENTS:
            raise OutOfBounds(f"the script ran more than {MOST_STATEMENTS:,} statements")
        if time.monotonic() > self._deadline:
            raise OutOfBounds(f"the script ran longer than {MOST_SECONDS:.0f} s")

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
                raise ScriptEnded(values.text(self._value(act.message)))
            case model.Log():
                self.logged.append(values.shown(self._value(act.value)))
            case model.Delay():
                self._delay(values.number(self._value(act.seconds)))
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
                self._note(statement, self._do(act))

    def _value(self, expression: model.Expression) -> Value:
        return self._evaluator.value(expression)

    def _keep(self, value: object) -> None:
        self._result = value
        if value is not _NOTHING:
            self._evaluator.variables["result"] = value  # type: ignore[assignment]

    def _note(self, statement: model.Statement, done: Done) -> None:
        self.deeds.append(Deed(statement.line, _called(statement.act), done))

    def _set(self, statement: model.Statement, act: model.SetVariable) -> None:
        value = self._value(act.value)
        told = self._evaluator.told
        if act.name in _SETTABLE_BY_NAME and told and act.name not in self._evaluator.variables:
            self._note(statement, acts.set_property(self.context, told[-1], act.name, value))
            return
        self._evaluator.variables[act.name] = value
        self._keep(value)

    def _delay(self, seconds: float) -> None:
        """A delay ends with the call that the script belongs to."""
        if seconds > self._deadline - time.monotonic():
            raise OutOfBounds(f"a delay of {seconds:g} s is longer than the script may still run")
        if seconds > 0:
            self.context.turn.wait([], seconds)

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
            if isinstance(error, (*_NEVER_CAUGHT, OutOfBounds)):
                raise
            variables = self._evaluator.variables
            if act.message is not None:
                variables[act.message] = _without_line(error)
            if act.number is not None:
                variables[act.number] = _ERROR_NUMBER
            self._body(act.handler)

    def _loop(self, act: model.Times | model.Counting | model.Each | model.While) -> None:
        try:
            for _ in self._turns(act):
                self._count()
                self._body(act.body)
        except _Exit:
            pass

    def _turns(self, act: model.Times | model.Counting | model.Each | model.While) -> Iterator[None]:
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
                first, last = values.whole(self._value(act.first)), values.whole(self._value(act.last))
                step = 1 if act.step is None else values.whole(self._value(act.step))
                if step == 0:
                    raise WrongValue("a loop cannot count by 0")
                for number in range(first, last + (1 if step > 0 else -1), step):
                    variables[act.name] = number
                    yield
            case model.Each():
                items = self._value(act.items)
                for item in list(items) if values.is_list(items) else [items]:  # type: ignore[arg-type]
                    variables[act.name] = item
                    yield
            case model.While():
                while values.truth(self._value(act.condition)) != act.until:
                    yield

    # ------------------------------------------------------------ acts

    def _do(self, act: model.Act) -> Done:
        context, evaluator = self.context, self._evaluator
        match act:
            case model.Click(at=None):
                return acts.click(context, evaluator.path(act.target))
            case model.Click():
                assert act.at is not None
                return acts.click_at(context, self._value(act.at))
            case model.Perform():
                return acts.perform(context, evaluator.path(act.target), values.text(self._value(act.action)))
            case model.SetProperty():
                value = self._value(act.value)
                return acts.set_property(context, evaluator.path(act.owner), act.name, value)
            case model.SetClipboard():
                return acts.set_clipboard(context, values.text(self._value(act.value)))
            case model.Keystroke():
                text = values.text(self._value(act.text))
                self._refuse_wrong_window()
                return acts.keystroke(context, text, act.modifiers)
            case model.KeyCode():
                return self._key_codes(act)
            case model.Notify():
                return self._notify(act)
            case model.Close():
                return acts.close(context, evaluator.thing(act.target))
        assert isinstance(act, model.AppCommand)
        return self._command(act)

    def _key_codes(self, act: model.KeyCode) -> Done:
        codes = self._value(act.codes)
        wanted: list[Value] = list(codes) if values.is_list(codes) else [codes]  # type: ignore[arg-type]
        chords = [keys.chord_of_code(code, act.modifiers) for code in wanted]
        self._refuse_wrong_window()
        return acts.press_keys(self.context, chords)

    def _refuse_wrong_window(self) -> None:
        acts.refuse_wrong_window(self.context, self._evaluator.told[-1] if self._evaluator.told else None)

    def _notify(self, act: model.Notify) -> Done:
        title = values.text(self._value(act.title)) if act.title else "Script"
        parts = [values.text(self._value(one)) for one in (act.subtitle, act.text) if one is not None]
        return acts.notify(self.context, title, "\n".join(parts))

    def _command(self, act: model.AppCommand) -> Done:
        path = self._evaluator.path(act.target)
        if not isinstance(path.root, AppThing) or path.steps:
            found = self._evaluator.thing(act.target)
            if act.verb == "activate" and not isinstance(found, AppThing):
                return acts.bring_forward(self.context, found)
            if not isinstance(found, AppThing):
                raise WrongValue(f"{act.verb} is for applications, not for {found.words()}")
            path = Path(found)
        assert isinstance(path.root, AppThing)
        return acts.quit_app(self.context, path.root) if act.verb == "quit" else acts.activate(self.context, path.root)


_ERROR_NUMBER: Final = -2700
"""What AppleScript numbers an error that has no number of its own."""


def _called(act: model.Act) -> str:
    """The command's words, never what is typed or set."""
    match act:
        case model.SetProperty():
            return f"set {act.name}"
        case model.SetClipboard():
            return "set the clipboard"
        case model.SetVariable():
            return f"set {act.name}"
        case model.Click():
            return "click"
        case model.Perform():
            return "perform action"
        case model.Keystroke():
            return "keystroke"
        case model.KeyCode():
            return "key code"
        case model.Notify():
            return "display notification"
        case model.AppCommand():
            return act.verb
    return "close"


# ---------------------------------------------------------------- errors


def _name_line(error: DeskError, statement: model.Statement, acts_before: int) -> None:
    """Put the line in front of an error's message, unless an inner statement has done so."""
    if getattr(error, "__notes__", None):
        return
    said = str(error)
    done = "" if not acts_before else f" ({acts_before} act{'s' if acts_before > 1 else ''} done before)"
    error.add_note(said)
    error.args = (f"line {statement.line}: {statement.words!r}: {said}{done}",)


def _without_line(error: DeskError) -> str:
    """What an error said before its line was put in front."""
    notes: list[str] = getattr(error, "__notes__", [])
    return notes[0] if notes else str(error)
