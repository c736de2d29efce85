"""Real applications on the test desktop: started, waited for, ended."""

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self, TypeVar

import pytest

from deskhand.desktop import apps
from deskhand.desktop.apps import RunningApp
from deskhand.desktop.elements import looking
from deskhand.model.element import Element, Query
from deskhand.model.errors import DeskError
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession

T = TypeVar("T")


def wait_for(look: Callable[[], T], *, seconds: float) -> T | None:
    """What `look` returns as soon as that is true, None where it does not become so in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(DeskError):
            if found := look():
                return found
        time.sleep(0.02)
    return None


def eventually(look: Callable[[], T], *, seconds: float = 10.0, what: str = "it") -> T:
    """What `look` returns as soon as that is true; fails the test where it does not become so in time."""
    deadline = time.monotonic() + seconds
    last: object = None
    while time.monotonic() < deadline:
        try:
            found = look()
            if found:
                return found
            last = found
        except DeskError as error:
            last = error
        time.sleep(0.02)
    pytest.fail(f"{what} did not happen within {seconds:g} s (last: {last!r})")


@dataclass(slots=True)
class Application:
    """One application on the test desktop."""

    platform: Platform
    pid: int
    name: str

    @property
    def running(self) -> RunningApp:
        """The application as it is now."""
        return apps.resolve(self.platform, str(self.pid))

    def find(self, role: str | None = None, title: str | None = None) -> Element:
        """An element of it. Fails the test where there is none."""
        found = self._found(role, title)
        assert found, f"no {Query(role, title).words()} in {self.name}"
        return found[0]

    def _found(self, role: str | None, title: str | None) -> list[Element]:
        view = looking.find(self.platform, self.running, Query(role, title), limit=1)
        return [row.element for row in view.shown]

    def text(self, role: str = "textbox") -> str:
        """The whole text of its first text field."""
        return self.platform.accessibility.text(self.find(role).node) or ""

    def activate(self) -> "Application":
        """Bring it to the front, and wait until one of its elements has the keyboard."""
        apps.bring_forward(self.platform, self.running)
        eventually(lambda: (found := apps.frontmost(self.platform)) and found.app.pid == self.pid, what="activation")
        return self

    def focus(self, role: str = "textbox", title: str | None = None) -> Element:
        """Give one of its elements the keyboard, by a real click, as soon as it is there: a page comes after its window."""
        from deskhand.desktop import pointer

        self.activate()
        what = f"a {Query(role, title).words()} that can be seen"
        element = eventually(lambda: [one for one in self._found(role, title) if one.bounds], what=what)[0]
        pointer.click(self.platform, pointer.place_of(self.platform, element, self.running))
        eventually(lambda: self.platform.accessibility.element(element.node).focused, what="focus")
        return self.platform.accessibility.element(element.node)


@dataclass(slots=True)
class Applications:
    """Everything that one test has started: ended with the block that it is used in, also where starting fails."""

    desktop: EmbeddedSession
    platform: Platform
    started: list[int] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def start(
        self, *command: str, environment: Mapping[str, str] | None = None, accessible: bool = True, seconds: float = 30
    ) -> Application:
        """Start an application and wait until it has a window (and can be looked into).

        Skips the test where the program is not installed.
        """
        if shutil.which(command[0]) is None:
            pytest.skip(f"{command[0]} is not installed")
        known = {window.id for window in self.platform.windows.all()}
        pid = self.desktop.launch(command, environment or {})
        self.started.append(pid)

        def appeared() -> RunningApp | None:
            for app in apps.running(self.platform):
                is_new = app.app.pid == pid or any(window.id not in known for window in app.windows)
                if is_new and (
                    not accessible or (app.accessible and looking.look(self.platform, app, full=True).shown)
                ):
                    return app
            return None

        app = eventually(appeared, seconds=seconds, what=f"a window of {command[0]}")
        assert app is not None
        if app.app.pid != pid:
            self.started.append(app.app.pid)
        return Application(self.platform, app.app.pid, app.app.name)

    def end(self) -> None:
        """End everything that was started, by its process."""
        for pid in self.started:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, signal.SIGKILL)
        gone: Sequence[int] = self.started
        eventually(lambda: not {window.pid for window in self.platform.windows.all()} & set(gone), what="their end")
