"""A desktop that stays for others to join: what its servers may do there without asking."""

import contextlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.support.client import Client


@contextlib.contextmanager
def staying(*words: str) -> Iterator[dict[str, str]]:
    """The environment that `deskhand desktop` prints while it stays."""
    with subprocess.Popen(
        [sys.executable, "-m", "deskhand", "desktop", "800x600", *words], stdout=subprocess.PIPE, text=True
    ) as it:
        try:
            assert it.stdout is not None
            environment: dict[str, str] = {}
            for line in it.stdout:
                if found := re.fullmatch(r"export (\w+)=(.*)\n", line):
                    environment[found[1]] = shlex.split(found[2])[0]
                elif environment:
                    break
            assert "DISPLAY" in environment
            yield environment
        finally:
            it.terminate()
            it.wait(30)


def clicked(environment: dict[str, str]) -> str:
    with Client("--surface", "computer", environment=environment) as client:
        client.initialize()
        client.do("screenshot")
        return client.call("left_click", coordinate=[400, 300])


def test_on_a_desktop_kept_for_agents_nobody_is_asked() -> None:
    with staying() as environment:
        assert "not granted" not in clicked(environment)
        with Client("--surface", "computer", environment=environment) as client:
            client.initialize()
            client.do("write_clipboard", text="granted")
        # What is named on the command line is all that is granted, as with --embedded.
        with Client("--surface", "computer", "--grant", "mousepad", environment=environment) as client:
            client.initialize()
            assert client.call("write_clipboard", text="granted").is_error


def test_where_the_home_is_the_users_it_is_the_users_desktop(tmp_path: Path) -> None:
    with (
        staying("--home", str(tmp_path)) as environment,
        Client("--surface", "computer", environment=environment) as it,
    ):
        it.initialize()
        assert it.call("write_clipboard", text="not granted").is_error
