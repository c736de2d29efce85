"""Files of hotkey manifests: those that applications publish, and those that deskhand keeps for what it was told."""

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

from deskhand.desktop.hotkeys.manifest import LARGEST, BadManifest, Manifest, Source, parse_text
from deskhand.model.errors import NotPossible

SHIPPED: Final = Path(__file__).parent / "shipped"
_FILE: Final = "hotkeys.json"
_MOST_FILES: Final = 500


@dataclass(frozen=True, slots=True)
class Scanned:
    """What was found: manifests, those that win first, and what was wrong with files and entries."""

    manifests: tuple[Manifest, ...]
    problems: tuple[str, ...]


def data_folders() -> tuple[Path, ...]:
    """The user's data folder, then the system's."""
    dirs = platformdirs.PlatformDirs(multipath=True)
    return (Path(dirs.user_data_dir), *(Path(folder) for folder in dirs.site_data_dir.split(os.pathsep)))


def published(folders: Iterable[Path]) -> Iterator[Path]:
    """Where applications publish manifests in these folders: `APP/hotkeys.json`."""
    for folder in folders:
        with contextlib.suppress(OSError):  # one that there is not, or that nobody may look into
            yield from sorted(one / _FILE for one in folder.iterdir() if _is_there(one / _FILE))


def scan(paths: Iterable[tuple[Path, Source]]) -> Scanned:
    """Read these files. A bad one is named, and spoils no other."""
    manifests: list[Manifest] = []
    problems: list[str] = []
    for number, (path, source) in enumerate(paths):
        if number >= _MOST_FILES:
            problems.append(f"{path}: there are more than {_MOST_FILES} manifests; the rest was not read")
            break
        try:
            manifest = parse_text(_read(path), source)
        except BadManifest as error:
            problems.append(f"{path}: {error}")
        except OSError as error:
            problems.append(f"{path}: {error.strerror}")
        else:
            manifests.append(manifest)
            problems += [f"{path}: {problem}" for problem in manifest.problems]
    return Scanned(tuple(manifests), tuple(problems))


class Kept:
    """Manifests that outlive the server, one file for each application."""

    def __init__(self, directory: Callable[[], Path], source: Source) -> None:
        """`directory` is called when there is something to read or write, and may make it."""
        self._directory = directory
        self.source = source

    def paths(self) -> list[Path]:
        """The files there are."""
        with contextlib.suppress(OSError):
            return sorted(one for one in self._folder().iterdir() if one.suffix == ".json")
        return []

    def write(self, manifest: Manifest) -> None:
        """Keep a manifest in place of the application's former one; nothing of one without entries."""
        folder = self._folder()
        path = folder / _name_of(manifest.app)
        if not manifest.entries:
            path.unlink(missing_ok=True)
            return
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists() and len(self.paths()) >= _MOST_FILES // 2:
            raise NotPossible(
                f"manifests of {_MOST_FILES // 2} apps are kept already",
                recovery="register one with no entries for an app that is not needed any more",
            )
        new = path.with_suffix(f".{os.getpid()}.new")
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(manifest.as_json())
        new.replace(path)

    def _folder(self) -> Path:
        return self._directory() / "hotkeys" / self.source.value


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except OSError:
        return False
    return True


def _read(path: Path) -> bytes:
    """The bytes of a file, also at the end of a link, but of nothing else: no pipe, no device, nothing endless."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise BadManifest("it is a link that leads nowhere") from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadManifest("it is not a file")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise BadManifest("it is larger than 1 MiB")
    return data


def _name_of(app: str) -> str:
    """A file's name for an application: readable, and another for every other application."""
    folded = app.casefold()
    readable = re.sub(r"[^a-z0-9]+", "-", folded).strip("-")[:40] or "app"
    return f"{readable}-{hashlib.sha256(folded.encode('utf-8', 'replace')).hexdigest()[:12]}.json"
