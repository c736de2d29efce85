"""An application that hangs costs a call 2 s at most, whatever the call asks of it, and calls to other apps nothing."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest

from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.linux.patience import MOST_SECONDS
from tests.support.applications import Application, Applications, eventually
from tests.support.client import Client, Reply
from tests.support.form import PROGRAM
from tests.support.freezing import frozen

_LONGEST: Final = MOST_SECONDS + 0.9
"""Where two deadlines add up, it is more than this each time; on a busy machine, now and then."""

_TRIES: Final = 3
_ANSWERED_WITHOUT_IT: Final = ("app_list", "list_windows_tool", "screenshot_window", "key", "session_status")


@dataclass(frozen=True)
class Hanging:
    """An application that is stopped at times, one that never is, and the agent that works with both."""

    client: Client
    app: Application
    other: Application

    def arguments(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call, with what only the running application tells."""
        frame = self.app.running.windows[0].frame
        known: dict[str, Callable[[], Any]] = {
            "APP": lambda: str(self.app.pid),
            "FIELD": lambda: self.handle("textbox"),
            "BUTTON": lambda: self.handle("button"),
            "WINDOW": lambda: self.app.running.windows[0].id,
            "X": lambda: frame.x + frame.width // 2,
            "Y": lambda: frame.y + frame.height // 2,
        }
        return {name: known[value]() if value in known else value for name, value in wanted.items()}

    def handle(self, role: str) -> str:
        return self.client.do("find_element", app_name=str(self.app.pid), role=role).handle

    def is_whole(self) -> bool:
        """Whether its tree can be read again."""
        reply = self.client.call("inspect_ui", app_name=str(self.app.pid))
        return not reply.is_error and "stopped answering" not in reply

    def call_while_stopped(self, tool: str, wanted: dict[str, Any]) -> tuple[float, Reply]:
        """How long a call took while the application was stopped, and what it said.

        A look into the other application, asked for after it, is answered before.
        """
        self.app.activate()
        self.client.do("app_activate", app_name=str(self.app.pid))  # the thread of the acts, too, has found it well
        arguments = self.arguments(wanted)
        with frozen(self.app.pid):
            start = time.monotonic()
            call = self.client.start_call(tool, **arguments)
            look = self.client.do("inspect_ui", app_name=str(self.other.pid))
            seconds_of_look = time.monotonic() - start
            reply = self.client.replies([call])[0]
            seconds = time.monotonic() - start
        assert "stopped answering" not in look
        assert seconds < 1 or seconds_of_look < seconds
        eventually(self.is_whole, what="its tree")
        return seconds, reply


@pytest.fixture(scope="module")
def hanging(desktop: EmbeddedSession, platform: Platform) -> Iterator[Hanging]:
    with Applications(desktop, platform) as applications:
        other = applications.start("gnome-calculator")
        app = applications.start("python", PROGRAM, "A form")
        with Client("--clicks-per-second", "0", environment=desktop.environment) as client:
            client.initialize()
            client.acquire(ttl=3600)
            yield Hanging(client, app, other)


_CALLS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("inspect_ui", {"app_name": "APP"}),
    ("find_element", {"app_name": "APP", "role": "button"}),
    ("ax_focused", {}),
    ("ax_menu_bar", {"app_name": "APP"}),
    ("ax_actions", {"handle_id": "BUTTON"}),
    ("hotkey_rescan", {"app_name": "APP"}),
    ("app_list", {}),
    ("list_windows_tool", {"app_name": "APP"}),
    ("screenshot_window", {"window_id": "WINDOW"}),
    ("app_activate", {"app_name": "APP"}),
    ("activate_and_inspect", {"app_name": "APP"}),
    ("ax_press", {"handle_id": "BUTTON"}),
    ("ax_set_value", {"app_name": "APP", "role": "textbox", "value": "never"}),
    ("interact", {"app_name": "APP", "role": "button"}),
    ("fill", {"handle_id": "FIELD", "text": "never"}),
    ("click_at", {"handle_id": "BUTTON"}),
    ("click_at", {"x": "X", "y": "Y"}),
    ("type_text_tool", {"text": "words"}),
    ("type_text_tool", {"text": "many words " * 40}),
    ("type_text_tool", {"text": "".join(map(chr, range(0x3B1, 0x3C9))) * 20}),
    ("key", {"keys": "end"}),
    ("run_applescript_tool", {"script": 'tell application "A form" to activate'}),
    ("ax_watch", {"app_name": "APP"}),
]


@pytest.mark.parametrize(("tool", "wanted"), _CALLS, ids=[f"{name}-{index}" for index, (name, _) in enumerate(_CALLS)])
def test_a_call_waits_for_it_once_and_others_do_not_wait(hanging: Hanging, tool: str, wanted: dict[str, Any]) -> None:
    seconds, reply = hanging.call_while_stopped(tool, wanted)
    for _ in range(_TRIES - 1):
        if seconds > _LONGEST:
            seconds, reply = hanging.call_while_stopped(tool, wanted)
    assert seconds < _LONGEST, reply
    if tool in _ANSWERED_WITHOUT_IT:
        assert not reply.is_error, reply


def test_who_has_stopped_with_the_clipboard_keeps_its_reader_as_long(hanging: Hanging) -> None:
    client = hanging.client
    hanging.app.focus("textbox")
    client.do("fill", app_name=str(hanging.app.pid), role="textbox", text="copied")
    client.do("key", keys="ctrl+a")
    client.do("key", keys="ctrl+c")
    eventually(lambda: client.do("clipboard_read").fields["text"] == "copied", what="a copy")
    seconds, reply = hanging.call_while_stopped("clipboard_read", {})
    assert reply.is_error
    assert "does not answer" in reply
    assert seconds < 2 * MOST_SECONDS
    assert client.do("clipboard_read").fields["text"] == "copied"


def test_when_it_goes_on_everything_works_again(hanging: Hanging) -> None:
    client, app = hanging.client, str(hanging.app.pid)
    field = hanging.handle("textbox")
    with frozen(hanging.app.pid):
        assert client.call("fill", handle_id=field, text="never").is_error
        assert client.call("fill", handle_id=field, text="never").is_error
    eventually(lambda: not client.call("ax_focus", handle_id=field).is_error, what="its answer")
    assert client.do("fill", app_name=app, role="textbox", text="again").fields["effect"] == "confirmed"
    assert client.do("type_text_tool", text=" and again").fields["effect"] == "confirmed"
    assert hanging.app.text().count("again") == 2
