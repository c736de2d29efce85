"""Where clients may come to: a port, or a socket in the file system."""

import contextlib
import errno
import fcntl
import os
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deskhand.model.errors import CannotListen
from deskhand.platforms.linux.peers import is_loopback

_BACKLOG: Final = 128
_LONGEST_PATH: Final = 107


@dataclass(frozen=True, slots=True)
class Port:
    """A TCP port that is listened on."""

    socket: socket.socket
    host: str
    number: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.number}" if ":" in self.host else f"{self.host}:{self.number}"

    def close(self) -> None:
        self.socket.close()


@dataclass(frozen=True, slots=True)
class SocketFile:
    """A Unix socket that is listened on; `inode` tells our file from one that has taken its place."""

    socket: socket.socket
    path: Path
    inode: tuple[int, int]

    def __str__(self) -> str:
        return str(self.path)

    def close(self) -> None:
        self.socket.close()
        with contextlib.suppress(OSError):
            if _inode_of(os.lstat(self.path)) == self.inode:
                self.path.unlink()


Address = Port | SocketFile
"""A place that is listened at."""


def open_port(host: str, port: int, *, has_token: bool) -> Port:
    """Listen on a port; 0 takes a free one. Raises CannotListen, also for the network where there is no token."""
    try:
        (family, _, _, _, address), *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise CannotListen(f"{host!r} is no address of this machine", recovery="give an address in digits") from None
    if not has_token and not is_loopback(str(address[0])):
        raise CannotListen(
            f"{host} can be reached from other machines, which needs a token that every client must show",
            recovery="add --token-file FILE, or leave --host out to be reached from this machine alone",
        )
    try:
        listening = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise CannotListen(f"port {port} of {host} cannot be listened on: {reason}") from None
    return Port(listening, str(address[0]), int(listening.getsockname()[1]))


def open_socket_file(path: Path) -> SocketFile:
    """Listen on a Unix socket that only this user can reach. One that nobody listens on any more is replaced.

    Raises CannotListen where others could replace it, something else is in its place, or somebody answers there.
    """
    path = path.absolute()
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise CannotListen(f"the path {path} is longer than the {_LONGEST_PATH} bytes that a socket's may have")
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _only_one(path.parent):
            _make_room(path)
            listening.bind(str(path))
            os.chmod(path, 0o600)  # before it listens, so that nobody has come in meanwhile
            listening.listen(_BACKLOG)
            return SocketFile(listening, path, _inode_of(os.lstat(path)))
    except OSError as error:
        listening.close()
        raise CannotListen(f"{path} cannot be listened on: {error.strerror}") from None
    except BaseException:
        listening.close()
        raise


@contextlib.contextmanager
def _only_one(directory: Path) -> Iterator[None]:
    """A directory that nobody else can rename in, while no other server makes its socket there."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if found.st_uid not in (os.getuid(), 0):
            raise CannotListen(f"the directory {directory} belongs to another user")
        if found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX:
            raise CannotListen(
                f"others can write in the directory {directory}",
                recovery=f"chmod go-w {directory}, or choose a directory of your own, like $XDG_RUNTIME_DIR",
            )
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotListen(f"another server is starting in {directory}", recovery="try again") from None
        yield
    finally:
        os.close(descriptor)


def _make_room(path: Path) -> None:
    """Remove a socket of ours that nobody listens on."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise CannotListen(f"{path} is there already, and is no socket")
    if found.st_uid != os.getuid():
        raise CannotListen(f"the socket {path} belongs to another user")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.setblocking(False)
        if caller.connect_ex(str(path)) != errno.ECONNREFUSED:  # also where so many wait that there is no more room
            raise CannotListen(f"a server answers at {path} already", recovery="end it, or choose another path")
    path.unlink()


def _inode_of(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino
