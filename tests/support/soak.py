"""An agent's days in fast motion: mixed calls over the real transport, on applications that come and go."""

import os
import random
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.support.applications import Application, Applications, wait_for
from tests.support.client import Client, Reply
from tests.support.form import PROGRAM

_LONG: Final = "many words " * 30
_SPARE: Final = "żółć αβγ "
_PASSING: Final = ((("featherpad", "--standalone"), True), (("xterm",), False))
_PASSING_EVERY: Final = 120
"""Calls between two applications that come and go."""


@dataclass
class Soak:
    """A client and the applications it works with. Call `run` as often as you like."""

    client: Client
    applications: Applications
    form: Application
    editor: Application
    dice: random.Random = field(default_factory=lambda: random.Random(1))
    calls: int = 0
    errors: int = 0
    session: str = ""
    recording: str = ""

    @classmethod
    def start(cls, client: Client, applications: Applications) -> "Soak":
        form = applications.start("python", PROGRAM, "A form")
        editor = applications.start("mousepad")
        return cls(client, applications, form, editor, session=client.acquire("soak", 3600))

    def run(self, calls: int) -> None:
        """Make at least so many calls, and end as it began: nothing watched, recorded or open but the two."""
        kinds, weights = zip(*self._kinds(), strict=True)
        until, passing = self.calls + calls, self.calls + min(_PASSING_EVERY, calls // 3)
        while self.calls < until:
            self.dice.choices(kinds, weights)[0]()
            if self.calls >= passing:
                passing = self.calls + _PASSING_EVERY
                self._passing_application()
        self._stop_recording()
        self._call("ax_unwatch", app_name=str(self.form.pid))

    def record(self, films: int) -> None:
        """Begin and end so many recordings."""
        for _ in range(2 * films):
            self._record()

    def _kinds(self) -> list[tuple[Callable[[], object], int]]:
        return [
            (self._look, 60),
            (self._look_around, 40),
            (self._picture, 20),
            (self._point, 20),
            (self._keys, 15),
            (self._fill, 3),
            (self._type, 2),
            (self._press, 3),
            (self._read_clipboard, 10),
            (self._watch, 5),
            (self._record, 1),
            (self._change_seats, 4),
            (self._mistake, 15),
        ]

    def _call(self, tool: str, **arguments: object) -> Reply:
        self.calls += 1
        reply = self.client.call(tool, **arguments)
        self.errors += reply.is_error
        return reply

    # ------------------------------------------------------------ what an agent does

    def _look(self) -> None:
        app = str(self.dice.choice((self.form, self.editor)).pid)
        self._call("inspect_ui", app_name=app)
        found = self._call("find_element", app_name=app, role="textbox")
        if not found.is_error and "handle_id" in found.fields:
            self._call("ax_cache", handle_id=found.handle)

    def _look_around(self) -> None:
        self._call(
            self.dice.choice(
                ("app_list", "list_windows_tool", "ax_focused", "get_screen_info", "system_state", "session_status",
                 "list_hotkeys", "capabilities", "app_frontmost", "now_playing")
            )
        )  # fmt: skip

    def _picture(self) -> None:
        if self.dice.random() < 0.5:
            self._call("screenshot")
        else:
            self._call("screenshot_window", window_id=self.form.running.windows[0].id)

    def _point(self) -> None:
        place = self.form.find(title="Pad").bounds
        assert place is not None
        at = {"x": place.x + self.dice.randrange(place.width), "y": place.y + self.dice.randrange(place.height)}
        self._call("scroll_at", **at, dy=1) if self.dice.random() < 0.5 else self._call("click_at", **at)

    def _keys(self) -> None:
        self._call("app_activate", app_name=str(self.editor.pid))
        self._call("key", keys=self.dice.choice(("end", "home", "ctrl+a", "ctrl+c", "left")))

    def _fill(self) -> None:
        self._call("fill", app_name=str(self.form.pid), role="textbox", text=f"number {self.calls}", settle_ms=10)

    def _type(self) -> None:
        self._call("app_activate", app_name=str(self.editor.pid))
        self._call("key", keys="ctrl+a")
        self._call("type_text_tool", text=self.dice.choice((_LONG, _SPARE, "short")))

    def _press(self) -> None:
        self._call("ax_press", app_name=str(self.form.pid), role="button")

    def _read_clipboard(self) -> None:
        self._call("clipboard_read")

    def _watch(self) -> None:
        app = str(self.form.pid)
        self._call("ax_watch", app_name=app)
        self._call("ax_events", wait_ms=1)
        if self.dice.random() < 0.5:
            self._call("ax_unwatch", app_name=app)

    def _record(self) -> None:
        if self.recording:
            self._stop_recording()
            return
        begun = self._call("record_start", x=0, y=0, width=320, height=200, fps=5)
        self.recording = begun.fields.get("recording_id", "").strip('"')

    def _stop_recording(self) -> None:
        if self.recording:
            self._call("record_stop", recording_id=self.recording)
            self.recording = ""

    def _change_seats(self) -> None:
        self._stop_recording()
        self._call("release_session", agent_id="soak", session_id=self.session)
        self.session = self._call("acquire_session", agent_id="soak", ttl=3600).fields["session_id"]

    def _mistake(self) -> None:
        self.dice.choice(
            (
                lambda: self._call("inspect_ui", app_name="no such app"),
                lambda: self._call("click_at", x=-5, y=999_999),
                lambda: self._call("ax_press", handle_id="h999"),
                lambda: self._call("screenshot", width="wide"),
                lambda: self._call("key", keys="no such key"),
            )
        )()

    def _passing_application(self) -> None:
        """An application is opened, looked into, and killed."""
        command, accessible = self.dice.choice(_PASSING)
        app = self.applications.start(*command, accessible=accessible)
        self._call("inspect_ui", app_name=str(app.pid))
        self._call("ax_watch", app_name=str(app.pid))
        os.kill(app.pid, signal.SIGKILL)
        wait_for(lambda: app.pid not in {one.pid for one in app.platform.windows.all()}, seconds=5)
        self._call("ax_events", wait_ms=1)
        self._call("ax_unwatch", app_name=str(app.pid))
