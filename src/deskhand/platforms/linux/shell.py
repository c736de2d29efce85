"""Commands of the shell: run to their end, or ended with everything they have started."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Final

from deskhand.model.command import Finished
from deskhand.model.errors import NotPossible, Unsupported
from deskhand.model.turn import Turn

# The system ends the shell with this process, however that ends. Not by `preexec_fn`: this process has threads.
_LEASH: Final = ("setpriv", "--pdeathsig", "KILL")
_AT_ONCE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class PosixShell:
    """`/bin/sh` with the desktop's environment, in the user's home."""

    environment: Mapping[str, str]

    def run(self, command: str, turn: Turn, *, seconds: float, most_bytes: int) -> Finished:
        """What a command says until it has ended and nobody holds its output open any more.

        Raises NotPossible for one that takes longer or says more, and as `turn.wait` does; it is ended then, with all
        that it has started. Raises Unsupported where no shell starts.
        """
        deadline = time.monotonic() + seconds
        with self._started(command) as process:
            try:
                output, errors = _heard(process, turn, deadline, most_bytes)
                return Finished(_status(process, turn, deadline), output, errors)
            except BaseException:
                _end(process)
                raise

    def _started(self, command: str) -> subprocess.Popen[bytes]:
        leash = shutil.which(_LEASH[0])
        before = [leash, *_LEASH[1:]] if leash else []
        try:
            return subprocess.Popen(
                [*before, "/bin/sh", "-c", command],
                env=dict(self.environment),
                cwd=self._home(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise Unsupported(f"the shell did not start: {error}", recovery="do it without the shell") from None

    def _home(self) -> str:
        home = self.environment.get("HOME", "")
        return home if os.path.isdir(home) else "/"


def _heard(process: subprocess.Popen[bytes], turn: Turn, deadline: float, most_bytes: int) -> tuple[bytes, bytes]:
    """Everything that comes out of it until both ends are closed."""
    assert process.stdout is not None
    assert process.stderr is not None
    said: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    open_ones = list(said)
    for pipe in open_ones:
        os.set_blocking(pipe.fileno(), False)
    while open_ones:
        turn.wait(open_ones, _left(deadline))
        for pipe in list(open_ones):
            with contextlib.suppress(BlockingIOError):
                more = os.read(pipe.fileno(), _AT_ONCE)
                said[pipe] += more
                if not more:
                    open_ones.remove(pipe)
        if sum(map(len, said.values())) > most_bytes:
            raise NotPossible(
                f"the shell command says more than {most_bytes:,} bytes",
                recovery="let it say less: head -c, or a file",
            )
    return bytes(said[process.stdout]), bytes(said[process.stderr])


def _status(process: subprocess.Popen[bytes], turn: Turn, deadline: float) -> int:
    """How it has ended; one that has closed its output may still be at work."""
    with open(os.pidfd_open(process.pid), "rb", buffering=0) as end:
        while not turn.wait([end], _left(deadline)):
            pass
    return process.wait()


def _left(deadline: float) -> float:
    """Seconds that are left. Raises NotPossible where none are."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise NotPossible(
            "the shell command did not end in time; it was stopped",
            recovery="let it do less, or send it to the background: … >/dev/null 2>&1 &",
        )
    return left


def _end(process: subprocess.Popen[bytes]) -> None:
    """The session of its own that it was started in is a group: nothing in it goes on."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
