"""What expressions come to: variables, operators, and what is on the screen."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from deskhand.automation.applescript import model, references, shell, things, values
from deskhand.automation.applescript.bounds import Bounds
from deskhand.automation.applescript.context import Context
from deskhand.automation.applescript.expressions import CONSTANTS
from deskhand.automation.applescript.references import OnScreen, Path
from deskhand.automation.applescript.targets import Step
from deskhand.automation.applescript.things import AppThing, ElementThing, WindowThing
from deskhand.automation.applescript.values import Items, Value, WrongValue
from deskhand.automation.applescript.variables import Variables
from deskhand.model.errors import NotFound

PROPERTIES: Final = frozenset(
    {
        "name", "title", "value", "description", "role", "subrole", "help", "enabled", "focused", "selected",
        "position", "size", "frontmost", "visible",
    }
)  # fmt: skip
"""What a bare name means of the thing that the `tell` around it is about, unless it is a variable."""

_IN_VALUES: Final = frozenset({"item", "character"})


class Evaluator:
    """The variables of a running script, and what its `tell` blocks are about."""

    def __init__(self, context: Context, bounds: Bounds) -> None:
        self.context = context
        self.variables = Variables()
        self._commands = 0
        self._bounds = bounds
        self._told: list[Path] = []

    @property
    def innermost(self) -> Path | None:
        """What the innermost `tell` is about."""
        return self._told[-1] if self._told else None

    def take_commands(self) -> int:
        """How many commands of the shell were run since this was asked last."""
        taken, self._commands = self._commands, 0
        return taken

    @contextmanager
    def telling(self, path: Path) -> Iterator[None]:
        """Statements meanwhile are about this."""
        self._told.append(path)
        try:
            yield
        finally:
            self._told.pop()

    def value(self, expression: model.Expression) -> Value:
        """What an expression comes to; what is on the screen is looked for."""
        match expression:
            case model.Literal():
                return expression.value
            case model.Variable():
                return self._variable(expression.name)
            case model.ListOf():
                return Items(self.value(item) for item in expression.items)
            case model.Operations():
                return self._operations(expression)
            case model.Unary():
                operand = self.value(expression.operand)
                return not values.truth(operand) if expression.operator == "not" else -values.number(operand)
            case model.Coercion():
                return values.coerced(self.value(expression.operand), expression.kind)
            case model.Specifier():
                return self._specified(expression)
            case model.Application():
                return AppThing(values.text(self.value(expression.name)))
            case model.Property():
                return self._property(expression)
        return self._asked(expression)

    def path(self, expression: model.Expression | None) -> Path:
        """The way to what an expression names; to what the `tell` around it is about, where there is none."""
        if expression is None or expression == model.Variable("it"):
            return self.innermost or Path(None)
        if isinstance(expression, model.Specifier) and expression.kind not in _IN_VALUES:
            return self._path_of(expression)
        found = self.value(expression)
        if isinstance(found, AppThing | WindowThing | ElementThing):
            return Path(found)
        raise WrongValue(f"{values.shown(found)!r} is a value, not something on the screen")

    def thing(self, expression: model.Expression | None) -> OnScreen:
        """What an expression names, once it is there. Raises NotFound."""
        path = self.path(expression)
        if not path.steps and path.root is None:
            raise NotFound("nothing is told what to do", recovery='put it into tell process "X", or name what is meant')
        return references.find(self.context, path)

    # ------------------------------------------------------------ plain values

    def _variable(self, name: str) -> Value:
        if name in self.variables:
            return self.variables[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name == "it":
            return self.thing(None)
        if name in PROPERTIES and self._told:
            return self._property_of(self.thing(None), name)
        raise WrongValue(f"the variable {name} is not defined")

    def _operations(self, expression: model.Operations) -> Value:
        result = self.value(expression.first)
        for sign, operand in expression.rest:
            self._bounds.check()
            if sign in ("and", "or"):
                # The right side is not looked at where the left one decides.
                if values.truth(result) == (sign == "or"):
                    return values.truth(result)
                result = values.truth(self.value(operand))
            else:
                result = values.operated(sign, result, self.value(operand))
        return result

    def _asked(self, expression: model.Expression) -> Value:
        """What has to be asked of the desktop."""
        platform = self.context.platform
        match expression:
            case model.Exists():
                return self._exists(expression.owner)
            case model.IsRunning():
                return references.is_there(self.context, self.path(expression.owner))
            case model.ClipboardText():
                clip = platform.clipboard.read().text
                return None if clip is None else clip[: values.LONGEST_TEXT]
        assert isinstance(expression, model.Shell)
        command = values.text(self.value(expression.command))
        self._commands += 1
        return values.bounded_text(shell.run(command, self.context, self._bounds.seconds_left))

    def _exists(self, owner: model.Expression) -> bool:
        try:
            path = self.path(owner)
        except NotFound:
            return False
        return references.is_there(self.context, path)

    # ------------------------------------------------------------ what is on the screen

    def _specified(self, specifier: model.Specifier) -> Value:
        if specifier.kind in _IN_VALUES:
            return self._item(specifier)
        path = self._path_of(specifier)
        if path.is_every:
            return Items(references.look(self.context, path))
        return references.find(self.context, path)

    def _path_of(self, specifier: model.Specifier) -> Path:
        step = self._step(specifier)
        if specifier.kind == "process":
            is_named = isinstance(step.selector, str)
            return Path(AppThing(str(step.selector))) if is_named else Path(None, (step,))
        container = self.path(specifier.container)
        if container.steps and container.steps[0].kind == "process":
            container = Path(references.find(self.context, container))
        return container.to(step)

    def _step(self, specifier: model.Specifier) -> Step:
        condition = None
        if specifier.condition is not None:
            wanted = specifier.condition
            condition = (wanted.name, wanted.comparison, self.value(wanted.value))
        if specifier.selector is None:
            return Step(specifier.kind, None, condition)
        selector = self.value(specifier.selector)
        return Step(specifier.kind, selector if isinstance(selector, str) else values.whole(selector), condition)

    def _item(self, specifier: model.Specifier) -> Value:
        """`item 2 of list`, `character 1 of text`, or all of them."""
        if specifier.container is None:
            raise WrongValue(f"{specifier.kind} of what?")
        held = self.value(specifier.container)
        items = held if values.is_list(held) else values.text(held)
        if specifier.selector is None:
            return Items(items)
        number = values.whole(self.value(specifier.selector))
        place = number - 1 if number > 0 else len(items) + number
        if not number or not 0 <= place < len(items):
            raise WrongValue(f"there is no {specifier.kind} {number}, only {len(items)}")
        return items[place]

    # ------------------------------------------------------------ properties

    def _property(self, expression: model.Property) -> Value:
        owner = self.value(expression.owner)
        if expression.name in ("count", "number", "length"):
            if isinstance(owner, str) or values.is_list(owner):
                return len(owner)
            raise WrongValue(f"only a list or a text has a {expression.name}")
        if expression.name == "quoted form":
            return values.quoted(values.text(owner))
        return self._property_of(owner, expression.name)

    def _property_of(self, owner: Value, name: str) -> Value:
        if values.is_list(owner):
            return Items(self._property_of(one, name) for one in owner)
        return things.property_of(self.context.platform, owner, name)
