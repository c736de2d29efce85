"""Questions to a client's human while a call of it runs: by a request to the client, or by the answer to the call.

Up to 2025-11-25 the server asks the client (`elicitation/create`) and the call goes on with what that answers. From
2026-07-28 on a server asks nothing: the call is answered with what is missing (`InputRequiredResult`), and the client
calls again with it. The call itself notices no difference: it waits in its thread until there is an answer.
"""

import asyncio
import contextlib
import os
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from uuid import uuid4

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from deskhand.model.errors import Aborted
from deskhand.model.question import Answer, Question
from deskhand.model.turn import Ask
from deskhand.surfaces.surface import Reply

_ANSWERS: Final = {"accept": Answer.ALLOW, "decline": Answer.DENY, "cancel": Answer.ABORT}
_KEY: Final = "access"
_NOTHING_TO_FILL_IN: Final[dict[str, Any]] = {"type": "object", "properties": {}}


class Asked:
    """A question on its way: settled in the event loop, waited for in a call's thread."""

    def __init__(self) -> None:
        self.answer: Answer | None = None
        self._lock = threading.Lock()
        self._waker: int | None = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._at_close: Callable[[], object] | None = None

    def fileno(self) -> int:
        assert self._waker is not None
        return self._waker

    def settle(self, answer: Answer | None) -> None:
        """This is the answer; None where the client could not ask after all."""
        with self._lock:
            if self._waker is not None:
                self.answer = answer
                os.eventfd_write(self._waker, 1)

    def on_close(self, work: Callable[[], object]) -> None:
        """What to do when nobody waits any more."""
        self._at_close = work

    def close(self) -> None:
        """Nobody waits for the answer any more."""
        with self._lock:
            if self._waker is not None:
                os.close(self._waker)
                self._waker = None
        if self._at_close is not None:
            self._at_close()


def can_ask(context: Any) -> bool:
    """Whether the client shows forms to its human. One that names no kind of them has forms."""
    capabilities = context.session.client_capabilities
    found = capabilities.elicitation if capabilities is not None else None
    return found is not None and (found.form is not None or found.url is None)


def asks_by_answers(context: Any) -> bool:
    """Whether the client is of the era in which a server asks by answering."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


def asking_by_requests(context: Any) -> Ask:
    """Asks by requests to the client."""
    loop = asyncio.get_running_loop()

    def ask(question: Question) -> Asked | None:
        if not can_ask(context):
            return None
        asked = Asked()

        async def put() -> None:
            answer: Answer | None = None
            try:
                result = await context.session.elicit_form(question.text, _NOTHING_TO_FILL_IN, context.request_id)
                answer = _ANSWERS[result.action]
            except (MCPError, ValidationError):
                pass  # it can not after all: then somebody else is asked
            finally:
                asked.settle(answer)

        work = asyncio.run_coroutine_threadsafe(put(), loop)
        asked.on_close(work.cancel)
        return asked

    return ask


class OpenCalls:
    """The calls of one connection that may ask by their answers; those that have asked wait here for the next round."""

    def __init__(self) -> None:
        self._waiting: dict[str, _OpenCall] = {}

    async def go_on(
        self, context: Any, parameters: types.CallToolRequestParams, begin: Callable[[Ask], Awaitable[Reply]]
    ) -> Reply | types.InputRequiredResult:
        """The reply to a call, or what it asks. `begin` begins one that is new. Raises Aborted for an answer too late."""
        subject = (parameters.name, parameters.arguments or {})
        if parameters.request_state is None:
            call = _OpenCall(subject, can_ask(context), begin)
        else:
            call = self._again(parameters.request_state, subject)
            call.settle(_answer_in(parameters.input_responses))
        question = await call.next_question()
        if question is None:
            return call.reply()
        state = uuid4().hex
        self._waiting[state] = call
        call.work.add_done_callback(lambda _: self._waiting.pop(state, None))
        asking = types.ElicitRequest(
            params=types.ElicitRequestFormParams(message=question.text, requested_schema=_NOTHING_TO_FILL_IN)
        )
        return types.InputRequiredResult(input_requests={_KEY: asking}, request_state=state)

    def _again(self, state: str, subject: tuple[str, Mapping[str, Any]]) -> "_OpenCall":
        """The call that waits under this name, if it is the same call."""
        call = self._waiting.get(state)
        if call is None or call.subject != subject:
            raise Aborted("the question that this answers is not open any more")
        del self._waiting[state]
        return call

    async def close(self) -> None:
        """Nobody will answer any more."""
        waiting = [call.work for call in self._waiting.values()]
        for work in waiting:
            work.cancel()
        if waiting:
            await asyncio.wait(waiting)


class _OpenCall:
    """One call, over all its rounds."""

    def __init__(
        self, subject: tuple[str, Mapping[str, Any]], may_ask: bool, begin: Callable[[Ask], Awaitable[Reply]]
    ) -> None:
        self.subject = subject
        self._loop = asyncio.get_running_loop()
        self._may_ask = may_ask
        self._questions: asyncio.Queue[tuple[Question, Asked]] = asyncio.Queue()
        self._open: Asked | None = None
        self.work: asyncio.Future[Reply] = asyncio.ensure_future(begin(self._ask))

    def _ask(self, question: Question) -> Asked | None:
        if not self._may_ask:
            return None
        asked = Asked()
        self._loop.call_soon_threadsafe(self._questions.put_nowait, (question, asked))
        return asked

    def settle(self, answer: Answer) -> None:
        assert self._open is not None
        self._open.settle(answer)

    async def next_question(self) -> Question | None:
        """What the call asks next; None when it has its reply."""
        asking = asyncio.ensure_future(self._questions.get())
        try:
            await asyncio.wait((self.work, asking), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self.work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.work
            raise
        finally:
            asking.cancel()
        if self.work.done():
            return None
        question, self._open = asking.result()
        return question

    def reply(self) -> Reply:
        return self.work.result()


def _answer_in(responses: Mapping[str, Any] | None) -> Answer:
    """What a client's second call brings; what is no answer counts as none."""
    given = (responses or {}).get(_KEY)
    action = given.get("action") if isinstance(given, Mapping) else getattr(given, "action", None)
    return _ANSWERS.get(str(action), Answer.ABORT)
