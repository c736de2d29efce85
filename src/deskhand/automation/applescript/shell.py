"""`do shell script`, where it is allowed: a command with the desktop's environment, ended with the script."""

import contextlib
import os
import signal
import subprocess
import time
from typing import IO, Final

from deskhand.automation.applescript.context import MOST_SECONDS, Context
from deskhand.automation.applescript.values import LONGEST_TEXT
from deskhand.model.errors import DeskError, NotPossible

_END_SECONDS: Final = 5.0


def run(command: str, context: Context) -> str:
    """What a command says, without the line break at its end.

    Raises Denied where none may run, NotPossible for one that fails or says too much.
    """
    context.permit_shell()
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        env={**os.environ, **context.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        with process.stdout:
            said = _heard(process.stdout, context)
        code = process.wait(_END_SECONDS)
    except (DeskError, subprocess.TimeoutExpired) as error:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise error if isinstance(error, DeskError) else _endless() from None
    if code:
        raise NotPossible(f"the shell command failed with status {code}: {said[-300:]}", recovery="correct the command")
    return said.rstrip("\n")


def _heard(output: IO[bytes], context: Context) -> str:
    """All it says until it closes its output."""
    deadline = time.monotonic() + MOST_SECONDS
    said = b""
    while time.monotonic() < deadline:
        if not context.turn.wait([output], 1.0):
            continue
        more = os.read(output.fileno(), 1 << 16)
        if not more:
            return said.decode("utf-8", "replace")
        said += more
        if len(said) > 4 * LONGEST_TEXT:
            raise NotPossible("the shell command says too much", recovery="let it say less")
    raise _endless()


def _endless() -> NotPossible:
    return NotPossible("the shell command did not end", recovery="let it do less")
