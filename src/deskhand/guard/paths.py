"""Files that a caller may have made: new ones only, and nothing that a link points to."""

import os
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from deskhand.model.errors import BadArguments, PermissionMissing


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that was not there before, open for reading and writing: whoever writes goes by the descriptor alone."""

    path: Path
    descriptor: int

    def close(self) -> None:
        os.close(self.descriptor)

    def discard(self) -> None:
        """Close it and take it away again, where it is still the one that was made."""
        made = os.fstat(self.descriptor)
        os.close(self.descriptor)
        try:
            found = os.lstat(self.path)
            if (found.st_dev, found.st_ino) == (made.st_dev, made.st_ino):
                self.path.unlink()
        except FileNotFoundError:
            pass


def new_file(path: str, suffix: str) -> NewFile:
    """Make the file that a caller names. Raises BadArguments or PermissionMissing where that cannot be."""
    named = Path(os.path.expanduser(path))
    if not named.is_absolute() or named.suffix.lower() != suffix:
        raise BadArguments(f"{path!r} is not an absolute path that ends in {suffix}", recovery="name one, or none")
    try:
        return _made(named)
    except ValueError:
        raise BadArguments("the path holds a character that no file name has", recovery="name another one") from None
    except FileExistsError:
        raise BadArguments(f"{named} exists already", recovery="name a file that does not exist, or none") from None
    except FileNotFoundError:
        raise BadArguments(f"there is no directory {named.parent}", recovery="name one that exists, or none") from None
    except OSError as error:
        raise PermissionMissing(
            f"{named} cannot be made: {error.strerror}", recovery="name a file this user may make, or none"
        ) from None


def dated_file(folder: Path, suffix: str) -> NewFile:
    """Make a file named after the date and time. Raises PermissionMissing where that cannot be."""
    name = time.strftime("%Y-%m-%d-%H-%M-%S")
    for number in count(1):
        try:
            return _made(folder / f"{name}{f'-{number}' if number > 1 else ''}{suffix}")
        except FileExistsError:
            continue
        except OSError as error:
            raise PermissionMissing(
                f"no file can be made in {folder}: {error.strerror}",
                recovery=f"see to it that {folder} can be written to, or name an output_path elsewhere",
            ) from None
    raise AssertionError


def _made(path: Path) -> NewFile:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return NewFile(path, os.open(path, flags, 0o600))
