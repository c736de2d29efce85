"""Starting and ending an embedded desktop, and starting programs on it: the owner's end of keeper.py."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from deskhand.model.errors import DesktopLost, Unsupported
from deskhand.model.geometry import Size
from deskhand.platforms.linux.lines import LineSocket

KEEPER: Final = Path(__file__).with_name("keeper.py")
FOR_AGENTS: Final = "--for-agents"
"""The word by which a keeper's command line says that nothing of the user's is on its desktop."""
_WINDOW_MANAGERS: Final = (["xfwm4", "--compositor=off", "--sm-client-disable"], ["openbox", "--sm-disable"])
_START_SECONDS: Final = 20.0
_END_SECONDS: Final = 2.0
_KEEPER_SECONDS: Final = 5.0
_PATIENCE_SECONDS: Final = 0.5
_LOOK_AGAIN_SECONDS: Final = 0.01
_LONGEST_PARENT: Final = 60
# What belongs to the session around us and would lead programs back into it, by the beginnings of their names.
_OUTER_SESSION: Final = """
    DISPLAY WAYLAND_ XAUTHORITY DBUS_ XDG_ AT_SPI_ SESSION_ DESKTOP_ GTK_ GDK_ QT_ GNOME_ KDE_ MATE_ CLUTTER_ SDL_
    XMODIFIERS IBUS_ FCITX_ PULSE_ PIPEWIRE_ ICEAUTHORITY NO_AT_ SSH_ GPG_AGENT_ WINDOWID VTE_ I3SOCK SWAYSOCK
    HYPRLAND_ NIRI_ MOZ_ ELECTRON_ NOTIFY_SOCKET JOURNAL_STREAM INVOCATION_ID LISTEN_ SYSTEMD_ MANAGERPID
"""
# Every toolkit shows its tree, draws without a graphics card and leaves the settings of the user alone.
_INNER_SESSION: Final = {
    "XDG_SESSION_TYPE": "x11",
    "XDG_CURRENT_DESKTOP": "XFCE",
    "GDK_BACKEND": "x11",
    "QT_QPA_PLATFORM": "xcb",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    "GSK_RENDERER": "cairo",
    "LIBGL_ALWAYS_SOFTWARE": "1",
    "GSETTINGS_BACKEND": "memory",
    "GIO_USE_VFS": "local",
    "MOZ_ENABLE_WAYLAND": "0",
    "SAL_USE_VCLPLUGIN": "gtk3",
    "NO_AT_BRIDGE": "0",
    "XMODIFIERS": "@im=none",
}


@dataclass(slots=True)
class EmbeddedDesktop:
    """A desktop of our own that lives as long as this object, or this process."""

    environment: dict[str, str]
    pids: dict[str, int]
    _keeper: subprocess.Popen[bytes]
    _lines: LineSocket
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def keeper_pid(self) -> int:
        return self._keeper.pid

    def launch(self, command: Sequence[str], environment: Mapping[str, str], directory: Path | None = None) -> int:
        """Start a program on this desktop; the number of its process.

        Raises Unsupported where it cannot be started, DesktopLost where the desktop has ended.
        """
        request = {
            "start": list(command),
            "environment": {**self.environment, **environment},
            "directory": str(directory or self.environment["HOME"]),
        }
        with self._lock:
            try:
                self._lines.send(request)
                answer = self._lines.receive(_START_SECONDS)
            except EOFError:
                answer = None
        if answer is None or "gone" in answer:
            raise DesktopLost("the embedded desktop has ended")
        if "pid" not in answer:
            raise Unsupported(f"{command[0]} did not start: {answer['error']}")
        return int(answer["pid"])

    def is_alive(self) -> bool:
        """Whether its processes still run."""
        return self._keeper.poll() is None

    def close(self) -> None:
        """End every process of this desktop and remove its directory; returns when that is done."""
        self._lines.close()
        _wait_for_end(self._keeper)
        _clean_up(Path(self.environment["XDG_RUNTIME_DIR"]))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def start_embedded(
    size: Size = Size(1920, 1080),  # noqa: B008
    *,
    home: Path | None = None,
    window_manager: Sequence[str] | None = None,
    for_agents: bool = False,
) -> EmbeddedDesktop:
    """Start an embedded desktop of this size in pixels; returns when the X server and the session bus are up.

    Without `home`, programs there get an empty home directory that is removed at the end. `window_manager` is the
    command of another one than the best that is installed, without words for none at all. With `for_agents`, servers
    that join it take it for one of their own (`kept.py`).
    Raises Unsupported, naming what to install, where a program it needs is missing.
    """
    options = {
        "size": list(size),
        "home": str(home) if home else "",
        "parent": _parent_directory(),
        "environment": _inner_environment(),
        "x_server": _program("Xvfb", "xvfb"),
        "bus": _program("dbus-daemon", "dbus"),
        "sound_server": shutil.which("pulseaudio") or "",
        "window_manager": _window_manager() if window_manager is None else list(window_manager),
    }
    ours, theirs = socket.socketpair()
    with theirs:
        keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", str(KEEPER), *([FOR_AGENTS] if for_agents else [])],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
    lines = LineSocket(ours)
    try:
        lines.send(options)
        answer = lines.receive(_START_SECONDS) or {}
    except EOFError as error:
        answer = {"error": f"the embedded desktop did not start: {error}"}
    if "ready" not in answer:
        lines.close()
        _wait_for_end(keeper)
        message = answer.get("error", f"the embedded desktop did not start within {_START_SECONDS:.0f} s")
        raise Unsupported(message, recovery="run `deskhand doctor` to see what it needs")
    return EmbeddedDesktop(answer["ready"], answer["pids"], keeper, lines)


def _wait_for_end(keeper: subprocess.Popen[bytes]) -> None:
    """The keeper ends when its socket is closed; one that hangs is killed, and the system asks its children to end."""
    try:
        keeper.wait(_KEEPER_SECONDS)
    except subprocess.TimeoutExpired:
        keeper.kill()
        keeper.wait()


def _clean_up(directory: Path) -> None:
    """What the keeper does at its end, where it was killed: end every process of the desktop, remove its directory.

    The system has asked them to end; the X server removes its lock and socket then, and never when it is killed.
    """
    begun = time.monotonic()
    while directory.exists() and (waited := time.monotonic() - begun) < _END_SECONDS:
        left = [pid for pid in _processes_of(directory) if pid != os.getpid()]
        if not left:
            shutil.rmtree(directory, ignore_errors=True)
        elif waited > _PATIENCE_SECONDS:
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(_LOOK_AGAIN_SECONDS)


def _processes_of(directory: Path) -> Iterator[int]:
    """The processes that were started with this runtime directory, which no other desktop has."""
    mark = b"XDG_RUNTIME_DIR=" + os.fsencode(directory)
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{entry}/environ", "rb") as file:
                if mark in file.read().split(b"\0"):
                    yield int(entry)


def _parent_directory() -> str:
    """Where a desktop's own directory goes. Sockets lie in it, whose paths may have 107 bytes in all."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    usable = len(os.fsencode(runtime)) <= _LONGEST_PARENT and os.access(runtime, os.W_OK | os.X_OK)
    return runtime if usable else tempfile.gettempdir()


def _inner_environment() -> dict[str, str]:
    outer = tuple(_OUTER_SESSION.split())
    kept = {name: value for name, value in os.environ.items() if not name.startswith(outer)}
    if not _is_utf8(kept):
        kept["LANG"] = "C.UTF-8"
        kept.pop("LC_ALL", None)
    return kept | _INNER_SESSION


def _is_utf8(environment: Mapping[str, str]) -> bool:
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    return locale.lower().replace("-", "").endswith("utf8")


def _program(name: str, package: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise Unsupported(f"an embedded desktop needs {name}", recovery=f"install it: apt-get install {package}")
    return found


def _window_manager() -> list[str]:
    for command in _WINDOW_MANAGERS:
        with contextlib.suppress(Unsupported):
            return [_program(command[0], command[0]), *command[1:]]
    raise Unsupported("an embedded desktop needs a window manager", recovery="install it: apt-get install xfwm4")
