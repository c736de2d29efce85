"""An agent in a process of its own that takes the seat of a directory: `python agent.py DIRECTORY NAME LOG SECONDS`.

It notes in LOG when it comes in and when it leaves, and stays for SECONDS.
"""

import os
import sys
import time
from pathlib import Path

from deskhand.guard.sessions import Sessions
from deskhand.model.turn import Turn


def main(directory: str, name: str, log: str, seconds: str) -> None:
    sessions = Sessions(Path(directory), lambda: "test")
    with open(log, "ab", buffering=0) as notes:
        holder = sessions.acquire(name, name, "", 60, 60, Turn())
        if holder is None:
            notes.write(f"late {name}\n".encode())
            return
        notes.write(f"enter {name} {os.getpid()}\n".encode())
        time.sleep(float(seconds))
        notes.write(f"leave {name} {os.getpid()}\n".encode())
        sessions.release(holder.session_id, name)


if __name__ == "__main__":
    main(*sys.argv[1:])
