"""What every list of installed applications must get right: whom a menu would show, and starting them so that they show."""

import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil
import pytest

from deskhand.model.app import InstalledApp
from deskhand.model.errors import Unsupported
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.linux.desktop_files import InstalledApps, command_line
from deskhand.platforms.x11.apps import X11Apps
from tests.support.applications import eventually

Write = Callable[..., Path]


@pytest.fixture
def places(tmp_path: Path) -> Mapping[str, str]:
    """An environment whose desktop files are the test's own."""
    return {
        "XDG_DATA_HOME": str(tmp_path / "user"),
        "XDG_DATA_DIRS": f"{tmp_path / 'system'}:{tmp_path / 'more'}",
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "LANG": "de_DE.UTF-8",
    }


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a desktop file."""

    def write_file(place: str, name: str, **entry: str) -> Path:
        path = tmp_path / place / "applications" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = {"Type": "Application", "Name": name.removesuffix(".desktop"), "Exec": "true"} | entry
        path.write_text("[Desktop Entry]\n" + "".join(f"{key}={value}\n" for key, value in lines.items()))
        return path

    return write_file


def ids(installed: InstalledApps) -> list[str]:
    return [app.bundle_id for app in installed.all()]


# ---------------------------------------------------------------- the list


def test_the_applications_of_this_machine_are_listed(platform: Platform) -> None:
    apps = {app.bundle_id: app for app in platform.apps.installed()}
    if "org.xfce.mousepad" not in apps:
        pytest.skip("mousepad is not installed")
    assert apps["org.xfce.mousepad"].name == "Mousepad"
    assert apps["org.xfce.mousepad"].command[0] == "mousepad"
    names = [app.name.casefold() for app in platform.apps.installed()]
    assert names == sorted(names)


def test_the_user_s_own_file_wins(places: Mapping[str, str], write: Write) -> None:
    write("system", "editor.desktop", Name="System's")
    write("more", "editor.desktop", Name="More")
    write("user", "editor.desktop", Name="Mine")
    assert [(app.bundle_id, app.name) for app in InstalledApps(places).all()] == [("editor", "Mine")]


@pytest.mark.parametrize("word", ["Hidden", "NoDisplay"])
def test_an_application_that_the_user_has_hidden_is_not_listed(
    word: str, places: Mapping[str, str], write: Write
) -> None:
    write("system", "editor.desktop")
    write("user", "editor.desktop", **{word: "true"})
    assert ids(InstalledApps(places)) == []


def test_only_what_a_menu_would_show_is_listed(places: Mapping[str, str], write: Write) -> None:
    write("system", "shown.desktop")
    write("system", "link.desktop", Type="Link", URL="https://example.org")
    write("system", "gone.desktop", TryExec="/no/such/program")
    write("system", "gone2.desktop", TryExec="no-such-program")
    write("system", "there.desktop", TryExec="sh")
    write("system", "nothing.desktop", Exec="")
    write("system", "unbalanced.desktop", Exec="sh 'c")
    (write("system", "broken.desktop")).write_bytes(b"\xff\xfe no desktop file")
    (write("system", "readme.txt")).write_text("not one at all")
    assert ids(InstalledApps(places)) == ["shown", "there"]


def test_a_file_in_a_folder_has_the_folder_in_its_id(places: Mapping[str, str], write: Write) -> None:
    write("system", "kde/konsole.desktop")
    assert ids(InstalledApps(places)) == ["kde-konsole"]


def test_names_come_in_the_user_s_language(places: Mapping[str, str], write: Write) -> None:
    write("system", "a.desktop", **{"Name": "Calculator", "Name[de]": "Rechner", "Name[fr]": "Calculatrice"})
    write("system", "b.desktop", **{"Name": "Paint", "Name[fr]": "Peinture"})
    assert [app.name for app in InstalledApps(places).all()] == ["Paint", "Rechner"]


def test_what_is_installed_later_is_found(places: Mapping[str, str], write: Write) -> None:
    installed = InstalledApps(places)
    assert ids(installed) == []
    write("system", "first.desktop")
    eventually(lambda: ids(installed) == ["first"], what="the first")
    write("system", "folder/second.desktop")
    eventually(lambda: ids(installed) == ["first", "folder-second"], what="the second")
    third = write("system", "folder/third.desktop")
    eventually(lambda: ids(installed) == ["first", "folder-second", "folder-third"], what="the third")
    third.unlink()
    eventually(lambda: ids(installed) == ["first", "folder-second"], what="the third's end")


# ---------------------------------------------------------------- commands


@pytest.mark.parametrize(
    ("command", "arguments", "expected"),
    [
        (("app", "%f"), ["a", "b"], ["app", "a"]),
        (("app", "%F", "-x"), ["a", "b"], ["app", "a", "b", "-x"]),
        (("app", "%u"), [], ["app"]),
        (("app", "%U"), ["file:///a"], ["app", "file:///a"]),
        (("app",), ["a"], ["app", "a"]),
        (("app", "--name", "%c", "%i", "%k"), [], ["app", "--name", "App"]),
        (("app", "100%%"), [], ["app", "100%"]),
    ],
)
def test_files_are_put_where_the_command_wants_them(
    command: tuple[str, ...], arguments: list[str], expected: list[str]
) -> None:
    assert command_line(InstalledApp("app", "App", command, ""), arguments) == expected


def test_quotes_in_a_command_are_read(places: Mapping[str, str], write: Write) -> None:
    write("system", "a.desktop", Exec='"/opt/my app/run" --title "two words" %U')
    (app,) = InstalledApps(places).all()
    assert command_line(app, ["x"]) == ["/opt/my app/run", "--title", "two words", "x"]


# ---------------------------------------------------------------- starting


class Started:
    """A program that writes down how it was started, and the way to start it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.told = folder / "told"
        self.program = folder / name
        self.program.write_text(f'#!/bin/sh\n{{ pwd; env; echo "arguments: $*"; }} > {self.told}.part\n')
        with self.program.open("a") as file:
            file.write(f"mv {self.told}.part {self.told}\n")
        self.program.chmod(0o755)

    def app(self, *, in_terminal: bool = False) -> InstalledApp:
        return InstalledApp("test", "Test", (str(self.program), "%U"), "", in_terminal)

    def lines(self) -> list[str]:
        """What it has written, once it has."""
        eventually(self.told.exists, what="the start")
        return self.told.read_text().splitlines()


@pytest.fixture(params=["embedded", "x11"])
def apps(request: pytest.FixtureRequest, desktop: EmbeddedSession, platform: Platform) -> X11Apps:
    """The port on a desktop of our own, and as it is on the user's."""
    if request.param == "embedded":
        assert isinstance(platform.apps, X11Apps)
        return platform.apps
    return X11Apps(desktop.environment, InstalledApps(desktop.environment))


def test_a_program_is_started_on_the_desktop(apps: X11Apps, desktop: EmbeddedSession, tmp_path: Path) -> None:
    started = Started(tmp_path, "program")
    pid = apps.launch(started.app(), ["one", "two words"], tmp_path)
    lines = started.lines()
    assert lines[0] == str(tmp_path)
    assert lines[-1] == "arguments: one two words"
    for name in ("DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS"):
        assert f"{name}={desktop.environment[name]}" in lines
    assert "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1" in lines
    eventually(lambda: not psutil.pid_exists(pid), what="its end without a zombie")


def test_an_installed_application_comes_up_and_can_be_looked_into(apps: X11Apps, platform: Platform) -> None:
    installed = {app.bundle_id: app for app in apps.installed()}
    if "org.xfce.mousepad" not in installed:
        pytest.skip("mousepad is not installed")
    pid = apps.launch(installed["org.xfce.mousepad"])
    try:
        eventually(lambda: pid in {window.pid for window in platform.windows.all()}, what="its window")
        eventually(lambda: pid in {app.pid for app in platform.accessibility.apps()}, what="its tree")
    finally:
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: pid not in {window.pid for window in platform.windows.all()}, what="its end")


def test_a_program_starts_in_the_home_folder(apps: X11Apps, desktop: EmbeddedSession, tmp_path: Path) -> None:
    started = Started(tmp_path, "program")
    apps.launch(started.app())
    assert started.lines()[0] == desktop.environment["HOME"]


@pytest.mark.parametrize("name", ["chromium", "google-chrome-stable", "electron"])
def test_a_chromium_shows_its_pages(name: str, apps: X11Apps, tmp_path: Path) -> None:
    started = Started(tmp_path, name)
    apps.launch(started.app(), ["https://example.org"])
    told = started.lines()[-1].split()
    assert "--force-renderer-accessibility" in told
    assert ("--no-sandbox" in told) == (os.geteuid() == 0)
    assert told[-1] == "https://example.org"


def test_an_electron_application_is_known_by_its_files(apps: X11Apps, tmp_path: Path) -> None:
    started = Started(tmp_path, "notes")
    (tmp_path / "chrome_100_percent.pak").touch()
    apps.launch(started.app())
    assert "--force-renderer-accessibility" in started.lines()[-1]


def test_a_program_without_windows_gets_a_terminal(apps: X11Apps, tmp_path: Path) -> None:
    started = Started(tmp_path, "vi")
    apps.launch(started.app(in_terminal=True), ["a file"])
    lines = started.lines()
    assert lines[-1] == "arguments: a file"
    assert any(line.startswith("WINDOWID=") for line in lines)


def test_a_program_that_is_not_there_cannot_be_started(apps: X11Apps) -> None:
    with pytest.raises(Unsupported, match="/no/such/program did not start"):
        apps.launch(InstalledApp("gone", "Gone", ("/no/such/program",), ""))


def test_without_a_terminal_it_says_what_to_install(desktop: EmbeddedSession, tmp_path: Path) -> None:
    environment = {**desktop.environment, "PATH": str(tmp_path)}
    started = Started(tmp_path, "vi")
    with pytest.raises(Unsupported, match="Test runs in a terminal, and none is installed"):
        X11Apps(environment, InstalledApps(environment)).launch(started.app(in_terminal=True))
