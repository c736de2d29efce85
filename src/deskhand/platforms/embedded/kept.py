"""Whether the desktop around us is one that `deskhand desktop` keeps for agents, with nothing of the user's on it."""

import contextlib
import os
import socket
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from deskhand.model.errors import DeskError
from deskhand.platforms.embedded.desktop import FOR_AGENTS, KEEPER
from deskhand.platforms.x11.connection import XServer

_PEER: Final = struct.Struct("3i")


def is_kept_for_agents(environment: Mapping[str, str]) -> bool:
    """Whether a process of this user's that keeps a desktop for agents has started the X server there.

    Asked of the system, by who is at the other end of the connection, and not of the desktop: a property of the root
    window or a name in the environment could be set there by any program, and would grant everything on the user's own
    one.
    """
    server = _process_of_server(environment)
    return server is not None and _is_keeper(_parent_of(server))


def _process_of_server(environment: Mapping[str, str]) -> int | None:
    """The X server's process, where it is this user's and on this machine."""
    try:
        server = XServer(environment)
    except DeskError:
        return None
    with contextlib.closing(server), socket.socket(fileno=os.dup(server.connection.get_file_descriptor())) as line:
        if line.family != socket.AF_UNIX:
            return None
        pid, uid, _ = _PEER.unpack(line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
        return int(pid) if uid == os.getuid() else None


def _parent_of(pid: int) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    return 0


def _is_keeper(pid: int) -> bool:
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        is_ours = os.stat(f"/proc/{pid}").st_uid == os.getuid()
        return is_ours and words[-3:] == [os.fsencode(KEEPER), FOR_AGENTS.encode(), b""]
    return False
