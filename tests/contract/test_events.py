"""Windows and elements tell that something has happened to them, to whoever listens, and only then."""

import os
import select
import signal
import time
from collections.abc import Callable
from typing import Any

from deskhand.model.element import State
from deskhand.model.event import EventKind
from deskhand.model.geometry import Rect
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, eventually
from tests.support.freezing import frozen
from tests.support.x_window import XWindow


def comes(source: Any, seconds: float) -> bool:
    """Whether there is something to read within so many seconds."""
    poll = select.poll()
    poll.register(source.fileno(), select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def until(take: Callable[[], Any], fits: Callable[[Any], bool]) -> None:
    eventually(lambda: fits(take()), what="the event")


def test_windows_tell_when_one_comes_and_goes(platform: Platform, desktop: EmbeddedSession) -> None:
    with platform.windows.events() as events:
        events.take()
        with XWindow(desktop.environment, Rect(50, 60, 200, 100), title="news"):
            assert comes(events, 5)
            until(lambda: [one.title for one in platform.windows.all()], lambda titles: "news" in titles)
            assert events.take()
        until(lambda: [one.title for one in platform.windows.all()], lambda titles: "news" not in titles)
        assert events.take()


def test_elements_tell_what_has_happened_to_which(platform: Platform, form: Application) -> None:
    accessible = form.running.accessible
    assert accessible is not None
    box = form.find("checkbox").node
    with platform.accessibility.listen(accessible) as events:
        events.take()
        platform.accessibility.perform(box, 0)
        until(events.take, lambda changes: any((one.kind, one.node) == (EventKind.VALUE, box) for one in changes))
        assert not events.ended
    assert set(platform.accessibility.sends(accessible)) >= {EventKind.FOCUS, EventKind.TEXT, EventKind.VALUE}


def test_the_end_of_an_application_is_told(platform: Platform, form: Application) -> None:
    accessible = form.running.accessible
    assert accessible is not None
    with platform.accessibility.listen(accessible) as events:
        os.kill(form.pid, signal.SIGKILL)
        until(lambda: (events.take(), events.ended)[1], bool)


def test_a_glance_tells_all_at_once_and_nothing_of_what_has_gone(platform: Platform, form: Application) -> None:
    box, field = form.find("checkbox"), form.find("textbox", "Password")
    gone = box.node._replace(path="/org/a11y/atspi/accessible/999999")
    seen = platform.accessibility.glance([field.node, gone, box.node], 2.0)
    assert [one and (one.role, one.title, one.value) for one in seen] == [
        ("textbox", "Password", "(hidden)"), None, ("checkbox", "Agree", "unchecked"),
    ]  # fmt: skip
    assert platform.accessibility.glance([], 2.0) == []


def test_the_windows_of_an_application_are_elements_too(platform: Platform, form: Application) -> None:
    accessible = form.running.accessible
    assert accessible is not None
    (window,) = platform.accessibility.windows(accessible, 2.0)
    assert (window.role, window.title) == ("window", "A form")
    assert window.states & State.VISIBLE


def test_listening_to_a_frozen_application_takes_no_long_time(platform: Platform, form: Application) -> None:
    accessible = form.running.accessible
    assert accessible is not None
    with frozen(form.pid):
        start = time.monotonic()
        with platform.accessibility.listen(accessible) as events:
            assert events.take() == []
        assert time.monotonic() - start < 2
