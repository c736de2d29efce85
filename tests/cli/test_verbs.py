"""The commands as people call them: what they print, how they end, and what they say to words that make no sense."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

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
        (("mcp", "--tools", ","), "names no tool"),
        (("mcp", "--exclude-tools", ""), "names no tool"),
        (("desktop", "--home", "/dev/null"), "/dev/null is not a folder"),
        (("audit", "verify", "."), "is not a file"),
        (("audit", "show", "/dev/zero"), "is not a file"),
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


def test_a_command_that_a_signal_ends_is_told_as_shells_do() -> None:
    assert deskhand("desktop", "640x480", "--run", "sh -c 'kill -9 $$'").returncode == 137


@pytest.mark.parametrize("words", [("desktop", "640x480"), ("doctor",), ("mcp",), ("mcp", "--embedded", "--port", "0")])
def test_ctrl_c_ends_a_command_without_a_word_at_whatever_moment(words: tuple[str, ...]) -> None:
    environment = os.environ | {"DISPLAY": "", "PYTHONVERBOSE": "1"}
    loading = "deskhand.model.geometry"
    with subprocess.Popen(
        [sys.executable, "-m", "deskhand", *words],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as it:
        assert it.stderr is not None
        said = ""
        for said in it.stderr:
            if f"import '{loading}'" in said:
                break
        assert loading in said
        it.send_signal(signal.SIGINT)
        rest = it.stderr.read()
        assert it.wait(30) in (130, -signal.SIGINT)
    assert "Traceback" not in rest
    assert "KeyboardInterrupt" not in rest


# The list is short: all of it may have been written before the reader goes.
@pytest.mark.parametrize(("words", "codes"), [(("tools",), {0, 141}), (("doctor",), {141})])
def test_whoever_reads_the_first_line_alone_is_left_in_peace(words: tuple[str, ...], codes: set[int]) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "deskhand", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as it:
        assert it.stdout is not None
        assert it.stderr is not None
        it.stdout.readline()
        it.stdout.close()
        assert it.stderr.read() == b""
        assert it.wait(60) in codes


@pytest.mark.parametrize(("where", "code"), [("> /dev/full", 1), (">&-", 0)])
def test_output_that_cannot_be_written_is_said(where: str, code: int) -> None:
    command = f"{sys.executable} -m deskhand tools {where}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code
    assert ("cannot be written" in done.stderr) == (code == 1)
    assert "Traceback" not in done.stderr


def test_lines_of_an_audit_that_somebody_else_has_written_are_shown_as_far_as_they_go(tmp_path: Path) -> None:
    lines = [
        {"n": number, "previous": "", "ts": time, "tool": f"tool{number}"}
        for number, time in enumerate([1e300, "x", {}])
    ]
    (tmp_path / "audit.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    shown = deskhand("audit", "show", str(tmp_path / "audit.jsonl"))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert all(f"tool{number}" in shown.stdout for number in range(3))


@pytest.mark.parametrize("name", ["audit.jsonl", "audit.head", "audit.2.jsonl"])
def test_an_audit_of_other_things_than_files_is_not_waited_for(tmp_path: Path, name: str) -> None:
    (tmp_path / "audit.jsonl").touch()
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    assert f"{name} is not a file" in deskhand("audit", "verify", str(tmp_path / "audit.jsonl")).stderr


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
