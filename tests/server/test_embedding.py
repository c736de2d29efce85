"""deskhand inside another program: the one of the document is run as it stands."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import Client as SdkClient

from deskhand import DeskServer
from deskhand.model.errors import CannotListen
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.server.serve import Wishes
from tests.support.applications import eventually
from tests.support.client import session_of
from tests.support.listening import Caller, connected
from tests.support.sdk_transport import transport_to

_DOCUMENT = Path(__file__).parents[2] / "docs" / "embedding.md"


@pytest.fixture
def around(desktop: EmbeddedSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is a program of the test desktop's session."""
    for name, value in session_of(desktop.environment).items():
        monkeypatch.setenv(name, value)


def test_the_program_of_the_document_serves_a_real_client_and_leaves_nothing(tmp_path: Path) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", _DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)
    assert len([line for line in program.splitlines() if line.strip()]) <= 10
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, str(tmp_path / "program.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            port = int(running.stdout.readline().rpartition(" ")[2])

            async def converse() -> None:
                async with SdkClient(transport_to(("127.0.0.1", port)), mode="legacy") as client:
                    assert client.server_info is not None
                    assert (client.server_info.name, client.server_info.version) == ("my-helper", "1.4")
                    seen: Any = await client.call_tool("get_screen_info", {})
                    assert "1280" in seen.content[0].text

            asyncio.run(asyncio.wait_for(converse(), 60))
            children = psutil.Process(running.pid).children(recursive=True)
            assert children
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=30)
        finally:
            running.kill()
    assert said.strip().endswith("KeyboardInterrupt")  # as Python has it
    assert "deskhand/server" not in said
    eventually(lambda: not any(map(psutil.Process.is_running, children)), seconds=20, what="the end of its desktop")


@pytest.mark.usefixtures("around")
class TestTheSessionAround:
    """Served from within this very process."""

    def test_it_can_be_started_stopped_and_started_again(self) -> None:
        async def live() -> None:
            server = DeskServer(wishes=Wishes(only=("get_screen_info",)))
            for _ in range(2):
                port = await server.start_on_port(0)
                other = await server.start_on_port(0)
                assert port != other
                for number in (port, other):
                    assert "displays[1]" in await asyncio.to_thread(ask, number)
                await server.stop()
                with pytest.raises(ConnectionRefusedError):
                    connected(("127.0.0.1", port))
            await server.stop()

        asyncio.run(asyncio.wait_for(live(), 60))

    def test_the_network_needs_a_token(self) -> None:
        async def live() -> None:
            with pytest.raises(CannotListen, match="needs a token"):
                await DeskServer().start_on_port(0, "0.0.0.0")

        asyncio.run(live())


def ask(port: int) -> str:
    with Caller(("127.0.0.1", port)) as caller:
        caller.initialize()
        assert [tool["name"] for tool in caller.ask("tools/list")["result"]["tools"]] == ["get_screen_info"]
        return caller.do("get_screen_info")


def test_importing_deskhand_loads_nothing_else() -> None:
    code = "import sys, deskhand; print([name for name in sys.modules if name.startswith(('deskhand.', 'mcp', 'asyncio'))])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert said.stdout.strip() == "[]"
