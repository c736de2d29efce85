"""The commands as people call them: what they print, how they end, and what they say to words that make no sense."""

import json
import os
import subprocess
import sys

import pytest

from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.client import session_of


def deskhand(*words: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deskhand", *words]
    environment = {**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": "", **(environment or {})}
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("mcp", "--clicks-per-second", "-5"), "'-5' is not a number of clicks"),
        (("mcp", "--clicks-per-second", "many"), "'many' is not a number of clicks"),
        (("mcp", "--embedded", "100x100"), "at least 320x200"),
        (("mcp", "--tools", "no_such_tool"), "there is no tool called 'no_such_tool'"),
        (("mcp", "--exclude-tools", "screenshot,no_such_tool"), "there is no tool called 'no_such_tool'"),
        (("mcp", "--port", "70000"), "'70000' is not a port"),
        (("mcp", "--host", "127.0.0.1"), "--host is for --port"),
        (("mcp", "--port", "0", "--host", "0.0.0.0"), "needs a token that every client must show"),
        (("mcp", "--token-file", "none"), "--token-file is for --port and --socket"),
        (("mcp", "--port", "0", "--token-file", "/no/such/file"), "cannot be read: No such file"),
        (("mcp", "--socket", "/no/such/folder/it"), "cannot be listened on: No such file"),
        (("desktop", "640"), "'640' is not a size like 1920x1080"),
        (("desktop", "--run", "echo 'unended"), "No closing quotation"),
        (("desktop", "--run", " "), "the command is empty"),
        (("desktop", "640x480", "--run", "no-such-program"), "no-such-program did not start: No such file"),
        (("tools", "no_such_tool"), "there is no tool called 'no_such_tool'"),
        (("dance",), "invalid choice: 'dance'"),
    ],
)
def test_words_that_make_no_sense_are_told(words: tuple[str, ...], complaint: str) -> None:
    done = deskhand(*words)
    assert done.returncode != 0
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_command_runs_on_a_desktop_of_its_own_and_its_exit_code_is_told() -> None:
    done = deskhand("desktop", "640x480", "--run", "sh -c 'echo $DISPLAY; exit 7'")
    assert done.returncode == 7
    assert done.stdout.startswith(":")


def test_the_tools_are_listed_as_a_client_sees_them() -> None:
    listed = deskhand("tools")
    assert "click_at" in listed.stdout
    assert json.loads(deskhand("tools", "click_at").stdout)["name"] == "click_at"
    assert json.loads(deskhand("tools", "--json").stdout)[0]["name"] == "screenshot"


def test_the_doctor_says_what_works_and_what_to_do_about_the_rest(desktop: EmbeddedSession) -> None:
    fine = deskhand("doctor", environment=session_of(desktop.environment))
    assert fine.returncode == 0, fine.stdout
    assert "Ready: deskhand mcp and deskhand mcp --embedded" in fine.stdout
    assert "✗" not in fine.stdout
    without = deskhand(
        "doctor", environment=session_of(desktop.environment) | {"AT_SPI_BUS_ADDRESS": "unix:path=/none"}
    )
    assert "✗ accessibility" in without.stdout
    assert "→ start the desktop's accessibility service" in without.stdout
    assert "Ready: deskhand mcp --embedded\n" in without.stdout


def test_the_doctor_says_whether_somebody_can_be_asked(desktop: EmbeddedSession) -> None:
    fine = deskhand("doctor", environment=session_of(desktop.environment)).stdout
    around, own = fine.split("A desktop of our own")
    assert "✓ dialogs        whoever sits here can be asked" in around
    assert "✓ dialogs        not needed" in own
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x16", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            display = f":{server.stdout.readline().strip()}"
            few_colors = deskhand("doctor", environment={"DISPLAY": display}).stdout
        finally:
            server.terminate()
    line, remedy = few_colors[few_colors.index("✗ dialogs") :].splitlines()[:2]
    assert "16 bits" in line
    assert "--grant" in remedy
