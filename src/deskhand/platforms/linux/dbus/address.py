"""Opening a socket to a D-Bus address, as this user."""

import contextlib
import os
import re
import socket

from deskhand.platforms.linux.dbus.errors import ConnectionLost


def connect(address: str, timeout: float) -> socket.socket:
    """Open the first address of a D-Bus address list that answers, and authenticate as this user."""
    last: Exception | None = None
    for alternative in address.split(";"):
        match = re.search(r"(path|abstract)=([^,;]+)", alternative)
        if match is None:
            continue
        where = re.sub(r"%([0-9A-Fa-f]{2})", lambda hexadecimal: chr(int(hexadecimal[1], 16)), match[2])
        try:
            return _authenticate("\0" + where if match[1] == "abstract" else where, timeout)
        except (OSError, ConnectionLost) as error:
            last = error
    raise ConnectionLost(f"cannot connect to D-Bus at {address!r}: {last or 'no unix address in it'}")


def _authenticate(where: str, timeout: float) -> socket.socket:
    """SASL EXTERNAL: the kernel tells the other side who we are."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with contextlib.ExitStack() as undo:
        undo.callback(connection.close)
        connection.settimeout(timeout)
        connection.connect(where)
        connection.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        answer = connection.recv(4096)
        if not answer.startswith(b"OK"):
            raise ConnectionLost(f"authentication was refused: {answer[:60]!r}")
        connection.sendall(b"BEGIN\r\n")
        undo.pop_all()
    return connection
