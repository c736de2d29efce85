"""Two applications and an agent that tests of tools share."""

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Applications
from tests.support.client import Client
from tests.support.form import PROGRAM
from tests.support.world import World

_HOTKEYS = {
    "Mousepad": [
        {"key": "editor.replace", "chord": "ctrl+r", "label": "Find and Replace", "kind": "modal"},
        {"key": "shared.end", "chord": "ctrl+end", "label": "To the end", "kind": "action"},
    ],
    "form": [{"key": "shared.end", "chord": "end", "label": "To the end", "kind": "action"}],
}


@pytest.fixture(scope="module")
def world(desktop: EmbeddedSession, platform: Platform, kept: Path) -> Iterator[World]:
    with ExitStack() as ends:
        for app, entries in _HOTKEYS.items():
            folder = kept / "data" / app
            folder.mkdir(parents=True)
            ends.callback(shutil.rmtree, folder)
            (folder / "hotkeys.json").write_text(json.dumps({"app": app, "app_version": "1", "entries": entries}))
        applications = ends.enter_context(Applications(desktop, platform))
        form = applications.start("python", PROGRAM, "A form")
        editor = applications.start("mousepad")
        client = ends.enter_context(Client("--clicks-per-second", "0", environment=desktop.environment))
        client.initialize()
        yield World(client, form, editor, client.acquire(ttl=3600))
