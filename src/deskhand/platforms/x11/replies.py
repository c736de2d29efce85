"""Waiting for the X server, but not for ever: one that is stopped, or busy with something that never ends, is told."""

import select
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import xcffib

from deskhand.model.errors import NotAnswering

_SECONDS: Final = 5.0
_AGAIN_SECONDS: Final = 0.5
"""What the next questions get while a server has let one lie: what is given up on has more to ask at its end."""


class Replies:
    """The answers on a connection, each waited for at most 5 s. Takes the place of xcffib's own waiting.

    The connection stays good: a server that goes on is asked on as if nothing had been.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._poll = select.poll()
        self._poll.register(connection.get_file_descriptor(), select.POLLIN)
        self._answer, self._error = xcffib.ffi.new("void **"), xcffib.ffi.new("xcb_generic_error_t **")
        self._is_stuck = False
        self._check = connection.request_check
        connection.wait_for_reply = self.wait
        connection.request_check = self.check

    def wait(self, sequence: int) -> Any:
        """The answer to a request. Raises what the server says of it, ConnectionException, or NotAnswering."""
        connection = self._connection
        connection.invalid()
        self._wait(sequence)
        answer, error = self._answer[0], self._error[0]
        if error != xcffib.ffi.NULL:
            try:
                connection._process_error(error)
            finally:
                xcffib.c_free(error)
        connection.invalid()
        if answer == xcffib.ffi.NULL:
            raise xcffib.XcffibException(f"there is no answer to the request {sequence}")
        answer = xcffib.ffi.gc(answer, xcffib.c_free)
        length = xcffib.ffi.cast("xcb_generic_reply_t *", answer).length
        return xcffib.CffiUnpacker(answer, known_max=32 + 4 * length)

    def check(self, sequence: int) -> None:
        """Return when a request without an answer has been done. Raises as `wait` does."""
        # The answer to this comes behind it: libxcb then knows what came of it, and waits for nothing.
        self._connection.core.GetInputFocus().reply()
        self._check(sequence)

    def _wait(self, sequence: int) -> None:
        """Fill in the answer or the error."""
        connection, ready = self._connection._conn, xcffib.lib.xcb_poll_for_reply
        if ready(connection, sequence, self._answer, self._error):
            return
        xcffib.lib.xcb_flush(connection)
        deadline = time.monotonic() + (_AGAIN_SECONDS if self._is_stuck else _SECONDS)
        while not ready(connection, sequence, self._answer, self._error):
            left = deadline - time.monotonic()
            if left <= 0:
                self._is_stuck = True
                xcffib.lib.xcb_discard_reply(connection, sequence)
                raise stuck()
            self._poll.poll(left * 1000)
        self._is_stuck = False


def opened(connect: Callable[[], Any]) -> Any:
    """What `connect` gives. Raises what it raises, or NotAnswering where the server says nothing for 5 s."""
    found: list[Any] = []
    failed: list[BaseException] = []
    over = threading.Lock()
    is_late = False

    def work() -> None:
        try:
            connection = connect()
        except BaseException as error:  # noqa: BLE001 - whoever waits for the connection gets it
            failed.append(error)
            return
        with over:
            if is_late:
                connection.disconnect()
            else:
                found.append(connection)

    thread = threading.Thread(target=work, name="connecting", daemon=True)
    thread.start()
    thread.join(_SECONDS)
    with over:
        is_late = not found and not failed
    if failed:
        raise failed[0]
    if not found:
        raise stuck()
    return found[0]


def stuck() -> NotAnswering:
    """The error that says that the X server does not answer."""
    return NotAnswering(
        "the X server does not answer",
        recovery="wait a moment and try again; where it stays so, end the X server and start the desktop anew",
    )
