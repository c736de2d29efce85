"""What is in a password box is told by no tool, in any toolkit; it can be typed into all the same."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand.desktop.elements import looking
from deskhand.model.element import Element
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support import toolkits
from tests.support.applications import Application, Applications, eventually
from tests.support.client import Client
from tests.support.form import PROGRAM

_SECRET = "opn-s3same"
_MASKS = ("••", "●●", "⚫⚫", "**")


def _gtk3(started: Applications, folder: Path) -> Application:
    return started.start("python", PROGRAM, "A form")


def _gtk4(started: Applications, folder: Path) -> Application:
    return started.start("gtk4-demo", "--run=password_entry")


def _qt(started: Applications, folder: Path) -> Application:
    if shutil.which("pinentry-qt") is None:
        pytest.skip("pinentry-qt is not installed")
    script = folder / "ask"
    script.write_text("#!/bin/sh\n(echo GETPIN; exec sleep 600) | exec pinentry-qt\n")
    script.chmod(0o755)
    return started.start(str(script))


def _browser(toolkit: toolkits.Toolkit) -> Callable[[Applications, Path], Application]:
    return lambda started, folder: started.start(*toolkit.command(folder), seconds=90)


_STARTS = {
    "gtk3": _gtk3,
    "gtk4": _gtk4,
    "qt": _qt,
    "chromium": _browser(toolkits.CHROMIUM),
    "firefox": _browser(toolkits.FIREFOX),
}


@pytest.fixture(params=_STARTS)
def app(
    request: pytest.FixtureRequest, desktop: EmbeddedSession, platform: Platform, tmp_path: Path
) -> Iterator[Application]:
    with Applications(desktop, platform) as started:
        yield _STARTS[request.param](started, tmp_path)


def _password_box(app: Application) -> Element | None:
    rows = looking.look(app.platform, app.running, full=True, limit=2000).shown
    return next((row.element for row in rows if row.element.native_role == "password text"), None)


def test_what_is_in_a_password_box_is_told_nowhere(
    app: Application, new_client: Callable[..., Client], kept: Path, tmp_path: Path
) -> None:
    # Of the programs that ask for passwords the default policy would keep it away.
    policy = tmp_path / "policy.toml"
    policy.write_text("include_default = false\n")
    client = new_client("--policy", str(policy))
    client.acquire()
    box = eventually(lambda: _password_box(app), seconds=60, what="the password box")
    assert box is not None
    assert box.bounds is not None
    app.activate()
    name = {"app_name": str(app.pid)}
    client.do("click_at", x=box.bounds.center.x, y=box.bounds.center.y)
    replies = [client.do("type_text_tool", text=_SECRET)]
    eventually(lambda: app.platform.accessibility.element(box.node).focused, what="the focus")

    def handle() -> dict[str, str]:
        return {"handle_id": client.do("ax_focused").handle}

    for tool, arguments in (
        ("fill", {"text": _SECRET}),
        ("interact", {"action": "set_value", "value": _SECRET}),
        ("ax_set_value", {"value": _SECRET}),
        ("ax_perform", {"action": "Peek"}),  # GTK 4 can show it on the screen; that is not told either
    ):
        replies.append(client.call(tool, **handle(), **arguments))
    for tool, arguments in (
        ("inspect_ui", name),
        ("inspect_ui", name | {"detail": "full"}),
        ("inspect_ui", name | {"detail": "full", "format": "nested"}),
        ("find_elements", name | {"role": "textbox"}),
        ("find_elements", name | {"title": _SECRET[:4]}),
        ("find_elements", name | {"role": "text"}),
        ("ax_focused", {}),
        ("ax_cache", handle()),
        ("ax_actions", handle()),
    ):
        reply = client.do(tool, **arguments)
        replies.append(reply)
        if tool in ("ax_focused", "ax_cache"):
            assert "(hidden)" in reply, (tool, reply)
    for reply in replies:
        assert _SECRET not in reply, reply
        # Neither how long it is.
        assert not [mask for mask in _MASKS if mask in reply], reply
    for line in (kept / "state" / "deskhand" / "audit.jsonl").read_bytes().splitlines():
        assert _SECRET not in json.dumps(json.loads(line), ensure_ascii=False)
