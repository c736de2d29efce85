"""The MCP inspector, a client of others that checks what it gets, in both eras of the protocol."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application

_INSTALLED = Path(__file__).parents[2] / ".dev/inspector/node_modules"
_INSPECTOR = _INSTALLED / ".bin/mcp-inspector"
_IS_ERROR = 5
_ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])

pytestmark = pytest.mark.skipif(
    not _INSPECTOR.exists(), reason="the MCP inspector is not installed: ./dev test does it"
)


def _ask(desktop: EmbeddedSession, era: str, *question: str, is_refused: bool = False) -> dict[str, Any]:
    """What the inspector prints of a server's answer; fails the test where it finds a fault."""
    server = [str(Path(sys.executable).with_name("deskhand")), "mcp"]
    # It passes on no more of its own environment than any program needs.
    given = [word for name, value in desktop.environment.items() for word in ("-e", f"{name}={value}")]
    done = subprocess.run(
        [str(_INSPECTOR), "--cli", *server, *given, *question, "--protocol-era", era],
        # A node of its own, for machines that have an old one.
        env=os.environ | {"PATH": f"{_INSTALLED}/.bin:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == (_IS_ERROR if is_refused else 0), done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@_ERAS
def test_it_lists_all_tools_and_finds_no_fault(era: str, desktop: EmbeddedSession) -> None:
    tools = _ask(desktop, era, "--method", "tools/list", "--strict")["tools"]
    assert len(tools) == 51
    assert all(tool["description"] and tool["inputSchema"]["type"] == "object" for tool in tools)


@_ERAS
def test_it_calls_a_tool(era: str, desktop: EmbeddedSession, editor: Application) -> None:
    arguments = json.dumps({"app_name": editor.name})
    reply = _ask(desktop, era, "--method", "tools/call", "--tool-name", "inspect_ui", "--tool-args-json", arguments)
    assert not reply.get("isError")
    assert "textbox" in reply["content"][0]["text"]


@_ERAS
def test_it_is_told_what_a_call_lacks(era: str, desktop: EmbeddedSession) -> None:
    question = ("--method", "tools/call", "--tool-name", "click_at", "--tool-args-json", '{"x": 1, "y": 1}')
    reply = _ask(desktop, era, *question, is_refused=True)
    assert reply["isError"]
    assert "acquire_session" in reply["content"][0]["text"]
