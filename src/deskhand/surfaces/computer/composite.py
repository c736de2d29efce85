"""`computer`: all actions as one tool with one flat set of arguments, made of their declarations."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from deskhand.desk import Desk
from deskhand.desktop.settle import Watch, watching
from deskhand.model.errors import BadArguments, MissingArgument, NotFound
from deskhand.model.image import Picture
from deskhand.model.window import Window
from deskhand.surfaces.computer import clipboard, keyboard, pointer, screen
from deskhand.surfaces.computer.results import Answer
from deskhand.tools import AnyTool, Catalogue, Effect, tool
from deskhand.tools.schema import Arguments

ACTIONS: Final = Catalogue(screen, pointer, keyboard, clipboard)
"""What it can do, in the order of its list."""

_SAID: Final = {"text": "Text to type; keys to press; or modifiers held in a click or scroll"}
"""What is said of an argument that means something else in each action."""

OBSERVE: Final = "observe"
"""The argument that asks for a screenshot after an action."""
_QUIET_WITHIN_SECONDS: Final = 2.0
_HANDLED_SECONDS: Final = 1.0


@tool("computer", effect=Effect.ACTS, session=True)
def computer(desk: Desk, /, **raw: Any) -> Answer:
    """Look at the desktop and act on it: screenshot first, then act on what it shows."""
    return step_of(ACTIONS, raw).run(desk)


@dataclass(frozen=True, slots=True)
class Step:
    """An action that has been read: the tool that is meant, and its values."""

    tool: AnyTool
    arguments: Mapping[str, Any]
    raw: Mapping[str, Any]
    """The tool's own arguments as they were given."""

    def run(self, desk: Desk) -> Answer:
        """Do it."""
        answer: Answer = self.tool.handler(desk, **self.arguments)
        return answer


def composed(actions: Catalogue) -> AnyTool:
    """The tool that does these actions."""
    acts = any(one.effect is Effect.ACTS for one in actions)
    session = any(one.session for one in actions)
    flat = FlatArguments(actions)
    return replace(computer, arguments=flat, effect=Effect.ACTS if acts else Effect.READS, session=session)


def step_of(actions: Catalogue, raw: Mapping[str, Any]) -> Step:
    """What the arguments of `computer` mean. Raises BadArguments or MissingArgument."""
    own = dict(raw)
    name, seen = own.pop("action", None), own.pop(OBSERVE, None)
    if name is None:
        raise MissingArgument("Missing required parameter: action", recovery=f"name one of {_names(actions)}")
    if not isinstance(name, str) or name not in actions:
        raise BadArguments(
            f"action: {str(name)[:40]!r} is not an action here", recovery=f"name one of {_names(actions)}"
        )
    if seen not in (None, "screenshot"):
        raise BadArguments('observe: Input should be "screenshot"')
    meant = actions[name]
    if "key" in own and "text" in meant.arguments.names:  # what some call the keys that are held or pressed
        key = own.pop("key")
        if own.setdefault("text", key) != key:
            raise BadArguments("key: text says something else", recovery="give only one of them")
    return Step(_observed(meant) if seen else meant, meant.arguments.parse(own), own)


class FlatArguments(Arguments):
    """The arguments of all actions, side by side; which of them an action takes, that decides."""

    def __init__(self, actions: Catalogue) -> None:
        super().__init__(computer.handler)
        self._actions = actions

    @cached_property
    def schema(self) -> dict[str, Any]:
        """See Arguments.schema."""
        properties: dict[str, Any] = {"action": {"type": "string", "enum": [one.name for one in self._actions]}}
        for action in self._actions:
            for name, entry in action.arguments.schema["properties"].items():
                if name in _SAID:
                    entry = {"description": _SAID[name], "type": entry["type"]}
                properties.setdefault(name, entry)
        properties["key"] = {"description": "The same as text, for keys", "type": "string"}
        properties[OBSERVE] = {"description": "Answer with a screenshot once the screen is quiet"}
        properties[OBSERVE] |= {"type": "string", "enum": ["screenshot"]}
        return {"type": "object", "properties": properties, "required": ["action"], "additionalProperties": False}

    @property
    def names(self) -> list[str]:
        """See Arguments.names."""
        return list(self.schema["properties"])


def _observed(meant: AnyTool) -> AnyTool:
    """An action that answers with a screenshot once the screen has come to rest after it."""

    def run(desk: Desk, **arguments: Any) -> Answer:
        with watching(desk.platform, None, desk.turn) as watch:
            before = desk.platform.windows.active()
            answer: Answer = meant.handler(desk, **arguments)
            _settle(desk, watch, before)
        picture = answer.picture or desk.frames.screenshot(desk.platform)
        return replace(answer, picture=picture)

    return replace(meant, handler=run)


def quiet_screenshot(desk: Desk) -> Picture:
    """A screenshot once the screen has come to rest."""
    with watching(desk.platform, None, desk.turn) as watch:
        _settle(desk, watch, None)
    return desk.frames.screenshot(desk.platform)


def _settle(desk: Desk, watch: Watch, before: Window | None) -> None:
    """Wait until what an act has set in motion has come to rest; `before` is the window that had the keyboard then."""
    windows = desk.platform.windows
    for window in {one.id for one in (before, windows.active()) if one is not None}:
        # A dialog takes longer to come than anything else; until the keys are handled, nothing has begun.
        with contextlib.suppress(NotFound):
            windows.wait_until_handled(window, _HANDLED_SECONDS)
    watch.settle(_QUIET_WITHIN_SECONDS)


def _names(actions: Catalogue) -> str:
    return ", ".join(one.name for one in actions)
