"""Where deskhand keeps what outlives a call, in directories that only this user can read."""

import os
import stat
import warnings
from pathlib import Path

import platformdirs

from deskhand.model.errors import PermissionMissing

_NAME = "deskhand"


def runtime_directory() -> Path:
    """For locks and pipes: gone after a restart of the machine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # platformdirs warns where it takes one below /tmp
        path = Path(platformdirs.user_runtime_dir(_NAME))
    if not os.environ.get("XDG_RUNTIME_DIR"):
        private_directory(path.parent)  # anybody may have made one of that name below /tmp
    return private_directory(path)


def state_directory() -> Path:
    """For what is kept: the audit, recordings."""
    return private_directory(Path(platformdirs.user_state_dir(_NAME)))


def recordings_directory() -> Path:
    """For films whose place nobody has named."""
    return private_directory(state_directory() / "recordings")


def pictures_directory() -> Path:
    """For screenshots that are to be kept."""
    return private_directory(state_directory() / "pictures")


def config_directory() -> Path:
    """For what the user has set."""
    return Path(platformdirs.user_config_dir(_NAME))


def private_directory(path: Path) -> Path:
    """Make a directory that nobody else can look into.

    Raises PermissionMissing where there is one that belongs to somebody else or is open to others.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = os.lstat(path)
    except OSError as error:
        raise PermissionMissing(f"the directory {path} cannot be used: {error.strerror}") from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionMissing(f"{path} is not a directory of this user", recovery=f"remove {path}, then try again")
    if found.st_mode & 0o077:
        path.chmod(0o700)
    return path
