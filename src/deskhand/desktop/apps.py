"""Running applications: which one a name means, which is in front, and bringing one there."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.model.app import App, InstalledApp, is_shared_name
from deskhand.model.effect import Effect
from deskhand.model.errors import AmbiguousApp, AppNotFound, DesktopLost, NotPossible
from deskhand.model.turn import Turn
from deskhand.model.window import Window, WindowKind
from deskhand.platforms.base import AccessibleApp, Platform

_LAUNCH_SECONDS: Final = 20.0
_HANDED_OVER_SECONDS: Final = 5.0
_TREE_SECONDS: Final = 2.0
_LOOK_AGAIN_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Identity:
    """What an application is called: `names` is every name it goes by, in small letters.

    `process` is what tells it from others that have no name of their own: its program and the number of its process.
    """

    name: str
    bundle_id: str
    names: frozenset[str]
    categories: frozenset[str] = frozenset()
    process: str = ""

    @property
    def id(self) -> str:
        """That of its desktop file, or its name where it has none; its process where others are called the same."""
        if self.bundle_id:
            return f"{self.bundle_id}.desktop" if is_shared_name(self.bundle_id) else self.bundle_id
        return self.process if is_shared_name(self.name) else self.name

    @property
    def shown(self) -> str:
        """Its name; its process where others are called the same."""
        return self.process if self.process and is_shared_name(self.name) else self.name


@dataclass(frozen=True, slots=True)
class RunningApp:
    """A running application with its windows, topmost first; `accessible` is None where nothing can look into it."""

    app: App
    windows: tuple[Window, ...]
    accessible: AccessibleApp | None
    identity: Identity

    @property
    def names(self) -> frozenset[str]:
        """Every name it goes by, in small letters."""
        return self.identity.names


@dataclass(frozen=True, slots=True)
class Activation:
    """How an application came to the front."""

    running: RunningApp
    launched: bool

    @property
    def effect(self) -> Effect:
        """Whether it was seen in front at the end."""
        return Effect.CONFIRMED if self.running.app.active else Effect.UNVERIFIED


def running(platform: Platform) -> list[RunningApp]:
    """Every application with windows, the one whose window is topmost first."""
    windows: dict[int, list[Window]] = {}
    for window in platform.windows.all():
        if window.pid is not None and window.kind.belongs_to_an_app:
            windows.setdefault(window.pid, []).append(window)
    accessible = accessible_apps(platform)
    installed = platform.apps.installed()
    return [_running_app(platform, pid, tuple(own), accessible.get(pid), installed) for pid, own in windows.items()]


def resolve(platform: Platform, name: str) -> RunningApp:
    """The running application that a name, id or process number means.

    Raises AppNotFound, or AmbiguousApp naming all that could be meant.
    """
    apps = running(platform)
    wanted = name.strip().casefold()
    for fits in (_is_named(wanted), _is_called_like(wanted)):
        found = [app for app in apps if fits(app)]
        if len(found) == 1:
            return found[0]
        if found:
            listed = ", ".join(f"{app.app.name} (pid {app.app.pid})" for app in found)
            raise AmbiguousApp(f"{name!r} means several apps: {listed}")
    raise AppNotFound(f"App not found: {name}")


def frontmost(platform: Platform) -> RunningApp | None:
    """The application whose window has the keyboard; None where that is the desktop, or nothing."""
    window = platform.windows.active()
    if window is None or window.pid is None or not window.kind.belongs_to_an_app:
        return None
    return next((app for app in running(platform) if app.app.pid == window.pid), None)


def activate(platform: Platform, name: str, turn: Turn) -> Activation:
    """Bring an application to the front, started if it does not run.

    Raises AppNotFound where nothing of that name runs or is installed, NotPossible where its window does not come.
    """
    try:
        found = resolve(platform, name)
    except AmbiguousApp:
        raise
    except AppNotFound:
        return _launch(platform, name, turn)
    bring_forward(platform, found)
    return Activation(_again(platform, found, 0.0, turn), launched=False)


def bring_forward(platform: Platform, app: RunningApp) -> Window:
    """Give an application's topmost window the keyboard. Raises NotPossible where the window manager refuses."""
    window = next((one for one in app.windows if not one.minimized), app.windows[0])
    # One that is active is asked for too: whether that may be is not decided here.
    if not platform.windows.activate(window.id):
        raise NotPossible(
            f"the window manager did not bring {app.app.name} to the front",
            recovery="look at a screenshot: a dialog may hold the keyboard",
        )
    return window


def find_installed(platform: Platform, name: str) -> InstalledApp | None:
    """The installed application that an id, a name or a program means."""
    wanted = name.strip().casefold()
    installed = platform.apps.installed()
    for names in (_exact_names, _loose_names):
        for app in installed:
            if wanted in names(app):
                return app
    return None


# ---------------------------------------------------------------- inside


def accessible_apps(platform: Platform) -> dict[int, AccessibleApp]:
    """By process; without an accessibility bus, none."""
    try:
        found = platform.accessibility.apps()
    except DesktopLost:
        return {}
    # Qt under GNOME registers twice; the one with a name and windows is the application.
    return {app.pid: app for app in sorted(found, key=lambda one: (bool(one.name), "Qt" in one.toolkit))}


def _running_app(
    platform: Platform,
    pid: int,
    windows: tuple[Window, ...],
    accessible: AccessibleApp | None,
    installed: Sequence[InstalledApp],
) -> RunningApp:
    # LibreOffice's dialogs are of another class than its documents.
    classes = [window.app for window in sorted(windows, key=lambda one: one.kind is not WindowKind.NORMAL)]
    called = accessible.name if accessible else ""
    identity = identify(platform.system.process_name(pid), pid, classes, called, installed)
    return RunningApp(
        app=App(
            name=identity.name,
            bundle_id=identity.bundle_id,
            pid=pid,
            active=any(window.active for window in windows),
            hidden=all(window.minimized for window in windows),
        ),
        windows=windows,
        accessible=accessible,
        identity=identity,
    )


def identify(
    process: str, pid: int | None, classes: Sequence[str], called: str, installed: Sequence[InstalledApp]
) -> Identity:
    """What a program with windows of these classes is called; `called` is what it calls itself on the bus."""
    desktop_file = _desktop_file(installed, process, classes)
    bundle_id = desktop_file.bundle_id if desktop_file else ""
    by_process = f"{process} (process {pid})" if process and pid is not None else ""
    names = [called, process, *classes, bundle_id, bundle_id.rpartition(".")[2], by_process]
    names += [f"{bundle_id}.desktop"] if is_shared_name(bundle_id) else []
    own = [one for one in (called, *classes, process) if one and not is_shared_name(one)]
    name = (desktop_file.name if desktop_file else "") or next(iter(own), "") or called or next(iter(classes), process)
    categories = desktop_file.categories if desktop_file else frozenset()
    return Identity(name, bundle_id, frozenset(one.casefold() for one in (name, *names) if one), categories, by_process)


def identity_of_installed(app: InstalledApp) -> Identity:
    """What an installed application is called."""
    return Identity(app.name or app.bundle_id, app.bundle_id, names_of_installed(app), app.categories)


def names_of_installed(app: InstalledApp) -> frozenset[str]:
    """Every name an installed application goes by, in small letters."""
    return frozenset(_exact_names(app) | _loose_names(app))


def _desktop_file(installed: Sequence[InstalledApp], process: str, classes: Sequence[str]) -> InstalledApp | None:
    """The desktop file a running program was most likely started by."""
    # Whatever Python runs would be the first application whose file says `python3 …`.
    wanted = {word.casefold() for word in (process, *classes) if word and not is_shared_name(word)}
    for names in (_window_class_of, _exact_names, _program_of):
        for app in installed:
            if wanted & names(app):
                return app
    return None


def _window_class_of(app: InstalledApp) -> set[str]:
    return {app.window_class.casefold()} - {""}


def _program_of(app: InstalledApp) -> set[str]:
    return {app.command[0].rpartition("/")[2].casefold()}


def _exact_names(app: InstalledApp) -> set[str]:
    bundle_id = app.bundle_id.casefold()
    return {bundle_id, f"{bundle_id}.desktop", app.name.casefold()}


def _loose_names(app: InstalledApp) -> set[str]:
    return {app.bundle_id.rpartition(".")[2].casefold(), *_program_of(app), *_window_class_of(app)}


def _is_named(wanted: str) -> Callable[[RunningApp], bool]:
    return lambda app: wanted.removesuffix(".desktop") in app.names or wanted == str(app.app.pid)


def _is_called_like(wanted: str) -> Callable[[RunningApp], bool]:
    return lambda app: bool(wanted) and any(wanted in name for name in app.names)


def _launch(platform: Platform, name: str, turn: Turn) -> Activation:
    installed = find_installed(platform, name)
    if installed is None:
        raise AppNotFound(
            f"App not found: {name}", recovery="call app_list to see running apps, or name an installed one by its id"
        )
    before = running(platform)
    pid = platform.apps.launch(installed)
    turn.report(f"started {installed.name}, waiting for its window")
    app = _wait_for_window(platform, _Launched(installed, pid, before), turn)
    if app is None:
        raise NotPossible(
            f"{installed.name} was started (pid {pid}) but has shown no window within {_LAUNCH_SECONDS:.0f} s",
            recovery="call app_list to see whether it has come up meanwhile",
        )
    bring_forward(platform, app)
    return Activation(_again(platform, app, _TREE_SECONDS, turn), launched=True)


class _Launched:
    """An application that was started, and how to know it when its window comes."""

    def __init__(self, installed: InstalledApp, pid: int, before: Sequence[RunningApp]) -> None:
        self._pid = pid
        self._pids = {app.app.pid for app in before}
        self._windows = {window.id for app in before for window in app.windows}
        self._names = _exact_names(installed) | _loose_names(installed)
        self._any_after = time.monotonic() + _HANDED_OVER_SECONDS

    def is_it(self, app: RunningApp) -> bool:
        """Whether an application is the process that was started, or what it has become.

        Many programs are scripts that start another, or hand over to an instance that runs already. Windows that other
        running applications open meanwhile are their own, unless nothing else comes.
        """
        if app.app.pid == self._pid or app.app.pid not in self._pids:
            return True
        is_late = time.monotonic() > self._any_after
        has_opened = any(window.id not in self._windows for window in app.windows)
        is_called_so = bool(self._names & app.names)
        return (has_opened and is_called_so) or (is_late and (has_opened or is_called_so))


def _wait_for_window(platform: Platform, launched: _Launched, turn: Turn) -> RunningApp | None:
    deadline = time.monotonic() + _LAUNCH_SECONDS
    with platform.screen.changes() as changes:
        while time.monotonic() < deadline:
            for app in running(platform):
                if launched.is_it(app):
                    return app
            # A window cannot appear without changing the screen.
            turn.wait([changes], min(0.5, max(0.0, deadline - time.monotonic())))
            changes.take()
    return None


def _again(platform: Platform, app: RunningApp, seconds: float, turn: Turn) -> RunningApp:
    """The application as it is now; one that was just started may take a moment until it can be looked into."""
    deadline = time.monotonic() + seconds
    while True:
        now = next((one for one in running(platform) if one.app.pid == app.app.pid), app)
        if now.accessible is not None or time.monotonic() >= deadline:
            return now
        turn.wait([], _LOOK_AGAIN_SECONDS)
