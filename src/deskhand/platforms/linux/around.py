"""The desktop session around this process, also where whoever started it has passed no DISPLAY on.

Several MCP clients start servers with a handful of variables. Every program of the session has the others.
"""

import contextlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

_NAMES: Final = (
    "DISPLAY",
    "XAUTHORITY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_TYPE",
    "XDG_CURRENT_DESKTOP",
    "AT_SPI_BUS_ADDRESS",
)
_OURS: Final = "/deskhand-"
"""In the runtime directory of an embedded desktop: such a one belongs to whoever started it."""

Session = tuple[tuple[str, str], ...]


def session_environment(environment: Mapping[str, str], processes: Path = Path("/proc")) -> Mapping[str, str]:
    """The environment with what is lacking of the one desktop session of this user.

    As it is where it names a display, or where this user has no session, or several.
    """
    if environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"):
        return environment
    sessions = Counter(_sessions(processes))
    displays = {dict(session)["DISPLAY"] for session in sessions}
    if len(displays) != 1:
        return environment
    most_common = sessions.most_common(1)[0][0]
    return {**environment, **dict(most_common)}


def _sessions(processes: Path) -> Iterator[Session]:
    """What each process of this user with a display says of its session."""
    for folder in processes.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if folder.stat().st_uid == os.getuid():
                    found = dict(_variables((folder / "environ").read_bytes()))
                    if found.get("DISPLAY") and _OURS not in found.get("XDG_RUNTIME_DIR", ""):
                        yield tuple((name, found[name]) for name in _NAMES if name in found)


def _variables(content: bytes) -> Iterator[tuple[str, str]]:
    for entry in content.split(b"\0"):
        name, mark, value = entry.decode("utf-8", "surrogateescape").partition("=")
        if mark and name in _NAMES:
            yield name, value
