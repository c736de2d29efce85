"""MCP over standard input and output: JSON messages, each of ours on a line."""

import asyncio
import os
import select
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from deskhand.server.opening import Opening
from deskhand.server.texts import Texts

if TYPE_CHECKING:
    from deskhand.server.mcp import McpServer
    from deskhand.server.wire import Conversation

_READ: Final = 1 << 16
_ATOMIC_WRITE: Final = select.PIPE_BUF
_UNWRITTEN: Final = 1 << 23
"""Bytes that may wait for a client that does not read before its next answers wait too."""


class Entrance:
    """Takes lines from the first moment: answers the opening itself, and keeps the rest until the server is there."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._texts = Texts()
        self._kept: list[bytes] = []
        self._conversation: Conversation | None = None
        self._outlet: StdoutWriter | None = None
        self.ended = asyncio.Event()

    def speak_through(self, outlet: "StdoutWriter") -> None:
        """Say where answers go."""
        self._outlet = outlet

    def take(self, line: bytes) -> None:
        """A line that has come."""
        for text in self._texts.take(line):
            self._take(text)

    def end(self) -> None:
        """No more lines come."""
        for text in self._texts.end():
            self._take(text)
        self.ended.set()

    def _take(self, text: bytes) -> None:
        answer = self._opening.answer(text)
        if self._conversation is not None:
            self._conversation.take(text)
            return
        self._kept.append(text)
        if answer is not None and self._outlet is not None:
            self._outlet.write(answer)

    async def let_in(self, server: "McpServer", gone: asyncio.Event) -> None:
        """Converse until the input has ended and everything is answered, or until `gone` says that nobody listens."""
        from deskhand.server.wire import Conversation

        assert self._outlet is not None
        self._opening.end()
        self._conversation = Conversation(server, self._outlet, self._opening)
        for line in self._kept:
            self._conversation.take(line)
        self._kept.clear()
        await self._conversation.until_over(self.ended, gone)
        if self._conversation.failed.done():
            self._conversation.failed.result()

    def close(self) -> None:
        """Write what is left to write, for a few seconds at most."""
        if self._outlet is not None:
            self._outlet.close()


def take_stdio(entrance: Entrance) -> asyncio.Event:
    """Begin to read lines; the event is set when SIGTERM or SIGINT comes, or nobody reads our answers any more."""
    gone = end_of_process()
    descriptor = _standard_output()
    _watch_reader(descriptor, gone)
    entrance.speak_through(StdoutWriter(descriptor, gone))
    _read_lines(entrance)
    return gone


def end_of_process() -> asyncio.Event:
    """What is set when SIGTERM, SIGINT or SIGHUP comes."""
    gone = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, gone.set)
    return gone


def _standard_output() -> int:
    """Standard output for messages alone: whatever else prints there goes to standard error from now on.

    Python has None for a standard stream that was closed when it started; its number may be anything's now.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if sys.stdout is None:
        return nowhere
    sys.stdout.flush()
    descriptor = os.dup(1)
    os.dup2(nowhere if sys.stderr is None else 2, 1)
    os.close(nowhere)
    return descriptor


def _watch_reader(descriptor: int, gone: asyncio.Event) -> None:
    """Have `gone` set as soon as nobody can read there any more: a client that was killed while nothing is written too.

    A file has no reader to lose.
    """
    loop, watch = asyncio.get_running_loop(), select.epoll()
    try:
        watch.register(descriptor, 0)  # an error or a hang-up is told whatever is asked for, and nothing else is wanted
    except PermissionError:
        watch.close()
        return

    def on_lost() -> None:
        loop.remove_reader(watch.fileno())
        watch.close()
        gone.set()

    loop.add_reader(watch.fileno(), on_lost)


class StdoutWriter:
    """Writes lines without ever making the event loop wait for the client."""

    def __init__(self, descriptor: int, broken: asyncio.Event) -> None:
        self._descriptor = descriptor
        self._broken = broken
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[bytes] = deque()
        self._unwritten = 0
        self._changed = threading.Condition()
        self._drained = asyncio.Event()
        self._drained.set()
        self._thread: threading.Thread | None = None
        self._closed = False

    def write(self, line: bytes) -> None:
        """Write a line, at once if that can be done without waiting."""
        with self._changed:
            if not self._unwritten and len(line) <= _ATOMIC_WRITE and self._is_writable():
                self._put(line)
                return
            self._waiting.append(line)
            self._unwritten += len(line)
            if self._unwritten > _UNWRITTEN:
                self._drained.clear()
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_out, name="stdout", daemon=True)
                self._thread.start()
            self._changed.notify()

    async def drain(self) -> None:
        """Wait while more than 8 MB are unwritten."""
        await self._drained.wait()

    def close(self) -> None:
        """Write what is left, for at most 5 s; 1 s where nobody may be reading any more."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(1.0 if self._broken.is_set() else 5.0)

    def _is_writable(self) -> bool:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        return any(events & select.POLLOUT for _, events in poll.poll(0))

    def _write_out(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if not self._waiting:
                    return
                line = self._waiting.popleft()
            self._put(line)
            with self._changed:
                self._unwritten -= len(line)
                if self._unwritten <= _UNWRITTEN:
                    self._loop.call_soon_threadsafe(self._drained.set)

    def _put(self, line: bytes) -> None:
        view = memoryview(line)
        try:
            while view:
                try:
                    view = view[os.write(self._descriptor, view) :]
                except BlockingIOError:  # a client has made its end of a socket or terminal so, and with it ours
                    select.select([], [self._descriptor], [])
        except OSError:
            # Nobody hears us any more.
            self._loop.call_soon_threadsafe(self._broken.set)


def _read_lines(entrance: Entrance) -> None:
    """Hand every line of standard input over."""
    loop = asyncio.get_running_loop()
    rest = bytearray()

    def take(data: bytes) -> None:
        rest.extend(data)
        if not data:
            entrance.take(bytes(rest))  # a last line without its end
            entrance.end()
        elif b"\n" in data:
            *lines, last = bytes(rest).split(b"\n")
            rest[:] = last
            for line in lines:
                entrance.take(line)

    def on_readable() -> None:
        try:
            data = _read_some()
        except BlockingIOError:
            return
        if not data:
            loop.remove_reader(0)
        take(data)

    if sys.stdin is None:  # it was closed from the first
        take(b"")
        return
    try:
        loop.add_reader(0, on_readable)
    except PermissionError:  # a regular file, which is always readable: epoll does not take it
        threading.Thread(target=_read_file, args=(loop, take), name="stdin", daemon=True).start()


def _read_some() -> bytes:
    """What has come on standard input; nothing at its end. Raises BlockingIOError where there is nothing yet."""
    try:
        return os.read(0, _READ)
    except BlockingIOError:
        raise
    except OSError:
        return b""


def _read_file(loop: asyncio.AbstractEventLoop, take: Callable[[bytes], None]) -> None:
    data = b"-"
    while data:
        data = _read_some()
        loop.call_soon_threadsafe(take, data)
