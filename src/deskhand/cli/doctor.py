"""`deskhand doctor`: what works here, what is missing, why, and what to do about it."""

import argparse
import contextlib
import shutil
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from deskhand import __version__
from deskhand.desktop.screen.video import encoder
from deskhand.guard import places
from deskhand.guard.policy_file import load_policy
from deskhand.model.errors import DeskError
from deskhand.model.geometry import Rect
from deskhand.model.turn import Turn
from deskhand.platforms import open_session
from deskhand.platforms.base import Platform

_MARKS = {True: ("✓", "32"), False: ("✗", "31")}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    works: bool
    about: str
    remedy: str = ""
    is_needed: bool = True
    """Whether nothing works without it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """This verb has no options."""


def run(options: argparse.Namespace) -> int:
    """Look at everything; 0 where deskhand can work here in one way at least."""
    print(f"deskhand {__version__}, Python {sys.version.split()[0]}")
    here = list(_report("The desktop around us", _session_here()))
    own = list(_report("A desktop of our own (--embedded)", _embedded()))
    list(_report("Where it keeps things", _places()))
    list(_report("What is installed on request", _on_request()))
    works = [all(one.works or not one.is_needed for one in findings) for findings in (here, own)]
    ways = [way for way, fine in zip(("deskhand mcp", "deskhand mcp --embedded"), works, strict=True) if fine]
    print(f"\nReady: {' and '.join(ways)}" if ways else "\nNothing works yet: see the lines marked ✗ above.")
    return 0 if ways else 1


def _report(title: str, findings: Iterator[Finding]) -> Iterator[Finding]:
    print(f"\n{title}")
    for one in findings:
        mark, color = _MARKS[one.works]
        painted = f"\033[{color}m{mark}\033[0m" if sys.stdout is not None and sys.stdout.isatty() else mark
        print(f"  {painted} {one.name:14} {one.about}")
        if one.remedy:
            print(f"    {'':14} → {one.remedy}")
        yield one


def _session_here() -> Iterator[Finding]:
    try:
        session = open_session()
        platform = session.connect()
    except DeskError as error:
        yield Finding("session", False, str(error), error.recovery)
        return
    with contextlib.closing(session), contextlib.closing(platform):
        yield Finding("session", True, f"{session.name} on display {session.environment.get('DISPLAY', '')}")
        yield from ports(platform)


def _embedded() -> Iterator[Finding]:
    missing = False
    for program, package in (("Xvfb", "xvfb"), ("dbus-daemon", "dbus")):
        found = shutil.which(program)
        missing = missing or found is None
        yield Finding(
            program, found is not None, found or "not installed", "" if found else f"apt-get install {package}"
        )
    manager = shutil.which("xfwm4") or shutil.which("openbox")
    yield Finding("window manager", manager is not None, manager or "none", "" if manager else "apt-get install xfwm4")
    if missing or manager is None:
        return
    with contextlib.closing(open_session("embedded")) as session:
        try:
            platform = session.connect()
        except DeskError as error:
            yield Finding("start", False, str(error), error.recovery)
            return
        with contextlib.closing(platform):
            yield from ports(platform, without=("dialogs",))
            yield Finding(
                "dialogs", True, "not needed: nobody sits there, and all is granted unless --grant names less"
            )


def ports(platform: Platform, without: Collection[str] = ()) -> Iterator[Finding]:
    """Try every port of a platform, but those, with something harmless."""
    for name, attempt in _ATTEMPTS.items():
        if name in without:
            continue
        try:
            yield Finding(name, True, attempt(platform))
        except DeskError as error:
            yield Finding(name, False, str(error), error.recovery, name not in _OPTIONAL)


def _windows(platform: Platform) -> str:
    manager = platform.windows.manager_name()
    return f"{len(platform.windows.all())} windows, managed by {manager or 'nobody: no window manager is running'}"


def _screen(platform: Platform) -> str:
    size = platform.screen.size()
    platform.screen.grab(Rect(0, 0, min(8, size.width), min(8, size.height)))
    return f"{size.width}x{size.height} pixels"


def _displays(platform: Platform) -> str:
    return ", ".join(f"{one.name} {one.bounds.width}x{one.bounds.height}" for one in platform.displays.all())


def _keyboard(platform: Platform) -> str:
    caps, num = platform.keyboard.locks()
    return f"Caps Lock {'on' if caps else 'off'}, Num Lock {'on' if num else 'off'}"


def _listener(platform: Platform) -> str:
    keyboards = platform.listener.keyboards()
    return f"Esc stops an agent on {', '.join(keyboards)}" if keyboards else "no keyboard here whose Esc stops an agent"


def _dialogs(platform: Platform) -> str:
    platform.dialogs.check()
    return "whoever sits here can be asked what an agent may use"


def _accessibility(platform: Platform) -> str:
    apps = [app.name or f"pid {app.pid}" for app in platform.accessibility.apps()]
    return f"{len(apps)} applications" + (f": {', '.join(apps[:6])}" if apps else "")


def _clipboard(platform: Platform) -> str:
    clip = platform.clipboard.read()
    return "text" if clip.text is not None else "an image" if clip.has_image else "nothing on it"


def _audio(platform: Platform) -> str:
    found = platform.audio.devices()
    return f"{len(found.input)} devices record, {len(found.output)} play"


def _players(platform: Platform) -> str:
    tracks = platform.players.tracks()
    return f"{tracks[0].player} has {tracks[0].title!r}" if tracks else "nothing is playing"


_OPTIONAL = ("listener", "dialogs", "audio", "speech", "players")
_ATTEMPTS: dict[str, Callable[[Platform], str]] = {
    "pointer": lambda platform: "at {}, {}".format(*platform.pointer.position()),
    "keyboard": _keyboard,
    "listener": _listener,
    "dialogs": _dialogs,
    "screen": _screen,
    "displays": _displays,
    "windows": _windows,
    "clipboard": _clipboard,
    "accessibility": _accessibility,
    "apps": lambda platform: f"{len(platform.apps.installed())} can be started",
    "system": lambda platform: platform.system.state().os_version,
    "audio": _audio,
    "speech": lambda platform: f"{len(platform.speech.voices())} voices",
    "players": _players,
    "shell": lambda platform: platform.shell.run("echo $0", Turn(), seconds=5, most_bytes=100).output.decode().strip(),
}


def _on_request() -> Iterator[Finding]:
    try:
        encoder.require()
        yield Finding("recording", True, "PyAV, with an H.264 encoder")
    except DeskError as error:
        yield Finding("recording", False, str(error), error.recovery)


def _places() -> Iterator[Finding]:
    for name, place in (("runtime", places.runtime_directory), ("state", places.state_directory)):
        try:
            yield Finding(name, True, str(place()))
        except DeskError as error:
            yield Finding(name, False, str(error), error.recovery)
    yield Finding("settings", True, str(places.config_directory()))
    try:
        policy = load_policy()
        yield Finding("policy", True, f"{len(policy.apps)} rules for apps, {len(policy.elements)} for elements")
    except DeskError as error:
        yield Finding("policy", False, str(error), error.recovery)
