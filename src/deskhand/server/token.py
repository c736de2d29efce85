"""The token that clients show: read once from a file that nobody else can read, compared in constant time."""

import hmac
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deskhand.model.errors import BadToken

_SHORTEST: Final = 16
_LONGEST: Final = 4096


@dataclass(frozen=True, slots=True)
class Token:
    """What a client must know; it shows in no log and no repr."""

    _secret: bytes = field(repr=False)

    def is_shown_by(self, shown: object) -> bool:
        """Whether this is it; how long the answer takes tells nothing of how nearly."""
        given = shown.encode("utf-8", "replace") if isinstance(shown, str) else b""
        return hmac.compare_digest(given, self._secret)


def load_token(path: Path) -> Token:
    """The token in a file, without the white space around it. Raises BadToken where the file will not do."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise BadToken(f"the token file {path} cannot be read: {error.strerror}") from None
    try:
        # Looked at once it is open: what has that name now need not be what is read.
        _check(path, os.fstat(descriptor))
        content = os.read(descriptor, _LONGEST + 1)
    finally:
        os.close(descriptor)
    if len(content) > _LONGEST:
        raise BadToken(f"the token file {path} is longer than {_LONGEST} bytes")
    secret = content.strip()
    if not secret:
        raise BadToken(f"the token file {path} is empty")
    if len(secret) < _SHORTEST:
        raise BadToken(f"the token in {path} has {len(secret)} bytes; at least {_SHORTEST} are needed")
    try:
        said = secret.decode()
    except UnicodeDecodeError:
        said = "\0"
    if not said.isprintable():
        raise BadToken(f"the token in {path} is not one line of text")
    return Token(secret)


def _check(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise BadToken(f"the token file {path} is not a file")
    if found.st_uid != os.getuid():
        raise BadToken(f"the token file {path} belongs to another user")
    if found.st_mode & 0o077:
        raise BadToken(f"others can read or write the token file {path}", recovery=f"chmod 600 {path}")
