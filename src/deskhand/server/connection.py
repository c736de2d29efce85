"""One client at the other end of a socket: its lines come in, its answers go out, and it may vanish."""

import asyncio
import contextlib
import os
import socket
from dataclasses import dataclass
from typing import Final, Protocol, cast

from deskhand.platforms.linux.peers import peer_of
from deskhand.server.admission import Verdict, judge, refusal
from deskhand.server.lines import INVALID_REQUEST, error_line
from deskhand.server.mcp import McpServer
from deskhand.server.opening import Opening
from deskhand.server.token import Token
from deskhand.server.wire import Conversation

_UNWRITTEN: Final = 1 << 23
_LOOK_SECONDS: Final = 0.25
_FLUSH_SECONDS: Final = 2.0
_QUIET_SECONDS: Final = 60
_PROBES: Final = 4
_PROBE_SECONDS: Final = 15


@dataclass(frozen=True, slots=True)
class Limits:
    """What clients may ask of a server before they have asked it anything."""

    connections: int = 64
    line: int = 1 << 25
    """Bytes of the longest line."""
    first_line: int = 1 << 16
    """Bytes of the longest line of somebody who has not been let in."""
    strangers: int = 16
    """How many may be connected at once without having shown the token."""
    seconds: float = 10.0
    """How long they may take to show it."""
    guess_seconds: float = 1.0
    """How long a wrong token waits for its answer."""


class House(Protocol):
    """Whom a connection comes to."""

    server: McpServer
    token: Token | None
    limits: Limits

    def enter(self, connection: "Connection") -> str:
        """Take a connection in; why not, where it cannot be."""
        ...

    def leave(self, connection: "Connection") -> None:
        """A connection has ended."""
        ...


class Connection(asyncio.Protocol):
    """What asyncio tells of one client's socket, and what its conversation writes to it."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._rest = bytearray()
        self._conversation: Conversation | None = None
        self._ended, self._gone = asyncio.Event(), asyncio.Event()
        self._writable, self._closed = asyncio.Event(), asyncio.Event()
        self._writable.set()
        self._is_refused = self._is_told = False
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def is_stranger(self) -> bool:
        """Whether this client has not been let in so far."""
        return self._conversation is None

    # ------------------------------------------------------------ what asyncio tells

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=_UNWRITTEN)
        self._socket = transport.get_extra_info("socket")
        _see_it_vanish(self._socket)
        loop = asyncio.get_running_loop()
        why_not = self._house.enter(self) or self._foreign()
        if why_not:
            self._refuse(refusal(why_not))
        elif self._house.token is not None:
            self._timer = loop.call_later(self._house.limits.seconds, self._refuse, refusal("no token came in time"))

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        self._rest += data
        if b"\n" in data:
            *lines, last = bytes(self._rest).split(b"\n")
            self._rest[:] = last
            for line in lines:
                self._take(line)
        if len(self._rest) > self._longest:
            self._refuse_length()

    def eof_received(self) -> bool:
        """The client says no more: what it has said is answered, then the connection ends."""
        if not self._is_refused and self._rest:
            last = bytes(self._rest)  # a last line without its end
            self._rest.clear()
            self._take(last)
        self._ended.set()
        return self._task is not None or (self._is_refused and not self._is_told)

    def pause_writing(self) -> None:
        self._writable.clear()
        # Who does not read what it has asked for is not asked what else it wants.
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._writable.set()
        if not self._is_refused:
            self._transport.resume_reading()

    def connection_lost(self, reason: Exception | None) -> None:
        self._stop_timer()
        self._rest.clear()
        for event in (self._gone, self._writable, self._closed):
            event.set()
        self._house.leave(self)

    # ------------------------------------------------------------ what the conversation says

    def write(self, line: bytes) -> None:
        """Write a line; to nobody once the client has gone."""
        if not self._transport.is_closing():
            self._transport.write(line)

    async def drain(self) -> None:
        """Wait while more than 8 MB are unwritten."""
        await self._writable.wait()

    async def close(self) -> None:
        """End the conversation, write what is left for a moment, and hang up."""
        self._gone.set()
        if self._task is not None:
            await asyncio.wait([self._task])
        await self._hang_up()

    # ------------------------------------------------------------ inside

    @property
    def _longest(self) -> int:
        return self._house.limits.first_line if self.is_stranger else self._house.limits.line

    def _foreign(self) -> str:
        """Why this client may not come in because of who it is. Any user of a machine reaches its loopback."""
        if self._house.token is not None:
            return ""
        peer = peer_of(self._socket)
        if peer.uid not in (os.getuid(), 0):
            return "this server takes its own user's programs only; with --token-file it takes whoever knows the token"
        return ""

    def _take(self, line: bytes) -> None:
        if self._is_refused or not line.strip():
            return
        if len(line) > self._longest:
            self._refuse_length()
        elif self._conversation is not None:
            self._conversation.take(line)
        else:
            self._follow(judge(line, self._house.token), line)

    def _follow(self, verdict: Verdict, line: bytes) -> None:
        """Do what the first line has led to."""
        self._stop_timer()
        if not verdict.is_in:
            self._refuse(verdict.answer, self._house.limits.guess_seconds if verdict.is_guess else 0.0)
            return
        self.write(verdict.answer)
        opening = Opening(None)
        opening.end()
        self._conversation = Conversation(self._house.server, self, opening)
        self._task = asyncio.create_task(self._converse(self._conversation))
        if verdict.is_first_message:
            self._conversation.take(line)

    async def _converse(self, conversation: Conversation) -> None:
        going = asyncio.create_task(self._notice_going())
        try:
            await conversation.until_over(self._ended, self._gone)
        finally:
            going.cancel()
        if conversation.failed.done():
            conversation.failed.exception()  # it has been logged, and is this client's alone
        if not self._is_refused:
            await self._hang_up()

    async def _notice_going(self) -> None:
        """See it when a client that says no more is not there to hear its answers either.

        The end of what it says looks the same in both cases, and nothing tells when it closes the rest.
        """
        await self._ended.wait()
        while (peer := peer_of(self._socket)).uid is not None or not peer.is_here:
            await asyncio.sleep(_LOOK_SECONDS)
        self._gone.set()

    async def _hang_up(self) -> None:
        """Close when all is written, and after two seconds at the latest."""
        self._transport.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), _FLUSH_SECONDS)
        self._transport.abort()

    def _refuse_length(self) -> None:
        why = f"Invalid Request: a line may have {self._longest} bytes at most"
        self._refuse(error_line(None, INVALID_REQUEST, why))

    def _refuse(self, answer: bytes, seconds: float = 0.0) -> None:
        """Say why, after so many seconds, and hang up: nothing more is heard of this client."""
        self._is_refused = True
        self._rest.clear()
        self._stop_timer()
        loop = asyncio.get_running_loop()

        def say() -> None:
            self._is_told = True
            self.write(answer)
            self._gone.set()
            self._timer = loop.call_later(_FLUSH_SECONDS, self._transport.abort)
            if self._ended.is_set() or self._transport.is_closing():
                self._transport.close()
                return
            try:
                # What it still sends is taken and dropped: closed on the spot, the answer could be lost on its way.
                self._transport.write_eof()
            except OSError:  # it has gone
                self._transport.abort()

        if seconds:
            self._timer = loop.call_later(seconds, say)
        else:
            say()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _see_it_vanish(connection: socket.socket) -> None:
    """Have the system end a connection within two minutes of the other machine's end, which says no goodbye.

    It may hold the seat. The system asks by itself only after two hours, and resends what was not taken for a quarter
    of one.
    """
    if connection.family == socket.AF_UNIX:  # nothing lies between the two ends
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _QUIET_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _PROBE_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _PROBES)
    patience = (_QUIET_SECONDS + _PROBES * _PROBE_SECONDS) * 1000
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, patience)
