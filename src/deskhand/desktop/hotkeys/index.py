"""All shortcuts that are known, of every application: looked up, searched, added to."""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from deskhand.desktop.hotkeys.files import SHIPPED, Kept, Scanned, data_folders, published, scan
from deskhand.desktop.hotkeys.manifest import Hotkey, Manifest, Source
from deskhand.model.errors import BadArguments, NotFound
from deskhand.model.keys import parse_chord


class HotkeyIndex:
    """Every manifest of this user, read when it is first asked for. Any thread may ask."""

    def __init__(self, state: Callable[[], Path]) -> None:
        """`state` is where what was registered and learned is kept."""
        self._registered = Kept(state, Source.REGISTERED)
        self._learned = Kept(state, Source.LEARNED)
        self._found: tuple[list[Manifest], tuple[str, ...]] | None = None
        self._lock = threading.Lock()

    def manifests(self) -> list[Manifest]:
        """One for each application, sorted by name."""
        return self._read()[0]

    def problems(self) -> tuple[str, ...]:
        """What was wrong with files and entries at the last scan."""
        return self._read()[1]

    def entries(self) -> list[Hotkey]:
        return [entry for manifest in self.manifests() for entry in manifest.entries]

    def rescan(self) -> None:
        """Read the manifests again."""
        paths = [(path, Source.REGISTERED) for path in self._registered.paths()]
        paths += [(path, Source.MANIFEST) for path in published(data_folders())]
        paths += [(path, Source.SHIPPED) for path in sorted(SHIPPED.glob("*.json"))]
        paths += [(path, Source.LEARNED) for path in self._learned.paths()]
        scanned: Scanned = scan(paths)
        with self._lock:
            self._found = (_merged(scanned.manifests), scanned.problems)

    def register(self, manifest: Manifest) -> None:
        """Keep a manifest that somebody has handed over, in place of the application's former one."""
        self._registered.write(manifest)
        self.rescan()

    def learn(self, manifest: Manifest) -> None:
        """Keep the shortcuts that an application was seen to show."""
        self._learned.write(manifest)
        self.rescan()

    def search(self, app: str | None = None, kind: str | None = None, query: str | None = None) -> list[Hotkey]:
        """The shortcuts that fit; those with all the words of the query in their label come first."""
        words = (query or "").casefold().split()
        found = [
            entry
            for entry in self._entries_of(app)
            if (kind is None or entry.kind == kind)
            and all(word in f"{entry.key} {entry.label} {entry.chord} {entry.app}".casefold() for word in words)
        ]
        found.sort(key=lambda entry: not all(word in entry.label.casefold() for word in words))
        return found

    def find(self, key: str, app: str | None = None) -> Hotkey:
        """The shortcut of a name. Raises NotFound where there is none, BadArguments where several apps have it."""
        wanted = key.strip().casefold()
        fitting = [one for one in self._entries_of(app) if one.key.casefold() == wanted]
        if not fitting:
            raise NotFound(f"no hotkey is called {key!r}", recovery="call list_hotkeys to see the names there are")
        if len({entry.app for entry in fitting}) > 1:
            apps = ", ".join(sorted({entry.app for entry in fitting}))
            raise BadArguments(f"key: {key!r} belongs to several apps: {apps}", recovery="name the app too")
        return fitting[0]

    def _entries_of(self, app: str | None) -> list[Hotkey]:
        """The shortcuts of the application that somebody means: called so, else called nearly so (Firefox ESR)."""
        if app is None:
            return self.entries()
        wanted = app.strip().casefold()
        exact = [entry for entry in self.entries() if _is_of(entry, app)]
        return exact or [
            entry for entry in self.entries() if wanted in (name := entry.app.casefold()) or name in wanted
        ]

    def _read(self) -> tuple[list[Manifest], tuple[str, ...]]:
        found = self._found
        while found is None:
            self.rescan()
            found = self._found
        return found


def _is_of(entry: Hotkey, app: str) -> bool:
    wanted = app.strip().casefold().removesuffix(".desktop")
    app_id = entry.app_id.casefold()
    return wanted in (entry.app.casefold(), app_id, app_id.rpartition(".")[2])


def _merged(manifests: Iterable[Manifest]) -> list[Manifest]:
    """One manifest for each application. Of several shortcuts of a name the first wins; learned is only what is new."""
    merged: list[Manifest] = []
    for manifest in manifests:
        place = next((place for place, known in enumerate(merged) if _are_of_one_app(known, manifest)), None)
        if place is None:
            merged.append(replace(manifest, problems=()))
            continue
        known = merged[place]
        app_id = known.app_id or manifest.app_id
        entries = (*known.entries, *_new_in(manifest, known.entries))
        named = tuple(replace(entry, app=known.app, app_id=app_id) for entry in entries)
        merged[place] = replace(known, app_id=app_id, entries=named)
    return sorted(merged, key=lambda manifest: manifest.app.casefold())


def _are_of_one_app(one: Manifest, other: Manifest) -> bool:
    has_same_id = bool(one.app_id) and one.app_id.casefold() == other.app_id.casefold()
    return has_same_id or one.app.casefold() == other.app.casefold()


def _new_in(manifest: Manifest, known: Sequence[Hotkey]) -> list[Hotkey]:
    keys, chords = {entry.key.casefold() for entry in known}, {_keys_of(entry) for entry in known}
    return [
        entry
        for entry in manifest.entries
        if entry.key.casefold() not in keys and not (entry.source is Source.LEARNED and _keys_of(entry) in chords)
    ]


def _keys_of(entry: Hotkey) -> tuple[object, ...]:
    chord = parse_chord(entry.chord)
    return (frozenset(chord.modifiers), chord.key.casefold())
