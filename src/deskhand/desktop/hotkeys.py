"""The keyboard shortcuts that applications publish in manifests, by name."""

import json
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import platformdirs

from deskhand.model.errors import BadArguments, NotFound
from deskhand.model.keys import parse_chord

_FILE: Final = "hotkeys.json"
_LARGEST: Final = 1 << 20
KINDS: Final = ("action", "view", "panel", "modal", "toggle")


class BadManifest(ValueError):
    """Raised when a file is not a manifest."""


@dataclass(frozen=True, slots=True)
class Hotkey:
    """One shortcut: `key` is its dotted name, `chord` the keys, `kind` what it does (one of KINDS)."""

    app: str
    key: str
    chord: str
    label: str
    kind: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What one application publishes."""

    app: str
    app_version: str
    entries: tuple[Hotkey, ...]


@dataclass(slots=True)
class HotkeyIndex:
    """Every manifest of this user, read when it is first asked for."""

    folders: tuple[Path, ...] = field(default_factory=lambda: data_folders())
    problems: list[str] = field(default_factory=list)
    """What was wrong with files and entries at the last scan."""
    _manifests: dict[str, Manifest] | None = None

    def manifests(self) -> list[Manifest]:
        """All manifests, sorted by application."""
        if self._manifests is None:
            self.rescan()
        assert self._manifests is not None
        return sorted(self._manifests.values(), key=lambda manifest: manifest.app.casefold())

    def entries(self) -> list[Hotkey]:
        return [entry for manifest in self.manifests() for entry in manifest.entries]

    def rescan(self) -> None:
        """Read the manifests again; the user's own win over the system's."""
        self.problems.clear()
        found: dict[str, Manifest] = {}
        for path in _manifest_files(self.folders):
            manifest = self._read(path)
            if manifest is not None:
                found.setdefault(manifest.app.casefold(), manifest)
        self._manifests = found

    def find(self, key: str, app: str | None = None) -> Hotkey:
        """The shortcut of a name. Raises NotFound where there is none, BadArguments where several apps have it."""
        fitting = [
            entry
            for entry in self.entries()
            if entry.key == key and (app is None or entry.app.casefold() == app.strip().casefold())
        ]
        if not fitting:
            raise NotFound(f"no hotkey is called {key!r}", recovery="call capabilities to see how many there are")
        if len({entry.app for entry in fitting}) > 1:
            apps = ", ".join(sorted({entry.app for entry in fitting}))
            raise BadArguments(f"key: {key!r} belongs to several apps: {apps}", recovery="name the app too")
        return fitting[0]

    def _read(self, path: Path) -> Manifest | None:
        try:
            return self._parse(json.loads(_content_of(path)), str(path))
        except RecursionError:
            self.problems.append(f"{path}: it is nested too deep")
            return None
        except (OSError, ValueError) as error:
            self.problems.append(f"{path}: {error}")
            return None

    def _parse(self, raw: Any, where: str) -> Manifest:
        if not isinstance(raw, Mapping) or not isinstance(raw.get("app"), str) or not raw["app"]:
            raise BadManifest('it is not an object with a text "app"')
        if not isinstance(raw.get("entries"), list):
            raise BadManifest('it has no list "entries"')
        entries: dict[str, Hotkey] = {}
        for number, entry in enumerate(raw["entries"]):
            problem = _problem_of(entry)
            if problem is None and entry["key"] in entries:
                problem = f"the key {entry['key']!r} stands twice"
            if problem is not None:
                self.problems.append(f"{where}: entry {number}: {problem}")
                continue
            values = {name: entry[name] for name in ("key", "chord", "label", "kind")}
            entries[entry["key"]] = Hotkey(app=raw["app"], **values)
        version = raw.get("app_version", "")
        return Manifest(raw["app"], version if isinstance(version, str) else "", tuple(entries.values()))


def data_folders() -> tuple[Path, ...]:
    """The user's data folder, then the system's."""
    dirs = platformdirs.PlatformDirs(multipath=True)
    return (Path(dirs.user_data_dir), *(Path(folder) for folder in dirs.site_data_dir.split(":")))


def _manifest_files(folders: Iterable[Path]) -> Iterable[Path]:
    for folder in folders:
        yield from sorted(folder.glob(f"*/{_FILE}"))


def _content_of(path: Path) -> bytes:
    """What is in a file. Raises BadManifest where it is none, or a very large one."""
    # Opening a pipe would wait for somebody to write into it.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise BadManifest("it is not a file")
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise BadManifest("it is larger than 1 MiB")
    return content


def _problem_of(entry: Any) -> str | None:
    """What is wrong with an entry of a manifest, None for nothing."""
    if not isinstance(entry, Mapping):
        return "it is not an object"
    for name in ("key", "chord", "label", "kind"):
        if not isinstance(entry.get(name), str) or not entry[name]:
            return f"it has no text {name!r}"
    if entry["kind"] not in KINDS:
        return f"the kind {entry['kind']!r} is none of {', '.join(KINDS)}"
    try:
        parse_chord(entry["chord"])
    except BadArguments as error:
        return str(error)
    return None
