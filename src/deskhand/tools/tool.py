"""A tool: one typed function and the few facts the server needs about it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, get_args, runtime_checkable

from deskhand.desk import Desk
from deskhand.tools.schema import Arguments

P = ParamSpec("P")
R = TypeVar("R")


class Effect(Enum):
    """What a successful call leaves behind."""

    READS = auto()
    """Nothing."""
    WRITES = auto()
    """Changed data: a setting, a file, the clipboard, who holds the seat."""
    ACTS = auto()
    """A changed screen, so element handles go stale (unless the tool `keeps_handles`)."""


@runtime_checkable
class MayHaveActed(Protocol):
    """A result of a tool that acts, where a call may as well have done nothing: handles stay good then."""

    @property
    def acted(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Check:
    """What must hold on a desk of a value that is well formed, known before anything is done.

    `Annotated[str, arg("Keys"), Check(keys_of)]`: the function takes the desk and the value, and raises DeskError.
    """

    function: Callable[[Desk, Any], object]


@dataclass(frozen=True, slots=True)
class Tool(Generic[P, R]):
    """One tool. It is still the function: tests and compound tools call it."""

    name: str
    description: str
    effect: Effect
    session: bool
    idempotent: bool
    waits: bool
    """Whether it may wait for other callers, and so must not keep anybody waiting itself."""
    after_acts: bool
    """Whether it waits for the acts that came before it, though it is none itself."""
    keeps_handles: bool
    """Whether handles stay good though it acts."""
    hints: tuple[str, ...]
    arguments: Arguments
    handler: Callable[Concatenate[Desk, P], R]

    def __call__(self, desk: Desk, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.handler(desk, *args, **kwargs)

    def check(self, desk: Desk, values: Mapping[str, Any]) -> None:
        """Raise what the `Check`s of its parameters raise: a call with these values would fail whatever comes before."""
        for name, kind in self.arguments.types.items():
            if values.get(name) is not None:
                for one in (kind, *get_args(kind)):
                    for mark in getattr(one, "__metadata__", ()):
                        if isinstance(mark, Check):
                            mark.function(desk, values[name])

    def makes_stale(self, result: object) -> bool:
        """Whether a call with this result leaves another screen behind, so that older handles are no good."""
        if self.effect is not Effect.ACTS or self.keeps_handles:
            return False
        return result.acted if isinstance(result, MayHaveActed) else True

    def listing(self) -> dict[str, Any]:
        """This tool as one entry of tools/list."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.arguments.schema,
            "annotations": {
                "readOnlyHint": self.effect is Effect.READS,
                "destructiveHint": self.effect is Effect.ACTS,
                "idempotentHint": self.idempotent,
                "openWorldHint": False,
            },
        }


def tool(
    name: str,
    *,
    effect: Effect,
    session: bool = False,
    idempotent: bool = False,
    waits: bool = False,
    after_acts: bool = False,
    keeps_handles: bool = False,
    hints: tuple[str, ...] = (),
) -> Callable[[Callable[Concatenate[Desk, P], R]], Tool[P, R]]:
    """Declare the function below as a tool. Its docstring is the description."""

    def declare(handler: Callable[Concatenate[Desk, P], R]) -> Tool[P, R]:
        return Tool(
            name=name,
            description=" ".join((inspect.getdoc(handler) or "").split()),
            effect=effect,
            session=session,
            idempotent=idempotent,
            waits=waits,
            after_acts=after_acts,
            keeps_handles=keeps_handles,
            hints=hints,
            arguments=Arguments(handler),
            handler=handler,
        )

    return declare
