"""Who is at the other end of a socket of this machine: the user, and whether they are still there."""

import contextlib
import select
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

_TABLES: Final = {"/proc/net/tcp": "", "/proc/net/tcp6": "::ffff:"}
"""Each with what stands before an address of four numbers there: some programs use sockets of IPv6 for both."""
_OF_THE_USER: Final = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Peer:
    """The other end. `uid` None: it is not of this machine, or nobody has it open any more."""

    uid: int | None
    is_here: bool
    """It is an end on this machine, so that its going can be seen."""


def is_loopback(address: str) -> bool:
    """Whether only programs of this machine reach an address, which is written in digits."""
    return ip_address(address.partition("%")[0]).is_loopback


def peer_of(connection: socket.socket) -> Peer:
    """The other end of a connected socket."""
    if connection.fileno() < 0:  # our own end is closed
        return Peer(None, is_here=True)
    if connection.family == socket.AF_UNIX:
        _, uid, _ = _OF_THE_USER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _OF_THE_USER.size))
        return Peer(None if _is_hung_up(connection) else uid, is_here=True)
    try:
        ours, theirs = connection.getsockname(), connection.getpeername()
    except OSError:  # the connection was reset
        return Peer(None, is_here=True)
    if not is_loopback(theirs[0]) and not is_loopback(ours[0]):
        return Peer(None, is_here=False)
    return Peer(_user_of(theirs, ours), is_here=True)


def _is_hung_up(connection: socket.socket) -> bool:
    """Whether the other end of a Unix socket is closed altogether, not for writing alone."""
    poll = select.poll()
    poll.register(connection.fileno(), 0)
    return any(events & select.POLLHUP for _, events in poll.poll(0))


def _user_of(end: tuple[str, int], other_end: tuple[str, int]) -> int | None:
    """The user whose program has a TCP socket open, which is known by its own end and the other one.

    A socket that is closed but still says goodbye belongs to nobody: it has no inode, and no user to be believed.
    """
    for table, prefix in _TABLES.items():
        wanted = [_written(prefix, *end[:2]), _written(prefix, *other_end[:2])]
        for fields in _rows(table):
            if fields[1:3] == wanted and fields[9] != "0":
                return int(fields[7])
    return None


def _rows(table: str) -> Iterator[list[str]]:
    with contextlib.suppress(FileNotFoundError), open(table, encoding="ascii") as lines:
        next(lines)
        yield from map(str.split, lines)


def _written(prefix: str, address: str, port: int) -> str:
    """An end as the kernel's table has it: words in the machine's own order of bytes."""
    plain = address.partition("%")[0]
    packed = ip_address(plain if ":" in plain else prefix + plain).packed
    return "".join(f"{word:08X}" for word in struct.unpack(f"={len(packed) // 4}I", packed)) + f":{port:04X}"
