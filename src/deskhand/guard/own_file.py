"""A file the user has written: read only where nobody else could have."""

import os
import stat
from pathlib import Path
from typing import Final

from deskhand.model.errors import BadPolicy

_LARGEST: Final = 1 << 20


def content_of(path: Path) -> str | None:
    """What the file says; None where there is none. Who else could write it could undo it: looked at once it is open.

    Raises BadPolicy where it cannot be used.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadPolicy(f"{path} cannot be read: {error.strerror}") from None
    try:
        _check_owner(path, os.fstat(descriptor))
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(_LARGEST + 1)
    finally:
        os.close(descriptor)
    if len(content) > _LARGEST:
        raise BadPolicy(f"{path} is larger than 1 MiB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadPolicy(f"{path}, line {line}: this is not UTF-8") from None


def _check_owner(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise BadPolicy(f"{path} is not a file")
    if found.st_uid not in (os.getuid(), 0):
        raise BadPolicy(f"{path} belongs to another user", recovery="make it your own: copy it, or chown it")
    if found.st_mode & 0o022:
        raise BadPolicy(f"others than its owner can write {path}", recovery=f"chmod go-w {path}")


def line_of_syntax(message: str, text: str) -> str:
    """What tomllib says of a text that is no TOML, with the line first."""
    said, _, place = message.partition(" (at ")
    line = place.partition(",")[0].removeprefix("line ")
    return f"line {line if line.isdigit() else len(text.splitlines())}: {said[:1].lower()}{said[1:]}"
