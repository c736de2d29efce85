"""Commands of the shell: what they say and how they end, and that nothing of one that is stopped goes on."""

import os
import signal
import threading
from pathlib import Path

import pytest

from deskhand.model.command import Finished
from deskhand.model.errors import Cancelled, NotPossible
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform
from tests.support.applications import eventually


def run(
    platform: Platform, command: str, *, turn: Turn | None = None, seconds: float = 30, most: int = 10_000
) -> Finished:
    return platform.shell.run(command, turn or Turn(), seconds=seconds, most_bytes=most)


def is_running(pid: int) -> bool:
    """Whether a process is there and no corpse that waits for its parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def noted(*files: Path) -> list[int]:
    """The process numbers that a command has written down."""
    return [int(file.read_text()) for file in files]


TWO_SLEEPERS = "sleep 300 & echo $! > {}; echo $$ > {}; wait"


class TestWhatItSays:
    def test_output_and_complaints_are_told_apart(self, platform: Platform) -> None:
        assert run(platform, "echo out; echo err >&2") == Finished(0, b"out\n", b"err\n")

    def test_how_it_ended(self, platform: Platform) -> None:
        assert run(platform, "exit 3").status == 3
        assert run(platform, "kill -TERM $$").status == -signal.SIGTERM
        assert run(platform, "no-such-program-anywhere").status == 127

    def test_one_that_has_closed_its_output_is_still_waited_for(self, platform: Platform, tmp_path: Path) -> None:
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        threading.Thread(target=lambda: fifo.write_text("5\n"), daemon=True).start()
        done = run(platform, f"exec >&- 2>&-; read code < {fifo}; exit $code")
        assert done == Finished(5, b"", b"")

    def test_much_of_it_comes_whole(self, platform: Platform) -> None:
        done = run(platform, "head -c 1000000 /dev/zero; head -c 900000 /dev/zero >&2", most=2_000_000)
        assert (len(done.output), len(done.errors)) == (1_000_000, 900_000)

    def test_too_much_of_it_ends_it(self, platform: Platform) -> None:
        with pytest.raises(NotPossible, match="more than 10,000 bytes"):
            run(platform, "yes")

    def test_bytes_that_are_no_text(self, platform: Platform) -> None:
        assert run(platform, r"printf '\377\000\376'").output == b"\xff\x00\xfe"


class TestWhereItRuns:
    def test_it_has_nothing_to_read(self, platform: Platform) -> None:
        assert run(platform, "cat").output == b""

    def test_on_the_desktop(self, platform: Platform) -> None:
        assert b"1920x1080" in run(platform, "xdpyinfo | grep dimensions").output

    def test_in_the_home_of_whoever_runs_it(self, platform: Platform) -> None:
        assert run(platform, 'test "$PWD" -ef "$HOME"').status == 0

    def test_in_a_session_of_its_own(self, platform: Platform) -> None:
        number, session = map(int, run(platform, "echo $$; ps -o sid= -p $$").output.split())
        assert number == session


class TestItsEnd:
    """Of the shell and of what it has started."""

    def test_after_its_time(self, platform: Platform, tmp_path: Path) -> None:
        files = tmp_path / "child", tmp_path / "shell"
        with pytest.raises(NotPossible, match="did not end in time"):
            run(platform, TWO_SLEEPERS.format(*files), seconds=1)
        assert not any(map(is_running, noted(*files)))

    def test_when_its_caller_wants_it_no_more(self, platform: Platform, tmp_path: Path) -> None:
        files, turn = (tmp_path / "child", tmp_path / "shell"), Turn()

        def cancel() -> None:
            eventually(lambda: files[1].exists() and files[1].read_text(), what="both have started")
            turn.cancel()

        threading.Thread(target=cancel).start()
        with pytest.raises(Cancelled):
            run(platform, TWO_SLEEPERS.format(*files), turn=turn)
        eventually(lambda: not any(map(is_running, noted(*files))), what="both have ended")

    def test_what_it_leaves_in_the_background_goes_on(self, platform: Platform, tmp_path: Path) -> None:
        file = tmp_path / "child"
        run(platform, f"sleep 300 > /dev/null 2>&1 & echo $! > {file}")
        (left,) = noted(file)
        assert is_running(left)
        os.kill(left, signal.SIGKILL)
