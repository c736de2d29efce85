"""What a hotkey manifest says, read entry by entry: a bad one is reported and spoils no other."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from deskhand.model.errors import BadArguments
from deskhand.model.keys import KEY_NAMES, parse_chord, suggest_key

KINDS: Final = ("action", "view", "panel", "modal", "toggle")
LARGEST: Final = 1 << 20
"""Bytes of a manifest."""

MOST_ENTRIES: Final = 2000
_MOST_PROBLEMS: Final = 20
_LONGEST: Final = {"app": 100, "app_version": 50, "app_id": 200, "key": 200, "chord": 100, "label": 200, "kind": 20}
_KEY: Final = re.compile(r"[^\W_][\w-]*(\.[\w-]+)*")
_KEPT: Final = "\u200c\u200d"


class Source(StrEnum):
    """Where a shortcut is known from. What comes first here wins."""

    REGISTERED = "registered"
    MANIFEST = "manifest"
    SHIPPED = "shipped"
    LEARNED = "learned"


class BadManifest(ValueError):
    """Raised when something is no manifest at all."""


@dataclass(frozen=True, slots=True)
class Hotkey:
    """One shortcut: `key` is its dotted name, `chord` the keys, `kind` what it does (one of KINDS)."""

    app: str
    key: str
    chord: str
    label: str
    kind: str
    source: Source
    app_id: str = ""
    """The desktop-file id of the application, "" where the manifest names none."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What one application publishes."""

    app: str
    app_version: str
    entries: tuple[Hotkey, ...]
    app_id: str = ""
    problems: tuple[str, ...] = field(default=())
    """What was wrong with entries that were left out."""

    def as_json(self) -> str:
        """The manifest as a file holds it."""
        entries = [{name: getattr(one, name) for name in ("key", "chord", "label", "kind")} for one in self.entries]
        head = {"app": self.app, "app_version": self.app_version, "app_id": self.app_id}
        return json.dumps(head | {"entries": entries}, ensure_ascii=False, indent=1)


def parse_text(data: bytes, source: Source) -> Manifest:
    """The manifest in the bytes of a file. Raises BadManifest."""
    try:
        raw = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadManifest("it is not UTF-8") from None
    except RecursionError:
        raise BadManifest("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadManifest(f"it is not JSON: {error.msg} in line {error.lineno}") from None
    except ValueError:  # a number of thousands of digits
        raise BadManifest("it is not JSON that can be read") from None
    return parse(raw, source)


def parse(raw: Any, source: Source) -> Manifest:
    """The manifest in an object; entries that are wrong are left out and named. Raises BadManifest."""
    if not isinstance(raw, Mapping):
        raise BadManifest("it is not an object")
    if problem := _problem_of_text(raw, "app"):
        raise BadManifest(problem)
    if not isinstance(raw.get("entries"), list):
        raise BadManifest('it has no list "entries"')
    app, app_id = raw["app"].strip(), _optional(raw, "app_id")
    entries: dict[str, Hotkey] = {}
    problems: list[str] = []
    for number, entry in enumerate(raw["entries"], 1):
        problem = "there are too many" if number > MOST_ENTRIES else _problem_of(entry, entries)
        if problem is None:
            values = {name: entry[name].strip() for name in ("key", "chord", "label", "kind")}
            entries[values["key"]] = Hotkey(app=app, source=source, app_id=app_id, **values)
        elif len(problems) < _MOST_PROBLEMS:
            problems.append(f"entry {number}: {problem}")
        if number > MOST_ENTRIES:
            break
    return Manifest(app, _optional(raw, "app_version"), tuple(entries.values()), app_id, tuple(problems))


def _optional(raw: Mapping[str, Any], name: str) -> str:
    return "" if _problem_of_text(raw, name) else str(raw[name]).strip()


def _problem_of(entry: Any, known: Mapping[str, Hotkey]) -> str | None:
    """What is wrong with an entry, None for nothing."""
    if not isinstance(entry, Mapping):
        return "it is not an object"
    for name in ("key", "chord", "label", "kind"):
        if problem := _problem_of_text(entry, name):
            return problem
    key, kind = entry["key"].strip(), entry["kind"].strip()
    if not _KEY.fullmatch(key):
        return f"the key {key!r} is not a dotted name like editor.file.save"
    if key in known:
        return f"the key {key!r} stands twice"
    if kind not in KINDS:
        return f"the kind {kind!r} is none of {', '.join(KINDS)}"
    return problem_of_chord(entry["chord"])


def _problem_of_text(raw: Mapping[str, Any], name: str) -> str | None:
    value = raw.get(name)
    if not isinstance(value, str) or not value.strip():
        return f'it has no text "{name}"'
    if len(value) > _LONGEST[name]:
        return f'its "{name}" is longer than {_LONGEST[name]} characters'
    if not all(character.isprintable() or character in _KEPT for character in value):
        return f'its "{name}" holds characters that cannot be shown'
    return None


def problem_of_chord(written: str) -> str | None:
    """What is wrong with a chord, None for nothing."""
    try:
        chord = parse_chord(written)
    except BadArguments as error:
        return str(error).removeprefix("keys: ")
    key = chord.key
    if len(key) > 1 and key not in _NAMED_KEYS and not key.startswith("XF86"):
        return f"no key is called {key!r}{suggest_key(key)}"
    return None


_NAMED_KEYS: Final = frozenset(KEY_NAMES.values())
