"""The policy in every toolkit, and the default one before the prompts it is for."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from deskhand.desktop.elements import looking
from deskhand.model.element import Query
from deskhand.platforms.base import Platform
from tests.support import toolkits
from tests.support.applications import Applications, eventually
from tests.support.client import Client
from tests.support.denials import middle, refused
from tests.support.toolkits import Toolkit


@pytest.mark.parametrize(
    ("toolkit", "denied", "allowed"),
    [
        (toolkits.CHROMIUM, "Press me", "Vanish"),
        (toolkits.FIREFOX, "Press me", "Vanish"),
        (toolkits.QT, "Next (F3)", "Match Case (F5)"),
    ],
    ids=str,
)
def test_it_is_the_same_in_every_toolkit(
    toolkit: Toolkit,
    denied: str,
    allowed: str,
    applications: Applications,
    platform: Platform,
    tmp_path: Path,
    new_client: Callable[..., Client],
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(f"denied_elements = [{{title = {denied!r}}}]")
    app = applications.start(*toolkit.command(tmp_path), seconds=90)
    eventually(lambda: looking.find(platform, app.running, Query(None, denied), 1).shown, seconds=60)
    client = new_client("--clicks-per-second", "0", "--policy", str(policy))
    client.acquire()
    app.activate()
    name = {"app_name": str(app.pid), "match": "exact"}
    refused(client.call("ax_press", **name, title=denied), by=f"acting on [{denied}]")
    refused(client.call("click_at", **name, title=denied), by=f"clicking on [{denied}]")
    refused(client.call("click_at", **middle(app.find(None, denied))), by=f"clicking on [{denied}]")
    refused(client.call("scroll_at", **middle(app.find(None, denied)), dy=1), by=f"scrolling in [{denied}]")
    client.do("click_at", **middle(app.find(None, allowed)))
    client.call("ax_press", **name, title=allowed)


@pytest.mark.parametrize(
    ("program", "name"), [("pinentry-qt", "pinentry-qt"), ("pinentry-gnome3", "gcr-prompter"), ("seahorse", "seahorse")]
)
def test_the_default_policy_knows_real_prompts(
    program: str,
    name: str,
    applications: Applications,
    client: Client,
    tmp_path: Path,
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    script = tmp_path / "ask"
    script.write_text(f"#!/bin/sh\n(echo SETDESC Unlock it; echo GETPIN; exec sleep 600) | exec {program}\n")
    script.chmod(0o755)
    app = applications.start(str(script)).activate()
    assert name in app.running.names
    client.acquire()
    refused(client.call("type_text_tool", text="x"), by="of the default policy")
    refused(client.call("key", keys="escape"), by="of the default policy")
    box = next(row.element for row in looking.look(app.platform, app.running, full=True).shown if row.element.bounds)
    refused(client.call("click_at", **middle(box)), by="of the default policy")
    refused(client.call("app_activate", app_name=str(app.pid)), by="of the default policy")
    os.kill(app.pid, signal.SIGKILL)  # it may hold the keyboard
    eventually(lambda: all(window.pid != app.pid for window in app.platform.windows.all()), what="its end")
