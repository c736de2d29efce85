"""A process that fights for the seat of a directory: `python fighter.py DIRECTORY NAME WAY WITNESS FIGHTS`.

WAY is `take` or `acquire`. Whoever has the seat locks WITNESS, a file that the seat knows nothing of, and counts one
more fight in it, until there have been FIGHTS. It ends with 1 where somebody else was there, and prints how often it
has won and lost.

`take` is not fair: who tries again sooner wins again, and the scheduler decides who that is. So who has won ten times in
a row leaves the next fight to the other: it does not try until that has won, or all are over.
"""

import fcntl
import os
import sys
from io import FileIO
from pathlib import Path
from typing import Final

from deskhand.guard.seat_file import Holder
from deskhand.guard.sessions import Sessions
from deskhand.model.turn import Turn

_MOST_IN_A_ROW: Final = 10


def main(directory: str, name: str, way: str, witness: str, fights: str) -> int:
    sessions = Sessions(Path(directory), lambda: "test")

    def fight() -> Holder | None:
        if way == "take":
            return sessions.take(name, name, "", 60)
        return sessions.acquire(name, name, "", 60, 60, Turn())

    won = lost = in_a_row = 0
    last = 0
    _say("ready")
    with open(witness, "r+b", buffering=0) as file:
        while True:
            now = _fought(file)
            if now != last:
                in_a_row = 0  # the other has won since
            if in_a_row >= _MOST_IN_A_ROW and now < int(fights):
                os.sched_yield()
                continue
            holder = fight()
            if holder is None:
                lost += 1
                continue
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                _say(f"{name} has the seat, and is not alone")
                return 1
            fought = _fought(file)
            if fought < int(fights):
                os.pwrite(file.fileno(), str(fought + 1).encode(), 0)
                won, in_a_row, last = won + 1, in_a_row + 1 if fought == last else 1, fought + 1
            fcntl.flock(file, fcntl.LOCK_UN)
            sessions.end(holder.session_id)
            if fought >= int(fights):
                _say(f"{won} {lost}")
                return 0


def _fought(file: FileIO) -> int:
    return int(os.pread(file.fileno(), 20, 0))


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
