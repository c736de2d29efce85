"""tools/call beside the SDK, which takes most of the time that a short call lasts.

What the SDK has found good once in a session is not put to it again: after its first tools/call, another that differs in
its number, its tool and its arguments alone is answered here. Whatever has something new about it goes to the SDK; and
so do the tools that may wait for others or ask a human, and all that comes while the SDK still works on something, so
that no call overtakes another.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from deskhand.server.lines import notification_line, plain, result_line

_REQUEST: Final = {"jsonrpc", "id", "method", "params"}
_PARAMETERS: Final = {"name", "arguments", "_meta"}
_OF_THE_PROTOCOL: Final = "io.modelcontextprotocol/"
_PROGRESS: Final = "progressToken"

Report = Callable[[str], None]
"""Tells a caller how far its call is, from whatever thread."""


class Outlet(Protocol):
    """Where the lines of answers go."""

    def write(self, line: bytes) -> None: ...

    async def drain(self) -> None:
        """Wait while much is still unwritten."""
        ...


class Tools(Protocol):
    """Who runs the calls of a session."""

    def is_brief(self, name: str) -> bool:
        """Whether a tool neither waits for others nor asks a human."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
        """What a tools/call is answered with, as it goes over the wire."""
        ...


@dataclass(frozen=True, slots=True)
class _Call:
    number: str | int
    name: str
    arguments: Mapping[str, Any]
    agreed: Mapping[str, Any]
    """What the request says of the protocol itself: in the legacy era nothing."""
    progress: str | int | None


class Direct:
    """The calls of one SDK session that need nothing of the SDK."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._tools: Tools | None = None
        self._agreed: Mapping[str, Any] = {}
        self._running: dict[str | int, asyncio.Task[None]] = {}

    @property
    def running(self) -> int:
        """How many calls have no answer so far."""
        return len(self._running)

    def learn(self, parameters: Mapping[str, Any] | None, tools: Tools) -> None:
        """The SDK has let a call with these parameters through; `tools` runs others like it."""
        self._agreed, self._tools = _agreed_in((parameters or {}).get("_meta") or {}), tools

    def takes(self, message: Any) -> bool:
        """Begin what this message calls for, if that can be done here."""
        call = _call_in(message) if self._tools is not None else None
        if call is None or self._tools is None or call.agreed != self._agreed or not self._tools.is_brief(call.name):
            return False
        number = plain(call.number)
        if number in self._running:
            return False
        task = self._running[number] = asyncio.create_task(self._run(call, self._tools))
        task.add_done_callback(lambda _: self._running.pop(number))
        return True

    def cancel(self, number: str | int) -> bool:
        """Nobody wants this call's answer any more; False where it is none of ours."""
        task = self._running.get(plain(number))
        return task is not None and task.cancel()

    async def until_idle(self) -> None:
        """Wait until every call has its answer."""
        while self._running:
            await asyncio.wait(self._running.values())

    async def close(self) -> None:
        """Stop what still runs."""
        for task in self._running.values():
            task.cancel()
        await self.until_idle()

    async def _run(self, call: _Call, tools: Tools) -> None:
        result = await tools.call(call.name, call.arguments, self._reporting(call))
        self._outlet.write(result_line(call.number, result))
        await self._outlet.drain()

    def _reporting(self, call: _Call) -> Report:
        if call.progress is None:
            return lambda message: None
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        reported = 0

        def tell(message: str) -> None:
            nonlocal reported
            reported += 1
            # Of a call that was cancelled nobody hears any more.
            if task is not None and not task.done() and not task.cancelling():
                said = {_PROGRESS: call.progress, "progress": float(reported), "message": message}
                self._outlet.write(notification_line("notifications/progress", said))

        def report(message: str) -> None:
            loop.call_soon_threadsafe(tell, message)

        return report


def _call_in(message: Any) -> _Call | None:
    """The tools/call that a message is; None where it is none, or one with anything unusual about it."""
    match message:
        case {
            "jsonrpc": "2.0",
            "method": "tools/call",
            "id": str() | int() as number,
            "params": {"name": str() as name, **others} as parameters,
        } if message.keys() == _REQUEST and parameters.keys() <= _PARAMETERS and not isinstance(number, bool):
            arguments, meta = others.get("arguments", {}), others.get("_meta", {})
            if not isinstance(arguments, dict) or not isinstance(meta, dict):
                return None
            progress = meta.get(_PROGRESS)
            if _PROGRESS in meta and (not isinstance(progress, str | int) or isinstance(progress, bool)):
                return None
            return _Call(number, name, arguments, _agreed_in(meta), progress)
    return None


def _agreed_in(meta: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in meta.items() if name.startswith(_OF_THE_PROTOCOL)}
