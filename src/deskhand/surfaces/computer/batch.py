"""Several actions in one call."""

import contextlib
from collections.abc import Sequence
from typing import Annotated, Any, Final

from deskhand.desk import Desk
from deskhand.model.errors import BadArguments, DeskError, DesktopLost, NotPossible, OffScreen, TooFast, after_acting
from deskhand.surfaces.computer import composite
from deskhand.surfaces.computer.composite import Step
from deskhand.surfaces.computer.results import Answer, Answers
from deskhand.tools import Catalogue, Effect, arg, tool

NOT_EXECUTED: Final = "Not executed: an earlier computer action in this turn failed."

Actions = Annotated[
    list[dict[str, Any]], arg("Each like the arguments of computer", private=True, min_length=1, max_length=100)
]


class Stopped(DeskError):
    """Raised when an action of several has failed: what came of those before it, and is to be said of the rest."""

    code = "stopped"

    def __init__(self, error: DeskError, where: str, before: Sequence[Answer], rest: Sequence[Answer]) -> None:
        super().__init__(f"{where}: {error}", recovery=error.recovery)
        self.before = Answers(tuple(before))
        self.rest = Answers(tuple(rest))


@tool("computer_batch", effect=Effect.ACTS, session=True)
def computer_batch(desk: Desk, actions: Actions) -> Answers:
    """Do several actions in order, up to the first that fails; ends with a screenshot."""
    steps = steps_of(composite.ACTIONS, actions)
    for at, step in enumerate(steps):
        desk.policy.check_tool(step.tool.name)
        _check(desk, at, step)
    answers: list[Answer] = []
    for step in steps:
        where = f"{len(answers) + 1} {step.tool.name}"
        try:
            answer = _done(desk, step)
        except DesktopLost:
            raise
        except DeskError as error:
            acted = error.acted or any(one.tool.effect is Effect.ACTS for one in steps[: len(answers)])
            with after_acting() if acted else contextlib.nullcontext():
                desk.turn.check()  # whoever has stopped the call wants nothing more of it
                raise _stopped(desk, error, where, answers, steps) from None
        answers.append(Answer(f"{where}: {answer.text or 'done'}", answer.picture))
    if steps[-1].tool.name != "screenshot":
        answers.append(Answer(picture=composite.quiet_screenshot(desk)))
    return Answers(tuple(answers))


def steps_of(actions: Catalogue, given: Sequence[dict[str, Any]]) -> list[Step]:
    """What the actions of a batch mean. Raises BadArguments naming the one that is wrong."""
    steps: list[Step] = []
    for at, raw in enumerate(given):
        try:
            if composite.OBSERVE in raw:
                raise BadArguments("observe: a batch ends with a screenshot anyhow", recovery="leave it out")
            steps.append(composite.step_of(actions, raw))
        except BadArguments as error:
            raise BadArguments(f"actions.{at}: {error}", recovery=f"none was done; {error.recovery}") from None
    return steps


def _check(desk: Desk, at: int, step: Step) -> None:
    """Raise BadArguments for an action that would be refused whatever the ones before it do."""
    try:
        step.tool.check(desk, step.arguments)
    except (BadArguments, OffScreen) as error:
        raise BadArguments(f"actions.{at}: {error}", recovery=f"none was done; {error.recovery}") from None
    except NotPossible:
        pass  # the picture is out of date; a screenshot before it may be among the actions


def _done(desk: Desk, step: Step) -> Answer:
    """Do an action; where clicks would come too fast, as soon as they may."""
    while True:
        desk.turn.check()
        try:
            return step.run(desk)
        except TooFast as error:
            desk.turn.wait([], error.seconds)


def _stopped(desk: Desk, error: DeskError, where: str, done: Sequence[Answer], steps: Sequence[Step]) -> Stopped:
    """What is to be said of a batch that ends early, with a picture of how it has left the screen."""
    rest = [Answer(NOT_EXECUTED) for _ in steps[len(done) + 1 :]]
    try:
        rest.append(Answer(picture=composite.quiet_screenshot(desk)))
    except DesktopLost:
        raise
    except DeskError:
        pass  # what has failed says more than why there is no picture of it
    return Stopped(error, where, done, rest)
