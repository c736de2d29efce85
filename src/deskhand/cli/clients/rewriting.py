"""Changing a file that belongs to another program: seen first, kept beside, and replaced in one step."""

import difflib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deskhand.model.errors import BadConfiguration


@dataclass(frozen=True, slots=True)
class Change:
    """What a file will be. `path` is what it is called, `target` where a link by that name leads."""

    path: Path
    target: Path
    before: str | None
    """None where there is no file yet."""
    after: str

    def difference(self) -> Iterator[str]:
        """The lines of a unified diff."""
        old, new = (self.before or "").splitlines(keepends=True), self.after.splitlines(keepends=True)
        source = str(self.path) if self.before is not None else os.devnull
        for line in difflib.unified_diff(old, new, source, str(self.path)):
            yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"

    def make(self) -> Path | None:
        """Write it; the copy of what was there before. Raises BadConfiguration where it cannot be written."""
        try:
            return self._make()
        except OSError as error:
            raise BadConfiguration(f"{self.path} cannot be written: {error.strerror}") from None

    def _make(self) -> Path | None:
        backup: Path | None = None
        self.target.parent.mkdir(parents=True, exist_ok=True)
        if content_of(self.path) != self.before:
            raise BadConfiguration(f"{self.path} has been changed meanwhile", recovery="call this again")
        if self.before is not None:
            self._check_owner()
            backup = _free_name(self.target)
            shutil.copy2(self.target, backup)
            _dress_as(self.target, backup)
        descriptor, temporary = tempfile.mkstemp(dir=self.target.parent, prefix=f".{self.target.name}.")
        try:
            with open(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(self.after)
                file.flush()
                os.fsync(descriptor)
            if self.before is not None:
                _dress_as(self.target, temporary)
            os.replace(temporary, self.target)
        except BaseException:
            os.unlink(temporary)
            raise
        return backup

    def _check_owner(self) -> None:
        """Raise BadConfiguration for what its owner does not want written: to replace a file needs no right to it."""
        found = os.stat(self.target)
        if not found.st_mode & 0o222:
            raise BadConfiguration(
                f"{self.path} is read-only; nothing is changed", recovery=f"chmod u+w {self.target}, then try again"
            )
        if os.getuid() not in (0, found.st_uid):
            raise BadConfiguration(
                f"{self.path} belongs to another user; nothing is changed",
                recovery="call this as the user it belongs to",
            )


def _dress_as(old: Path, new: str | Path) -> None:
    """Give a file the owner and the rights of the one it takes the place of: root writes for somebody else."""
    found = os.stat(old)
    os.chown(new, found.st_uid, found.st_gid if os.getuid() == 0 else -1)
    shutil.copymode(old, new)


def content_of(path: Path) -> str | None:
    """What a file says; None where there is none. Raises BadConfiguration where it cannot be read."""
    try:
        # Looked at once it is open: a pipe would be waited for, for ever.
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadConfiguration(f"{path} is not a file", recovery="look at who put it there; move it away")
            return file.read().decode()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadConfiguration(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BadConfiguration(f"{path}, line {line}: this is not UTF-8") from None


def _free_name(path: Path) -> Path:
    """A name beside it for a copy: older copies stay."""
    names = (path.with_name(f"{path.name}.before-deskhand{number}") for number in ("", *map(str, range(2, 1000))))
    return next(name for name in names if not os.path.lexists(name))
