"""Which application a name means, and how one comes to the front, started if need be."""

import os
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from sys import executable

import pytest

from deskhand.desktop import apps, keyboard
from deskhand.model.app import InstalledApp
from deskhand.model.errors import AmbiguousApp, AppNotFound, Cancelled
from deskhand.model.keys import parse_chord
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.x11.windows import X11Windows
from tests.support import form
from tests.support.applications import Application, Applications, eventually


@pytest.fixture
def install(desktop: EmbeddedSession) -> Iterator[Callable[..., str]]:
    """Puts a program into the menu of the desktop, by a desktop file."""
    folder = Path(desktop.environment["HOME"]) / ".local/share/applications"
    folder.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []

    def make(bundle_id: str, name: str, command: str) -> str:
        path = folder / f"{bundle_id}.desktop"
        path.write_text(f"[Desktop Entry]\nType=Application\nName={name}\nExec={command}\n")
        made.append(path)
        return bundle_id

    yield make
    for path in made:
        path.unlink()


@pytest.fixture
def ended(platform: Platform) -> Iterator[set[int]]:
    """Ends what a test has started, except what ran before."""
    before = {app.app.pid for app in apps.running(platform)}
    others: set[int] = set()
    yield others
    for pid in ({app.app.pid for app in apps.running(platform)} | others) - before:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    eventually(lambda: {app.app.pid for app in apps.running(platform)} <= before, what="their end")


@pytest.fixture
def turn() -> Iterator[Turn]:
    turn = Turn()
    yield turn
    turn.close()


def _script(folder: Path, name: str, lines: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    "name",
    ["mousepad", "Mousepad", " MOUSEPAD ", "org.xfce.mousepad", "org.xfce.mousepad.desktop", "mouse", "{pid}"],
)
def test_an_application_goes_by_many_names(name: str, editor: Application, platform: Platform) -> None:
    found = apps.resolve(platform, name.format(pid=editor.pid))
    assert found.app.pid == editor.pid
    assert found.app.name == "Mousepad"
    assert found.app.bundle_id == "org.xfce.mousepad"
    assert not found.app.hidden
    assert found.accessible is not None
    assert found.accessible.name == "mousepad"


def test_a_window_class_is_a_name_too(applications: Applications, platform: Platform) -> None:
    terminal = applications.start("xterm", "-class", "Terminator", accessible=False)
    assert apps.resolve(platform, "terminator").app.pid == terminal.pid
    assert apps.resolve(platform, "xterm").accessible is None


@pytest.mark.parametrize("name", ["no such app", "", "   ", "4194304", "mousepadd"])
def test_what_does_not_run_is_not_found(name: str, editor: Application, platform: Platform) -> None:
    with pytest.raises(AppNotFound, match="App not found"):
        apps.resolve(platform, name)


def test_a_name_of_several_lists_them_with_their_pids(applications: Applications, platform: Platform) -> None:
    first, second = (applications.start("featherpad", "--standalone") for _ in range(2))
    with pytest.raises(AmbiguousApp) as raised:
        apps.resolve(platform, "featherpad")
    assert f"pid {first.pid}" in str(raised.value)
    assert f"pid {second.pid}" in str(raised.value)
    assert apps.resolve(platform, str(second.pid)).app.pid == second.pid
    assert issubclass(AmbiguousApp, AppNotFound)


def test_a_whole_name_wins_over_a_part_of_one(applications: Applications, platform: Platform) -> None:
    applications.start("xterm", "-class", "Mousepad-Helper", accessible=False)
    editor = applications.start("mousepad")
    assert apps.resolve(platform, "mousepad").app.pid == editor.pid


def test_all_windows_of_an_application_belong_to_it_topmost_first(editor: Application, platform: Platform) -> None:
    editor.activate()
    first = editor.running.windows[0].id
    keyboard.stroke(platform, parse_chord("ctrl+shift+n"))
    eventually(lambda: len(editor.running.windows) == 2, what="a second window")
    eventually(lambda: editor.running.windows[0].id != first, what="it on top")
    assert len([app for app in apps.running(platform) if app.app.pid == editor.pid]) == 1
    platform.windows.activate(first)
    eventually(lambda: editor.running.windows[0].id == first, what="the first on top")


def test_a_dialog_does_not_change_what_an_application_is_called(
    applications: Applications, tmp_path: Path, platform: Platform
) -> None:
    home = f"-env:UserInstallation={tmp_path.as_uri()}"
    office = applications.start(
        "libreoffice", "--norestore", "--nologo", "--nofirststartwizard", home, "--writer", seconds=60
    ).activate()
    name = office.running.app.name
    office.focus("paragraph")
    keyboard.stroke(platform, parse_chord("ctrl+h"))
    eventually(lambda: len(office.running.windows) == 2, seconds=20, what="the dialog")
    assert office.running.app.name == name
    for word in ("libreoffice", "libreoffice-writer", "soffice"):
        assert apps.resolve(platform, word).app.pid == office.pid


# ---------------------------------------------------------------- in front


def _minimize(platform: Platform, window: int) -> None:
    assert isinstance(platform.windows, X11Windows)
    platform.windows.minimize(window)


def test_the_application_in_front_is_the_one_with_the_keyboard(
    applications: Applications, platform: Platform, turn: Turn
) -> None:
    editor, terminal = applications.start("mousepad"), applications.start("xterm", accessible=False)
    for app in (editor, terminal, editor):
        done = apps.activate(platform, str(app.pid), turn)
        assert not done.launched
        assert done.running.app.active
        front = apps.frontmost(platform)
        assert front is not None
        assert front.app.pid == app.pid


def test_nothing_is_in_front_of_an_empty_desktop(platform: Platform) -> None:
    for app in apps.running(platform):
        pytest.skip(f"{app.app.name} runs")
    assert apps.frontmost(platform) is None


def test_a_minimised_application_is_brought_back(editor: Application, platform: Platform, turn: Turn) -> None:
    window = editor.running.windows[0]
    _minimize(platform, window.id)
    eventually(lambda: editor.running.app.hidden, what="a minimised window")
    done = apps.activate(platform, "mousepad", turn)
    assert not done.running.app.hidden
    assert done.running.app.active
    assert editor.running.windows[0].bounds == window.bounds


def test_of_several_windows_one_that_can_be_seen_comes_forward(editor: Application, platform: Platform) -> None:
    editor.activate()
    first = editor.running.windows[0].id
    keyboard.stroke(platform, parse_chord("ctrl+shift+n"))
    eventually(lambda: len(editor.running.windows) == 2, what="a second window")
    second = next(window.id for window in editor.running.windows if window.id != first)
    _minimize(platform, second)
    eventually(lambda: any(window.minimized for window in editor.running.windows), what="a minimised window")
    assert apps.bring_forward(platform, editor.running).id == first
    assert next(window for window in editor.running.windows if window.id == second).minimized


# ---------------------------------------------------------------- started


@pytest.mark.parametrize("name", ["org.xfce.mousepad", "Mousepad", "mousepad"])
def test_what_does_not_run_is_started(name: str, platform: Platform, turn: Turn, ended: set[int]) -> None:
    done = apps.activate(platform, name, turn)
    assert done.launched
    assert done.running.app.bundle_id == "org.xfce.mousepad"
    assert done.running.app.active
    assert done.running.accessible is not None
    again = apps.activate(platform, name, turn)
    assert not again.launched
    assert again.running.app.pid == done.running.app.pid


def test_what_is_not_installed_is_not_found(platform: Platform, turn: Turn) -> None:
    with pytest.raises(AppNotFound, match="App not found: nothing-of-that-name") as raised:
        apps.activate(platform, "nothing-of-that-name", turn)
    assert "app_list" in raised.value.recovery


def test_a_script_that_starts_another_program_becomes_that(
    install: Callable[..., str], platform: Platform, turn: Turn, ended: set[int], tmp_path: Path
) -> None:
    program = f"{executable} {form.PROGRAM} 'From a script'"
    script = _script(tmp_path, "starter", f"{program} &\nexit 0")
    done = apps.activate(platform, install("org.example.Starter", "Starter", str(script)), turn)
    assert done.launched
    assert done.running.windows[0].title == "From a script"


def test_a_program_that_hands_over_to_a_running_instance_becomes_that(
    editor: Application, install: Callable[..., str], platform: Platform, turn: Turn
) -> None:
    windows = {window.id for window in editor.running.windows}
    done = apps.activate(platform, install("org.example.Other", "Other Editor", "mousepad -o window"), turn)
    assert done.launched
    assert done.running.app.pid == editor.pid
    assert {window.id for window in done.running.windows} > windows


def test_a_script_that_hands_over_to_something_else_that_runs_becomes_that(
    editor: Application, install: Callable[..., str], platform: Platform, turn: Turn, tmp_path: Path
) -> None:
    script = _script(tmp_path, "handing-over", "mousepad -o window")
    done = apps.activate(platform, install("org.example.Handing", "Handing Over", str(script)), turn)
    assert done.running.app.pid == editor.pid
    assert len(done.running.windows) == 2


def test_a_window_that_another_application_opens_meanwhile_is_not_taken_for_it(
    editor: Application,
    install: Callable[..., str],
    platform: Platform,
    desktop: EmbeddedSession,
    turn: Turn,
    ended: set[int],
    tmp_path: Path,
) -> None:
    # The editor that runs opens another window first; then the one that was started comes.
    program = f"{executable} {form.PROGRAM} 'The one'"
    marker = tmp_path / "go"
    script = _script(tmp_path, "slow", f"while [ ! -e {marker} ]; do sleep 0.05; done\n{program}")
    bundle_id = install("org.example.Slow", "Slow Starter", str(script))

    def said(_: str) -> None:
        desktop.launch(["mousepad", "-o", "window"])
        eventually(lambda: len(editor.running.windows) == 2, what="the other window")
        marker.touch()

    done = apps.activate(platform, bundle_id, Turn(said))
    assert done.running.windows[0].title == "The one"


def test_starting_can_be_cancelled(
    install: Callable[..., str], platform: Platform, ended: set[int], tmp_path: Path
) -> None:
    script = _script(tmp_path, "never", "exit 0")
    bundle_id = install("org.example.Never", "Never Shows", str(script))
    cancelled = Turn(lambda _: cancelled.cancel())
    with pytest.raises(Cancelled):
        apps.activate(platform, bundle_id, cancelled)
    cancelled.close()


def test_a_program_that_hands_over_without_a_new_window_is_the_one_it_hands_over_to(
    editor: Application, install: Callable[..., str], platform: Platform, turn: Turn
) -> None:
    # Mousepad shows an empty document in the window that it has.
    done = apps.activate(platform, install("org.example.Again", "Again Editor", "mousepad"), turn)
    assert done.running.app.pid == editor.pid


class TestWhatPythonRuns:
    """Many applications are called like what runs them."""

    NOTES = InstalledApp("org.example.notes", "Notes", ("/usr/bin/python3", "/usr/share/notes.py"), "")

    def test_it_is_not_taken_for_the_first_that_python_runs(self) -> None:
        found = apps.identify("python3", 7, ["terminator", "Terminator"], "terminator", [self.NOTES])
        assert (found.id, found.name) == ("terminator", "terminator")
        assert apps.identify("notes", 7, ["Org.example.notes"], "", [self.NOTES]).id == "org.example.notes"

    def test_two_without_names_are_told_apart_by_their_processes(self) -> None:
        one, other = (apps.identify("python3", pid, ["Tk"], "", []) for pid in (7, 8))
        assert (one.id, one.shown, one.name) == ("python3 (process 7)", "python3 (process 7)", "Tk")
        assert one.id.casefold() in one.names - other.names
        # A window's class of its own, which not everybody looks at, changes nothing of that.
        assert one.id.casefold() in apps.identify("python3", 7, ["tool", "Tk"], "", []).names
