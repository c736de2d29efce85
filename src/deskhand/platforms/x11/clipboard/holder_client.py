"""This process's end of the clipboard's holder (holder.py)."""

import base64
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from deskhand.model.clipboard import Contents
from deskhand.model.errors import DesktopLost
from deskhand.platforms.linux.lines import LineSocket

_HOLDER_SECONDS: Final = 10.0
_QUIET_SECONDS: Final = 0.1


class HolderClient:
    """This process's end of holder.py: one for all threads, started when something is first written."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._lock = threading.Lock()
        self._lines: LineSocket | None = None

    def own(self, contents: Contents) -> None:
        """Make the holder own this. Raises DesktopLost where it cannot."""
        request = {"own": {target: base64.b64encode(data).decode() for target, data in contents.items()}}
        with self._lock:
            for _ in range(2):
                try:
                    lines = self._lines or self._start()
                    lines.send(request)
                    answer = self._await(lines, "owned", _HOLDER_SECONDS)
                except EOFError:
                    self._forget()
                else:
                    if answer is not None and answer["owned"]:
                        return
        raise DesktopLost("the clipboard cannot be owned: its holder process does not answer")

    def wait_until_served(self, is_wanted: Callable[[int], bool], seconds: float) -> bool:
        """Whether the contents were fetched by a window that is wanted; its list of forms alone does not count.

        Comes back when such windows have asked for nothing more for a while: Chromium fetches a text twice.
        """
        deadline = time.monotonic() + seconds
        is_served = False
        with self._lock:
            while self._lines is not None:
                left = deadline - time.monotonic()
                try:
                    message = self._await(self._lines, "served", _QUIET_SECONDS if is_served else left)
                except EOFError:
                    break
                if message is None:
                    break
                if is_wanted(message["to"]):
                    is_served |= message["served"] not in ("TARGETS", "TIMESTAMP")
        return is_served

    def close(self) -> None:
        """Let the holder go on alone."""
        with self._lock:
            self._forget()

    @staticmethod
    def _await(lines: LineSocket, key: str, seconds: float) -> dict[str, Any] | None:
        """The next message of a kind, None where none came in time."""
        deadline = time.monotonic() + seconds
        while True:
            message = lines.receive(max(0.0, deadline - time.monotonic()))
            if message is None or key in message:
                return message

    def _start(self) -> LineSocket:
        ours, theirs = socket.socketpair()
        with theirs:
            # It must not be waited for, and not be ended with this process: it is what keeps the clipboard.
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "deskhand.platforms.x11.clipboard.holder"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict(self._environment),
                cwd="/",
                start_new_session=True,
            )
        threading.Thread(target=process.wait, name="clipboard holder", daemon=True).start()
        self._lines = LineSocket(ours)
        return self._lines

    def _forget(self) -> None:
        if self._lines is not None:
            self._lines.close()
        self._lines = None
