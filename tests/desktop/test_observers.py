"""Watched applications tell what happens in them, at once, and leave nothing behind when nobody watches any more."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand.desktop import keyboard
from deskhand.desktop.elements import looking
from deskhand.desktop.observers.mailbox import Mailbox
from deskhand.desktop.observers.observers import MOST_WATCHED, Observers
from deskhand.model.element import Query
from deskhand.model.errors import AppNotFound, Cancelled, NotFound
from deskhand.model.event import Event, EventKind
from deskhand.model.keys import parse_chord
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.linux.atspi import names
from deskhand.platforms.linux.dbus import Call, Connection
from tests.support.applications import Application, Applications, eventually
from tests.support.freezing import frozen
from tests.support.toolkits import CHROMIUM, GTK4, QT, Toolkit


@pytest.fixture
def observers(desktop: EmbeddedSession) -> Iterator[Observers]:
    observers = Observers(desktop.connect)
    yield observers
    observers.close()
    assert not watching_threads()


class Watcher:
    """A client that watches, and gathers what it reads."""

    def __init__(self, observers: Observers, platform: Platform) -> None:
        self.observers, self.platform = observers, platform
        self.mailbox = Mailbox()
        self.seen: list[Event] = []

    def watch(self, app: Application) -> None:
        self.observers.watch(self.mailbox, self.platform, str(app.pid))

    def read(self, name: str | None = None, seconds: float = 0.0, turn: Turn | None = None) -> list[Event]:
        found = self.observers.read(self.mailbox, name, 1000, seconds, turn or Turn()).events
        self.seen += found
        return list(found)

    def wait_for(self, kind: EventKind, fits: Callable[[Event], bool] = lambda event: True) -> Event:
        """The next event of a kind; fails the test where none comes."""

        def look() -> Event | None:
            self.read(seconds=0.2)
            return next((event for event in self.seen if event.kind is kind and fits(event)), None)

        found = eventually(look, what=f"the event {kind}")
        assert found is not None
        return found


@pytest.fixture
def watcher(observers: Observers, platform: Platform) -> Watcher:
    return Watcher(observers, platform)


def watching_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("watch ")]


def press(platform: Platform, chord: str) -> None:
    keyboard.stroke(platform, parse_chord(chord))


def write(platform: Platform, text: str) -> None:
    window = platform.windows.active()
    assert window is not None
    platform.keyboard.type(text, window.id, lambda: None)


def is_still_there(platform: Platform, event: Event) -> bool:
    """Whether what an event names can be acted on."""
    assert event.element is not None
    now = platform.accessibility.element(event.element.node)
    return (now.role, now.title) == (event.role, event.title)


class TestAnEditor:
    """GTK 3."""

    def test_typing_is_told_with_what_the_field_holds_then(
        self, watcher: Watcher, platform: Platform, editor: Application
    ) -> None:
        editor.focus()
        watcher.watch(editor)
        write(platform, "hello")
        event = watcher.wait_for(EventKind.TEXT, lambda event: event.value == "hello")
        assert (event.role, event.app) == ("textbox", "Mousepad")
        assert abs(event.time - time.time()) < 30
        assert is_still_there(platform, event)

    def test_a_dialog_opens_gets_the_keyboard_and_closes(
        self, watcher: Watcher, platform: Platform, editor: Application
    ) -> None:
        editor.focus()
        watcher.watch(editor)
        press(platform, "ctrl+r")
        opened = watcher.wait_for(EventKind.WINDOW_OPENED)
        assert (opened.role, opened.title) == ("dialog", "Find and Replace")
        assert watcher.wait_for(EventKind.WINDOW_ACTIVATED).title == "Find and Replace"
        focus = watcher.wait_for(EventKind.FOCUS)
        assert focus.role == "textbox"
        assert is_still_there(platform, focus)
        press(platform, "escape")
        closed = watcher.wait_for(EventKind.WINDOW_CLOSED)
        assert (closed.title, closed.element) == ("Find and Replace", None)

    def test_an_opened_window_gets_its_element_as_soon_as_there_is_one(
        self, watcher: Watcher, platform: Platform, editor: Application
    ) -> None:
        editor.focus()
        watcher.watch(editor)
        press(platform, "ctrl+r")
        eventually(lambda: any("Find and" in one.title for one in platform.windows.all()), what="the dialog")
        time.sleep(0.5)
        opened = watcher.wait_for(EventKind.WINDOW_OPENED)
        assert is_still_there(platform, opened)

    def test_a_moved_window_is_told_once_with_its_last_place(
        self, watcher: Watcher, platform: Platform, editor: Application, desktop: EmbeddedSession
    ) -> None:
        from deskhand.platforms.x11.connection import XServer

        watcher.watch(editor)
        window = editor.running.windows[0]
        server = XServer(desktop.environment)
        for x in range(200, 260, 10):
            server.send_to_root(window.id, "_NET_MOVERESIZE_WINDOW", [0x300, x, 150, 0, 0])
        eventually(lambda: platform.windows.all()[0].frame.x >= 250, what="the move")
        server.close()
        time.sleep(0.2)
        moved = [event for event in watcher.read() if event.kind is EventKind.WINDOW_MOVED]
        assert len(moved) == 1
        assert moved[0].value == " ".join(map(str, platform.windows.all()[0].bounds))

    def test_another_process_takes_its_place(
        self, watcher: Watcher, platform: Platform, editor: Application, applications: Applications
    ) -> None:
        watcher.watch(editor)
        os.kill(editor.pid, signal.SIGKILL)
        watcher.wait_for(EventKind.APP_ENDED)
        again = applications.start("mousepad")
        watcher.wait_for(EventKind.APP_STARTED)
        assert watcher.wait_for(EventKind.WINDOW_OPENED).app == "Mousepad"
        again.focus()
        eventually(lambda: watcher.mailbox.watches[0].kinds[0] is EventKind.FOCUS, what="hearing")
        write(platform, "again")
        watcher.wait_for(EventKind.TEXT, lambda event: event.value == "again")

    def test_an_editor_that_does_not_run_yet_can_be_watched(
        self, watcher: Watcher, platform: Platform, applications: Applications
    ) -> None:
        assert watcher.observers.watch(watcher.mailbox, platform, "mousepad").pid is None
        applications.start("mousepad")
        watcher.wait_for(EventKind.APP_STARTED)
        watcher.wait_for(EventKind.WINDOW_OPENED)


@pytest.mark.parametrize("toolkit", [GTK4, QT, CHROMIUM], ids=str)
def test_every_toolkit_tells_focus_and_text(
    toolkit: Toolkit, watcher: Watcher, platform: Platform, applications: Applications, tmp_path: Path
) -> None:
    app = applications.start(*toolkit.command(tmp_path), environment=toolkit.environment, seconds=60)
    if toolkit is CHROMIUM:
        eventually(lambda: looking.find(platform, app.running, Query("textbox", "Name"), 1).shown, what="the page")
        app.focus("textbox", "Name")
    app.activate()
    watcher.watch(app)
    write(platform, "12")
    text = watcher.wait_for(EventKind.TEXT, lambda event: (event.value or "").endswith("12"))
    assert is_still_there(platform, text)
    press(platform, "ctrl+f" if toolkit is QT else "tab")
    assert watcher.wait_for(EventKind.FOCUS).element is not None


class TestAForm:
    """Values, and what may not be told."""

    def test_a_checked_box_and_a_moved_slider_are_told(
        self, watcher: Watcher, platform: Platform, form: Application
    ) -> None:
        watcher.watch(form)
        platform.accessibility.set_number(form.find("slider").node, 42)
        assert watcher.wait_for(EventKind.VALUE, lambda event: event.role == "slider").value == "42"
        platform.accessibility.perform(form.find("checkbox").node, 0)
        assert watcher.wait_for(EventKind.VALUE, lambda event: event.role == "checkbox").value == "checked"

    def test_what_is_typed_into_a_password_field_is_not_told(
        self, watcher: Watcher, platform: Platform, form: Application
    ) -> None:
        form.focus("textbox", "Password")
        watcher.watch(form)
        write(platform, "hush")
        assert watcher.wait_for(EventKind.TEXT).value == "(hidden)"
        assert "hush" not in repr(watcher.seen)

    def test_a_frozen_application_keeps_nobody_waiting(
        self, watcher: Watcher, platform: Platform, form: Application, editor: Application
    ) -> None:
        editor.focus()
        watcher.watch(form)
        watcher.watch(editor)
        with frozen(form.pid):
            write(platform, "quick")
            watcher.wait_for(EventKind.TEXT, lambda event: event.value == "quick")
            start = time.monotonic()
            watcher.observers.unwatch(watcher.mailbox, str(form.pid))
            assert time.monotonic() - start < 1.5


class TestReading:
    """How events come to who reads them."""

    def test_a_wait_ends_with_the_event(self, watcher: Watcher, platform: Platform, editor: Application) -> None:
        editor.focus()
        watcher.watch(editor)
        found: list[Event] = []
        thread = threading.Thread(target=lambda: found.extend(watcher.read(seconds=30)))
        thread.start()
        time.sleep(0.2)
        assert not found
        write(platform, "x")
        thread.join(5)
        assert found

    def test_a_wait_without_events_ends_in_time(self, watcher: Watcher, editor: Application) -> None:
        watcher.watch(editor)
        watcher.read()
        start = time.monotonic()
        assert watcher.read(seconds=0.3) == []
        assert 0.25 < time.monotonic() - start < 2

    def test_a_cancelled_wait_ends_at_once(self, watcher: Watcher, editor: Application) -> None:
        watcher.watch(editor)
        turn = Turn()
        threading.Timer(0.2, turn.cancel).start()
        start = time.monotonic()
        watcher.read(seconds=0.1)
        with pytest.raises(Cancelled):
            watcher.read(seconds=30, turn=turn)
        assert time.monotonic() - start < 5

    def test_a_wait_ends_when_the_application_is_not_watched_any_more(
        self, watcher: Watcher, editor: Application
    ) -> None:
        watcher.watch(editor)
        watcher.read()
        threading.Timer(0.2, lambda: watcher.observers.unwatch(watcher.mailbox, "mousepad")).start()
        assert watcher.read(seconds=30) == []
        with pytest.raises(NotFound, match="mousepad is not watched"):
            watcher.read("mousepad")

    def test_each_of_two_clients_reads_everything(
        self, watcher: Watcher, observers: Observers, platform: Platform, editor: Application
    ) -> None:
        other = Watcher(observers, platform)
        editor.focus()
        watcher.watch(editor)
        other.watch(editor)
        assert len(watching_threads()) == 1
        write(platform, "both")
        for one in (watcher, other):
            one.wait_for(EventKind.TEXT, lambda event: event.value == "both")
        observers.leave(other.mailbox)
        write(platform, "!")
        watcher.wait_for(EventKind.TEXT, lambda event: event.value == "both!")

    def test_of_more_events_than_asked_for_the_rest_stays(
        self, watcher: Watcher, platform: Platform, editor: Application
    ) -> None:
        editor.focus()
        watcher.watch(editor)
        press(platform, "ctrl+r")
        time.sleep(0.5)
        first = watcher.observers.read(watcher.mailbox, None, 1, 0, Turn())
        assert len(first.events) == 1
        assert first.left == len(watcher.read())


class Bus:
    """Who is on the accessibility bus, and what they have asked applications for."""

    def __init__(self, desktop: EmbeddedSession) -> None:
        self._bus = Connection(desktop.environment["AT_SPI_BUS_ADDRESS"])

    def listeners(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = self._bus.call(
            Call(names.REGISTRY, names.REGISTRY_PATH, names.REGISTRY, "GetRegisteredEvents")
        )
        return found

    def connections(self) -> set[str]:
        bus = "org.freedesktop.DBus"
        return set(self._bus.call(Call(bus, "/org/freedesktop/DBus", bus, "ListNames")))

    def close(self) -> None:
        self._bus.close()


class TestWhatIsLeft:
    """Nothing, once nobody watches."""

    @pytest.mark.parametrize("way", ["unwatch", "leave", "close"])
    def test_nothing(
        self, way: str, watcher: Watcher, desktop: EmbeddedSession, platform: Platform, editor: Application
    ) -> None:
        with contextlib.closing(Bus(desktop)) as bus:
            descriptors = len(os.listdir("/proc/self/fd"))
            listeners, connections = bus.listeners(), bus.connections()
            watcher.watch(editor)
            assert len(bus.listeners()) > len(listeners)
            assert watching_threads() == ["watch Mousepad"]
            if way == "unwatch":
                watcher.observers.unwatch(watcher.mailbox, "mousepad")
            elif way == "leave":
                watcher.observers.leave(watcher.mailbox)
            else:
                watcher.observers.close()
            assert not watching_threads()
            assert len(os.listdir("/proc/self/fd")) == descriptors
            assert bus.connections() == connections
            eventually(lambda: bus.listeners() == listeners, what="the registry's forgetting")

    def test_a_client_that_has_gone_watches_nothing_more(self, watcher: Watcher, editor: Application) -> None:
        watcher.observers.leave(watcher.mailbox)
        with pytest.raises(Cancelled):
            watcher.watch(editor)
        assert not watching_threads()

    def test_what_is_nowhere_cannot_be_watched(self, watcher: Watcher, platform: Platform) -> None:
        with pytest.raises(AppNotFound):
            watcher.observers.watch(watcher.mailbox, platform, "no such app")
        assert MOST_WATCHED == 32
