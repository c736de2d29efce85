"""The desktop that all tests share: a real one of our own, with real applications."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# Before anything of deskhand looks: what it keeps for its user goes into a folder of this run.
_KEPT = Path(tempfile.mkdtemp(prefix="dh-"))
os.environ.update(
    XDG_RUNTIME_DIR=str(_KEPT / "run"),
    XDG_STATE_HOME=str(_KEPT / "state"),
    XDG_CACHE_HOME=str(_KEPT / "cache"),
    XDG_CONFIG_HOME=str(_KEPT / "config"),
    XDG_DATA_HOME=str(_KEPT / "data"),
    LANG="C.UTF-8",
)
os.environ.pop("LC_ALL", None)
(_KEPT / "run").mkdir(mode=0o700)

from deskhand.model.geometry import Size
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, Applications
from tests.support.client import Client
from tests.support.form import PROGRAM as form_program


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    shutil.rmtree(_KEPT, ignore_errors=True)


@pytest.fixture(scope="session")
def kept() -> Path:
    """The folder that stands for the user's own."""
    return _KEPT


@pytest.fixture(scope="session")
def desktop() -> Iterator[EmbeddedSession]:
    """A real desktop: X server, window manager, accessibility bus."""
    session = EmbeddedSession(Size(1920, 1080))
    session.start_soon()
    yield session
    session.close()


@pytest.fixture(scope="session")
def platform(desktop: EmbeddedSession) -> Iterator[Platform]:
    """The ports of that desktop."""
    platform = desktop.connect()
    yield platform
    platform.close()


@pytest.fixture
def applications(desktop: EmbeddedSession, platform: Platform) -> Iterator[Applications]:
    """Starts applications, and ends them after the test."""
    with Applications(desktop, platform) as started:
        yield started


@pytest.fixture
def editor(applications: Applications) -> Application:
    """A GTK 3 editor with an empty document."""
    return applications.start("mousepad")


@pytest.fixture
def form(applications: Applications) -> Application:
    """A window with one of every control."""
    return applications.start(sys.executable, form_program, "A form")


@pytest.fixture(scope="module")
def lasting(desktop: EmbeddedSession, platform: Platform) -> Iterator[Applications]:
    """Applications that stay for all tests of a file."""
    with Applications(desktop, platform) as started:
        yield started


@pytest.fixture(scope="module")
def controls(lasting: Applications) -> Application:
    """A GTK 3 window with one of every control."""
    return lasting.start(sys.executable, form_program, "Controls")


@pytest.fixture(scope="module")
def factory(lasting: Applications) -> Application:
    """GTK 4's window with one of every control."""
    return lasting.start("gtk4-widget-factory")


@pytest.fixture(scope="module")
def qt(lasting: Applications) -> Application:
    """A Qt editor."""
    return lasting.start("featherpad", "--standalone")


@pytest.fixture
def client(desktop: EmbeddedSession) -> Iterator[Client]:
    """An MCP client of a server on that desktop, over standard input and output."""
    with Client(environment=desktop.environment) as opened:
        opened.initialize()
        yield opened


@pytest.fixture
def new_client(desktop: EmbeddedSession) -> Iterator[Callable[..., Client]]:
    """Makes more clients, each with a server of its own."""
    opened: list[Client] = []

    def make(*arguments: str) -> Client:
        client = Client(*arguments, environment=desktop.environment)
        opened.append(client)
        client.initialize()
        return client

    yield make
    for one in opened:
        one.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Why a test that was asked again had failed: pytest-rerunfailures tells the name alone."""
    for report in terminalreporter.stats.get("rerun", ()):
        terminalreporter.write_sep("_", f"asked again: {report.nodeid}")
        terminalreporter.write_line("\n".join(report.longreprtext.splitlines()[-30:]))
