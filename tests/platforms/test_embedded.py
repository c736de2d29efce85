"""A desktop of our own leaves nothing behind and lets nothing in, however it or its owner ends."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from deskhand.model.errors import DesktopLost, PermissionMissing, Unsupported
from deskhand.model.geometry import Rect, Size
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.desktop import EmbeddedDesktop, start_embedded
from deskhand.platforms.embedded.session import RESERVED_KEYS, EmbeddedSession
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.keyboard.keyboard import X11Keyboard
from tests.support.applications import eventually

SMALL = Size(640, 480)
STUBBORN = "trap '' TERM HUP INT; while :; do sleep 1; done"
FORKS_TWICE = "setsid sh -c 'sleep 1000 & sleep 1001 &' &"


def processes_of(environment: dict[str, str]) -> set[int]:
    """Every process, whoever its parent is, that was started with a desktop's environment."""
    mark = f"XDG_RUNTIME_DIR={environment['XDG_RUNTIME_DIR']}".encode()
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.add(int(entry.name))
    return found


def is_over(environment: dict[str, str]) -> bool:
    """Whether nothing of a desktop is left: no process, no directory, no lock and no socket of its X server."""
    number = environment["DISPLAY"].lstrip(":")
    left = (environment["XDG_RUNTIME_DIR"], f"/tmp/.X{number}-lock", f"/tmp/.X11-unix/X{number}")
    return not processes_of(environment) and not any(os.path.exists(path) for path in left)


def start_all_kinds(desktop: EmbeddedDesktop) -> None:
    """Programs that end when asked, do not, are frozen, or have gone into the background."""
    desktop.launch(["sleep", "1000"], {})
    desktop.launch(["sh", "-c", STUBBORN], {})
    desktop.launch(["sh", "-c", FORKS_TWICE], {})
    frozen = desktop.launch(["sleep", "1002"], {})
    os.kill(frozen, signal.SIGSTOP)
    eventually(lambda: len(processes_of(desktop.environment)) >= 8, what="the start of all programs")


def test_nobody_is_asked_on_it(platform: Platform) -> None:
    """A question would wait for its whole time."""
    with pytest.raises(Unsupported, match="nobody sits") as caught:
        platform.dialogs.check()
    assert "--grant" in caught.value.recovery


# ---------------------------------------------------------------- ends


def test_closing_ends_everything_on_it() -> None:
    with start_embedded(SMALL) as desktop:
        start_all_kinds(desktop)
        environment = desktop.environment
    assert is_over(environment)


OWNER = textwrap.dedent(
    """
    import json, os, sys
    from deskhand.model.geometry import Size
    from deskhand.platforms.embedded.session import EmbeddedSession
    from deskhand.model.clipboard import text_contents
    session = EmbeddedSession(Size(640, 480))
    for command in json.loads(sys.argv[1]):
        session.launch(command)
    session.connect().clipboard.write(text_contents("mine"))
    print(json.dumps({"environment": dict(session.environment), "keeper": session._desktop.keeper_pid}), flush=True)
    sys.stdin.read()
    session.close()
    """
)


@contextlib.contextmanager
def owner(*commands: list[str], environment: dict[str, str] | None = None) -> Iterator[tuple[Any, dict[str, Any]]]:
    """A process that has started a desktop, with programs on it, and what it says of that."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, json.dumps(commands)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait(20)
        process.stdin.close()
        process.stdout.close()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, None])
def test_nothing_outlives_the_owner_however_it_ends(end: signal.Signals | None) -> None:
    commands = (["sleep", "1000"], ["sh", "-c", STUBBORN], ["sh", "-c", FORKS_TWICE])
    with owner(*commands) as (process, told):
        eventually(lambda: len(processes_of(told["environment"])) >= 9, what="the start of all programs")
        if end is None:
            process.stdin.close()
        else:
            process.send_signal(end)
        eventually(lambda: is_over(told["environment"]), what="the end of the desktop")


def test_a_desktop_whose_keeper_is_killed_ends_too() -> None:
    with start_embedded(SMALL) as desktop:
        desktop.launch(["sh", "-c", STUBBORN], {})
        eventually(lambda: len(processes_of(desktop.environment)) >= 4, what="the start of all")
        os.kill(desktop.keeper_pid, signal.SIGKILL)
        eventually(lambda: not desktop.is_alive(), what="its end")
        with pytest.raises(DesktopLost):
            desktop.launch(["true"], {})
    assert is_over(desktop.environment)


def test_a_keeper_that_hangs_does_not_keep_its_owner_from_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskhand.platforms.embedded.desktop._KEEPER_SECONDS", 0.5)
    with start_embedded(SMALL) as desktop:
        desktop.launch(["sh", "-c", STUBBORN], {})
        os.kill(desktop.keeper_pid, signal.SIGSTOP)
    assert is_over(desktop.environment)


def test_an_x_server_that_hangs_at_its_start_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    parent = short_directory(monkeypatch, tmp_path)
    (tmp_path / "Xvfb").write_text("#!/bin/sh\nexec sleep 1000\n")
    (tmp_path / "Xvfb").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("deskhand.platforms.embedded.desktop._START_SECONDS", 1.0)
    with pytest.raises(Unsupported, match="did not start within 1 s"):
        start_embedded(SMALL)
    assert list(parent.iterdir()) == []


def test_closing_while_it_starts_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    parent = short_directory(monkeypatch, tmp_path)
    session = EmbeddedSession(SMALL)
    session.start_soon()
    session.close()
    session.close()
    eventually(lambda: not list(parent.iterdir()), what="an empty directory")


def short_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A directory for desktops that only this test uses."""
    parent = Path(os.environ["XDG_RUNTIME_DIR"]) / tmp_path.name[-8:]
    parent.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(parent))
    return parent


def test_the_home_of_its_programs_goes_with_it() -> None:
    with start_embedded(SMALL) as desktop:
        home = Path(desktop.environment["HOME"])
        (home / "file").write_text("written by a program")
    assert not home.exists()


def test_a_home_that_was_given_stays(tmp_path: Path) -> None:
    with start_embedded(SMALL, home=tmp_path / "home") as desktop:
        assert desktop.environment["HOME"] == str(tmp_path / "home")
        (tmp_path / "home" / "file").write_text("kept")
    assert (tmp_path / "home" / "file").read_text() == "kept"


# ---------------------------------------------------------------- programs


def test_the_end_of_a_program_is_not_the_end_of_the_desktop() -> None:
    with start_embedded(SMALL) as desktop:
        for _ in range(5):
            process = Path(f"/proc/{desktop.launch(['true'], {})}")
            eventually(partial(has_gone, process), what="its end without a zombie")
        assert desktop.is_alive()


def has_gone(path: Path) -> bool:
    return not path.exists()


def test_a_program_that_cannot_be_started_is_named() -> None:
    with start_embedded(SMALL) as desktop:
        with pytest.raises(Unsupported, match=r"/no/such/program did not start: .*No such file"):
            desktop.launch(["/no/such/program"], {})
        with pytest.raises(Unsupported, match="true did not start"):
            desktop.launch(["true"], {}, Path("/no/such/folder"))
        assert desktop.launch(["true"], {}) > 0


def test_several_threads_start_programs_at_once() -> None:
    with start_embedded(SMALL) as desktop:
        pids: list[int] = []

        def start() -> None:
            pids.extend(desktop.launch(["sleep", "1000"], {}) for _ in range(5))

        threads = [threading.Thread(target=start) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(pids)) == 20
        for pid in pids:
            assert Path(f"/proc/{pid}/cmdline").read_bytes() == b"sleep\x001000\0"


# ---------------------------------------------------------------- the session around it

LEADING_BACK = """
DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS XDG_SESSION_ID XDG_CONFIG_HOME
XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_SESSION_TYPE XDG_CURRENT_DESKTOP AT_SPI_BUS_ADDRESS SESSION_MANAGER
DESKTOP_SESSION DESKTOP_STARTUP_ID GTK_MODULES GTK_IM_MODULE GTK_THEME GDK_BACKEND GDK_SCALE QT_IM_MODULE QT_QPA_PLATFORM
QT_SCALE_FACTOR GNOME_KEYRING_CONTROL KDE_FULL_SESSION XMODIFIERS CLUTTER_IM_MODULE SDL_IM_MODULE SDL_VIDEODRIVER
PULSE_SERVER PIPEWIRE_REMOTE ICEAUTHORITY NO_AT_BRIDGE SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO WINDOWID I3SOCK SWAYSOCK
HYPRLAND_INSTANCE_SIGNATURE MOZ_ENABLE_WAYLAND ELECTRON_OZONE_PLATFORM_HINT NOTIFY_SOCKET JOURNAL_STREAM INVOCATION_ID
HOME LC_ALL
"""


def test_nothing_of_the_session_around_it_gets_in(tmp_path: Path) -> None:
    outer = {**os.environ, **dict.fromkeys(LEADING_BACK.split(), "outer-session"), "KEPT": "by all"}
    outer |= {"XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"]}
    told = tmp_path / "told"
    with owner(["sh", "-c", f"env > {told}.part; mv {told}.part {told}"], environment=outer):
        eventually(told.exists, what="the environment of a program")
        inner = dict(line.partition("=")[::2] for line in told.read_text().splitlines())
    assert [name for name, value in inner.items() if "outer-session" in value] == []
    assert inner["KEPT"] == "by all"
    assert inner["LANG"] == "C.UTF-8"
    assert inner["XDG_RUNTIME_DIR"].startswith(os.environ["XDG_RUNTIME_DIR"] + "/deskhand-")
    assert inner["AT_SPI_BUS_ADDRESS"]


def test_only_who_has_the_key_gets_in(tmp_path: Path) -> None:
    with start_embedded(SMALL) as desktop:
        runtime = Path(desktop.environment["XDG_RUNTIME_DIR"])
        assert runtime.stat().st_mode & 0o777 == 0o700
        assert Path(desktop.environment["XAUTHORITY"]).stat().st_mode & 0o777 == 0o600
        broken = tmp_path / "broken"
        broken.write_bytes(b"\x01\x00\x00\x20no")
        for authority in (tmp_path / "none", broken):
            with pytest.raises(PermissionMissing, match="cannot connect to the X display"):
                XServer({"DISPLAY": desktop.environment["DISPLAY"], "XAUTHORITY": str(authority)})
        XServer(desktop.environment).close()


def test_the_size_is_the_one_asked_for_and_the_layout_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XKB_DEFAULT_LAYOUT", "XKBLAYOUT"):
        monkeypatch.setenv(name, "ru")
    with contextlib.closing(EmbeddedSession(SMALL)) as session:
        platform = session.connect()
        assert platform.screen.size() == SMALL
        assert [display.bounds for display in platform.displays.all()] == [Rect(0, 0, 640, 480)]
        server = XServer(session.environment)
        layout = X11Keyboard(server).layout()
        assert layout.characters(0, 0)["q"].keycode == 24
        first, last = RESERVED_KEYS
        assert set(range(first, last + 1)) <= set(layout.spare_keycodes())
        server.close()
        platform.close()


def test_two_desktops_know_nothing_of_each_other() -> None:
    with start_embedded(SMALL) as one, start_embedded(SMALL) as other:
        for name in ("DISPLAY", "XDG_RUNTIME_DIR", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "HOME"):
            assert one.environment[name] != other.environment[name]
        crossed = {"DISPLAY": other.environment["DISPLAY"], "XAUTHORITY": one.environment["XAUTHORITY"]}
        with pytest.raises(PermissionMissing):
            XServer(crossed)


# ---------------------------------------------------------------- what is missing


@pytest.mark.parametrize(("missing", "package"), [("Xvfb", "xvfb"), ("dbus-daemon", "dbus")])
def test_a_missing_program_is_named_with_its_package(
    missing: str, package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in {"Xvfb", "dbus-daemon", "xfwm4"} - {missing}:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unsupported, match=f"an embedded desktop needs {missing}") as told:
        start_embedded(SMALL)
    assert told.value.recovery == f"install it: apt-get install {package}"


def test_without_any_window_manager_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("Xvfb", "dbus-daemon"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unsupported, match="needs a window manager") as told:
        start_embedded(SMALL)
    assert told.value.recovery == "install it: apt-get install xfwm4"


def test_what_keeps_it_from_starting_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    parent = short_directory(monkeypatch, tmp_path)
    (tmp_path / "Xvfb").write_text(
        "#!/bin/sh\nprintf 'Fatal server error:\\n(EE) no more room\\n(EE) \\n' >&2\nexit 1\n"
    )
    (tmp_path / "Xvfb").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(Unsupported, match=r"the X server ended before it was ready \(X server: no more room\)"):
        start_embedded(SMALL)
    assert list(parent.iterdir()) == []


@pytest.mark.parametrize("place", ["missing", "long"])
def test_an_unusable_runtime_directory_is_not_used(place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    long = tmp_path / ("long" * 20)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str({"missing": tmp_path / "missing", "long": long}[place]))
    with start_embedded(SMALL) as desktop:
        assert not desktop.environment["XDG_RUNTIME_DIR"].startswith(str(tmp_path))


# ---------------------------------------------------------------- death and a new one


@pytest.fixture
def session() -> Iterator[EmbeddedSession]:
    with contextlib.closing(EmbeddedSession(SMALL)) as session:
        yield session


def kill(session: EmbeddedSession, what: str) -> dict[str, str]:
    """Kill one of a desktop's own processes; the environment it had."""
    desktop = session._desktop
    assert desktop is not None
    os.kill(desktop.keeper_pid if what == "keeper" else desktop.pids[what], signal.SIGKILL)
    return desktop.environment


@pytest.mark.parametrize("what", ["X server", "keeper"])
def test_a_dead_desktop_is_told_once_and_replaced(what: str, session: EmbeddedSession) -> None:
    before = dict(session.environment)
    kill(session, what)
    eventually(lambda: lost(session), what="its death")
    platform = session.connect()
    assert platform.screen.size() == SMALL
    platform.close()
    assert session.environment["XDG_RUNTIME_DIR"] != before["XDG_RUNTIME_DIR"]
    assert is_over_but_for_display(before)


def lost(session: EmbeddedSession) -> bool:
    """Whether connecting says that the desktop has died."""
    try:
        session.connect().close()
    except DesktopLost:
        return True
    return False


def is_over_but_for_display(environment: dict[str, str]) -> bool:
    """Whether the processes and the directory of a desktop have gone (its display may be another's by now)."""
    return not processes_of(environment) and not os.path.exists(environment["XDG_RUNTIME_DIR"])


def test_a_port_of_a_dead_desktop_says_so_and_the_next_connection_is_to_a_new_one(session: EmbeddedSession) -> None:
    platform = session.connect()
    kill(session, "X server")
    for use in (platform.windows.all, platform.pointer.position, platform.screen.size, platform.clipboard.read):
        with pytest.raises(DesktopLost):
            use()
    platform.close()
    again = session.connect()
    assert not again.windows.all()
    again.close()


def test_the_death_of_the_session_bus_is_the_death_of_the_desktop(session: EmbeddedSession) -> None:
    platform = session.connect()
    kill(session, "session bus")

    def is_lost() -> bool:
        try:
            platform.pointer.position()
        except DesktopLost:
            return True
        return False

    eventually(is_lost, what="its death")
    platform.close()
    session.connect().close()


def test_a_program_started_on_a_dead_desktop_is_told_once(session: EmbeddedSession) -> None:
    assert session.launch(["true"]) > 0
    kill(session, "keeper")
    with pytest.raises(DesktopLost):
        session.launch(["true"])
    assert session.launch(["true"]) > 0


def test_a_desktop_that_cannot_start_says_why_at_each_call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with contextlib.closing(EmbeddedSession(SMALL)) as session:
        session.start_soon()
        for _ in range(2):
            with pytest.raises(Unsupported, match="an embedded desktop needs Xvfb"):
                session.connect()
