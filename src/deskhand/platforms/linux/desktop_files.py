"""Installed applications, by their desktop files (Desktop Entry Specification 1.5)."""

import configparser
import os
import shlex
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from deskhand.model.app import InstalledApp

_SECTION = "Desktop Entry"


class InstalledApps:
    """Every application that a menu would show. One for all threads; read again when a folder has changed."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._lock = threading.Lock()
        self._seen: dict[Path, int] | None = None
        self._apps: tuple[InstalledApp, ...] = ()

    def all(self) -> Sequence[InstalledApp]:
        """Sorted by name; the user's own files win over the system's."""
        with self._lock:
            if self._seen is None or self._seen != _changes_of(self._seen):
                folders = _folders(self._environment)
                # Before reading: what changes meanwhile is read the next time.
                self._seen = _changes_of(folder for root in folders for folder in (root, *_subfolders(root)))
                self._apps = tuple(_read_all(folders, self._environment))
            return self._apps


def _read_all(folders: Sequence[Path], environment: Mapping[str, str]) -> list[InstalledApp]:
    files: dict[str, Path] = {}
    for folder in folders:
        for bundle_id, path in _files(folder):
            # Also where it says that the application is not to be shown: that is how a user hides one.
            files.setdefault(bundle_id, path)
    read = (_read(bundle_id, path, environment) for bundle_id, path in files.items())
    return sorted((app for app in read if app is not None), key=lambda app: app.name.casefold())


def _changes_of(folders: Iterable[Path]) -> dict[Path, int]:
    """When the names in each folder have last changed."""
    return {folder: _changed_at(folder) for folder in folders}


def _subfolders(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_dir())


def _changed_at(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def command_line(app: InstalledApp, arguments: Sequence[str]) -> list[str]:
    """The command that starts an application, with files or URLs put where its desktop file wants them."""
    command: list[str] = []
    placed = not arguments
    for word in app.command:
        if word in ("%f", "%u", "%F", "%U"):
            command += arguments if word in ("%F", "%U") else arguments[:1]
            placed = True
        elif word == "%c":
            command.append(app.name)
        elif not (len(word) == 2 and word.startswith("%") and word != "%%"):
            command.append(word.replace("%%", "%"))
    return command if placed else [*command, *arguments]


def _folders(environment: Mapping[str, str]) -> list[Path]:
    home = environment.get("XDG_DATA_HOME") or os.path.join(environment.get("HOME", "/"), ".local/share")
    others = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    return [Path(folder) / "applications" for folder in (home, *others.split(":")) if folder]


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*.desktop")):
        yield "-".join(path.relative_to(folder).parts).removesuffix(".desktop"), path


def _read(bundle_id: str, path: Path, environment: Mapping[str, str]) -> InstalledApp | None:
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",), default_section="")
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # keys differ by case
    try:
        parser.read_string(path.read_text("utf-8", "replace"))
        entry = dict(parser[_SECTION])
        command = tuple(shlex.split(entry.get("Exec", "")))
    except (OSError, configparser.Error, KeyError, ValueError):
        return None
    if entry.get("Type", "Application") != "Application" or entry.get("Hidden") == "true" or not command:
        return None
    if entry.get("NoDisplay") == "true" or not _is_there(entry.get("TryExec", ""), environment):
        return None
    return InstalledApp(
        bundle_id=bundle_id,
        name=_localized(entry, environment),
        command=command,
        window_class=entry.get("StartupWMClass", ""),
        in_terminal=entry.get("Terminal") == "true",
        categories=frozenset(word for word in entry.get("Categories", "").split(";") if word),
    )


def _localized(entry: Mapping[str, str], environment: Mapping[str, str]) -> str:
    locale = environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG") or ""
    language = locale.partition(".")[0]
    for key in (f"Name[{language}]", f"Name[{language.partition('_')[0]}]", "Name"):
        if entry.get(key):
            return entry[key]
    return ""


def _is_there(program: str, environment: Mapping[str, str]) -> bool:
    if not program:
        return True
    if os.path.isabs(program):
        return os.access(program, os.X_OK)
    folders = environment.get("PATH", "").split(":")
    return any(os.access(os.path.join(folder, program), os.X_OK) for folder in folders if folder)
