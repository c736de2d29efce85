"""What a recording costs while it runs: a screen at work, one where everything moves, and one that rests."""

import contextlib
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
from tests.support.applications import eventually
from tests.support.x_window import XWindow

from bench.measure import Bench, Row, has
from deskhand.model.geometry import Point, Rect

_PART = Rect(0, 0, 1280, 800)
_RATE = 15
_SECONDS = 8.0
_STEPS_A_SECOND = 30
_REACH = 15.0


def rows(bench: Bench) -> Iterator[Row]:
    for name, step in (("at work", _work), ("where everything moves", _turmoil), ("that rests", _rest)):
        with XWindow(bench.desktop.environment, _PART, colour=0xF0F0F0, managed=False) as window:
            with _going_on(bench, window, step):
                ours, note = _ours(bench)
            with _going_on(bench, window, step):
                others = {"ffmpeg x11grab": _ffmpeg(bench)}
        work = f"recording 1280×800 at {_RATE} a second, a screen {name}"
        yield Row(work, f"≤ {_REACH:g} % of a core", "%", ours, others, ours <= _REACH, note)


Step = Callable[[XWindow, random.Random, int], None]


def _work(window: XWindow, chance: random.Random, number: int) -> None:
    """Somebody types: a character appears, and the line moves on."""
    column, line = number % 80, number // 80 % 30
    window.paint(Rect(200 + column * 9, 100 + line * 18, 7, 12), chance.getrandbits(24))


def _turmoil(window: XWindow, chance: random.Random, number: int) -> None:
    """Everything is painted over, in large squares."""
    for _ in range(6):
        part = Rect(chance.randrange(1280), chance.randrange(800), chance.randrange(400), chance.randrange(400))
        window.paint(part, chance.getrandbits(24))


def _rest(window: XWindow, chance: random.Random, number: int) -> None:
    """Nothing happens."""


@contextlib.contextmanager
def _going_on(bench: Bench, window: XWindow, step: Step) -> Iterator[None]:
    """The same goes on in the window while the block runs, and the pointer moves where anything does."""
    over = threading.Event()
    chance, platform = random.Random(7), bench.desktop.connect()

    def go_on() -> None:
        number = 0
        while not over.wait(1 / _STEPS_A_SECOND):
            step(window, chance, number)
            if step is not _rest:
                platform.pointer.move(Point(100 + number * 7 % 1000, 100 + number * 3 % 600))
                platform.pointer.position()
            number += 1

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        platform.close()


def _ours(bench: Bench) -> tuple[float, str]:
    with bench.client() as client:
        started = client.do("record_start", x=0, y=0, width=1280, height=800, fps=_RATE)
        share = _share(client.process.pid)
        stopped = client.do("record_stop")
    Path(started.fields["path"].strip('"')).unlink()
    kilobytes = int(stopped.fields["size"]) / 1024
    return share, f"the server's own share; {stopped.fields['frames']} pictures, {kilobytes:.0f} KB"


def _ffmpeg(bench: Bench) -> float | None:
    if not has("ffmpeg"):
        return None
    path = Path(tempfile.mkdtemp(prefix="dh-film-")) / "film.mp4"
    command = (
        f"ffmpeg -loglevel error -f x11grab -framerate {_RATE} -video_size 1280x800 -i {bench.environment['DISPLAY']} "
        f"-c:v libx264 -preset ultrafast -pix_fmt yuv420p -movflags frag_keyframe+empty_moov {path}"
    )
    process = subprocess.Popen(command.split(), env=bench.environment, stdin=subprocess.PIPE)
    try:
        eventually(path.exists, what="the file of ffmpeg")
        return _share(process.pid)
    finally:
        process.communicate(b"q", timeout=30)


def _share(pid: int) -> float:
    """How much of a core a process takes for some seconds, in percent."""
    process = psutil.Process(pid)
    time.sleep(1.0)  # until it has done what is done once
    before, start = process.cpu_times(), time.monotonic()
    time.sleep(_SECONDS)
    after, seconds = process.cpu_times(), time.monotonic() - start
    return (after.user + after.system - before.user - before.system) / seconds * 100
