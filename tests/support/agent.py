"""An agent in a process of its own that takes the seat of a directory: `python agent.py DIRECTORY NAME LOG SECONDS [FATE]`.

It notes in LOG when it comes in and when it leaves, and stays for SECONDS. While it is in, it holds a lock that has
nothing to do with the seat, and notes "second" where another holds that. FATE is `cancel` for one that gives up waiting
at SIGUSR1, `expire` for one that does nothing with the seat and lets its time run out.
"""

import fcntl
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO

from deskhand.guard.sessions import Sessions
from deskhand.model.errors import Cancelled
from deskhand.model.turn import Turn

_SHORT_SECONDS = 0.3


def main(directory: str, name: str, log: str, seconds: str, fate: str = "") -> None:
    ended, turn = threading.Event(), Turn()
    sessions = Sessions(Path(directory), lambda: "test", lambda _: ended.set())
    if fate == "cancel":
        # A signal's handler runs between two instructions of a thread that may hold the turn's lock.
        signal.signal(signal.SIGUSR1, lambda *_: threading.Thread(target=turn.cancel).start())
    with open(log, "ab", buffering=0) as notes, open(f"{log}.witness", "ab") as witness:
        try:
            holder = sessions.acquire(name, name, "", _SHORT_SECONDS if fate == "expire" else 60, 60, turn)
        except Cancelled:
            notes.write(f"cancelled {name}\n".encode())
            return
        if holder is None:
            notes.write(f"late {name}\n".encode())
            return
        if fate == "expire":
            notes.write(f"enter {name} {os.getpid()}\nleave {name} {os.getpid()}\n".encode())
            assert ended.wait(30), "its time has not run out"
            return
        _be_alone(name, notes, witness)
        notes.write(f"enter {name} {os.getpid()}\n".encode())
        time.sleep(float(seconds))
        notes.write(f"leave {name} {os.getpid()}\n".encode())
        fcntl.flock(witness, fcntl.LOCK_UN)
        sessions.release(holder.session_id, name)


def _be_alone(name: str, notes: BinaryIO, witness: BinaryIO) -> None:
    """Take the lock that the kernel gives to one process at a time, and takes from it when it dies."""
    try:
        fcntl.flock(witness, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        notes.write(f"second {name}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
