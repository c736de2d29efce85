"""Pictures kept as files that only this user can read."""

import os
import secrets
from datetime import datetime
from pathlib import Path

from deskhand.guard.places import pictures_directory
from deskhand.model.errors import PermissionMissing
from deskhand.model.image import Picture


def keep(picture: Picture) -> Path:
    """Write a picture to a new file in the directory of pictures. Raises PermissionMissing where that cannot be done."""
    path = pictures_directory() / f"{datetime.now():%Y%m%d-%H%M%S}-{secrets.token_hex(3)}.jpg"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(picture.data)
    except OSError as error:
        raise PermissionMissing(f"the picture could not be kept in {path.parent}: {error.strerror}") from None
    return path
