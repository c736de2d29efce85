"""Recordings as an agent has them made: what is on the film, when, and how a film ends whatever happens."""

import contextlib
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from deskhand.model.geometry import Point, Rect, Size
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.x11.windows import X11Windows
from tests.support.applications import eventually
from tests.support.client import Client, Reply
from tests.support.films import Film
from tests.support.own_desktops import own_desktop
from tests.support.x_window import XWindow

RED, GREEN, BLUE, WHITE, BLACK = 0xE01010, 0x10C010, 0x1010E0, 0xF0F0F0, 0x000000
PLACE = Rect(300, 200, 320, 240)
WHOLE = Rect(0, 0, 320, 240)
AWAY = Point(1800, 1000)
LATE = 0.5
"""Seconds by which a busy machine may show a change too late; two pictures apart would be 0.13."""


@pytest.fixture
def agent(client: Client) -> Client:
    """A client that may act."""
    client.acquire(ttl=600)
    return client


@pytest.fixture
def red(desktop: EmbeddedSession, platform: Platform) -> Iterator[XWindow]:
    """A red window, exactly at its place and on top of all; the pointer is elsewhere."""
    platform.pointer.move(AWAY)
    with XWindow(desktop.environment, PLACE, colour=RED, title="red", managed=False) as window:
        yield window


@pytest.fixture
def framed(desktop: EmbeddedSession, platform: Platform) -> Iterator[XWindow]:
    """A red window with a frame around it."""
    platform.pointer.move(AWAY)
    with XWindow(desktop.environment, PLACE, colour=RED, title="framed red") as window:
        eventually(lambda: any(one.id == window.id for one in platform.windows.all()), what="being managed")
        yield window


def region(place: Rect = PLACE) -> dict[str, int]:
    return {"x": place.x, "y": place.y, "width": place.width, "height": place.height}


def path_of(reply: Reply) -> Path:
    return Path(reply.fields["path"].strip('"'))


def frames_of(agent: Client) -> int:
    """How many pictures the newest recording has."""
    return int(agent.do("record_list").splitlines()[1].split(",")[6])


def end_of(agent: Client) -> str:
    """Why the newest recording has ended, "null" while it goes on."""
    return agent.do("record_list").splitlines()[1].split(",")[7].strip('"')


def has_ended(agent: Client) -> bool:
    return end_of(agent) != "null"


def shows_last(started: Reply, colour: int, at: tuple[int, int]) -> bool:
    """Whether what has been written of a film so far ends with a picture that has a colour there."""
    frames = Film.of(path_of(started)).frames
    return bool(frames) and frames[-1].shows(colour, *at)


# ---------------------------------------------------------------- what is on the film


def test_a_change_is_on_the_film_when_it_happened(agent: Client, red: XWindow) -> None:
    before = time.monotonic()
    started = agent.do("record_start", **region())
    after = time.monotonic()
    painted = []
    for number, colour in enumerate((GREEN, BLUE, WHITE)):
        eventually(lambda number=number: frames_of(agent) == number + 1, what="the picture before")  # type: ignore[misc]
        earliest = time.monotonic()
        red.paint(WHOLE, colour)
        painted.append((colour, earliest, time.monotonic()))
    eventually(lambda: frames_of(agent) == 4, what="the last picture")
    last = time.monotonic()
    stopped = agent.do("record_stop")
    film = Film.of(path_of(started))
    assert (film.size, film.codec, film.layout) == (PLACE.size, "h264", "yuv420p")
    assert film.frames[0].at == 0
    assert film.frames[0].shows(RED, 100, 100)
    for colour, earliest, latest in painted:
        shown = film.begins_to_show(colour, 100, 100)
        assert shown is not None
        assert earliest - after <= shown <= latest - before + LATE
    assert last - after <= film.seconds <= time.monotonic() - before
    assert float(stopped.fields["duration"]) == pytest.approx(film.seconds, abs=0.005)
    assert stopped.fields["frames"] == "4"
    assert int(stopped.fields["size"]) == path_of(started).stat().st_size
    assert stopped.fields["reason"] == "it was stopped"


def test_what_does_not_change_is_filmed_once(agent: Client, red: XWindow) -> None:
    started = agent.do("record_start", **region())
    eventually(lambda: path_of(started).stat().st_size > 2000, what="the first fragment")
    red.paint(WHOLE, RED)  # drawn, and yet nothing has changed
    size = path_of(started).stat().st_size
    eventually(lambda: path_of(started).stat().st_size > size, what="a later fragment")
    stopped = agent.do("record_stop")
    assert stopped.fields["frames"] == "1"
    film = Film.of(path_of(started))
    assert len(film.frames) <= film.seconds + 2
    assert all(frame.shows(RED, 100, 100) for frame in film.frames)


def test_the_pointer_is_on_the_film_where_it_goes(agent: Client, red: XWindow, platform: Platform) -> None:
    red.show_pointer_as(GREEN, 24)
    started = agent.do("record_start", **region())
    platform.pointer.move(Point(PLACE.x + 50, PLACE.y + 60))
    eventually(lambda: frames_of(agent) == 2, what="the pointer")
    platform.pointer.move(Point(PLACE.x + 200, PLACE.y + 160))
    eventually(lambda: frames_of(agent) == 3, what="the pointer elsewhere")
    agent.do("record_stop")
    film = Film.of(path_of(started))
    first, second = film.begins_to_show(GREEN, 60, 70), film.begins_to_show(GREEN, 210, 170)
    assert first is not None
    assert second is not None
    assert first < second
    assert film.frames[-1].shows(RED, 60, 70)


def test_a_covered_window_is_filmed_with_its_own_content(
    agent: Client, framed: XWindow, desktop: EmbeddedSession
) -> None:
    started = agent.do("record_start", window_name="framed red")
    assert started.fields["target"] == "window framed red"
    with XWindow(desktop.environment, Rect(0, 0, 1900, 1000), colour=WHITE, managed=False):
        framed.paint(WHOLE, GREEN)
        eventually(lambda: frames_of(agent) == 2, what="what is below the cover")
        agent.do("record_stop")
    film = Film.of(path_of(started))
    middle = film.size.width // 2, film.size.height // 2
    assert film.frames[0].shows(RED, *middle)
    assert film.frames[-1].shows(GREEN, *middle)
    assert not any(frame.shows(WHITE, *middle) for frame in film.frames)


def test_a_covered_window_is_filmed_where_nobody_keeps_its_contents() -> None:
    with own_desktop() as own, Client(environment=own.environment) as agent:
        agent.initialize()
        agent.acquire()
        with XWindow(own.environment, PLACE, colour=RED, title="alone") as window:
            eventually(lambda: any(one.id == window.id for one in own.platform.windows.all()), what="being managed")
            with XWindow(own.environment, Rect(0, 0, 1000, 700), colour=WHITE, managed=False):
                started = agent.do("record_start", window_name="alone")
                window.paint(WHOLE, GREEN)
                eventually(lambda: frames_of(agent) >= 2, what="what is below the cover")
                agent.do("record_stop")
        film = Film.of(path_of(started))
        assert film.frames[-1].shows(GREEN, film.size.width // 2, film.size.height // 2)


@pytest.mark.parametrize("size", [Size(160, 400), Size(640, 480)])
def test_a_window_that_becomes_another_size_stays_on_a_film_of_the_same(
    agent: Client, framed: XWindow, size: Size
) -> None:
    started = agent.do("record_start", window_id=framed.id)
    before = Size(int(started.fields["width"]), int(started.fields["height"]))
    framed.core.ConfigureWindow(framed.id, 4 | 8, [*size])
    framed.server.sync()
    eventually(lambda: framed.place.size == size, what="another size")
    frames = frames_of(agent)
    framed.paint(Rect(0, 0, *size), BLUE)
    eventually(lambda: frames_of(agent) > frames, what="a picture of it")
    eventually(lambda: shows_last(started, BLUE, _middle(before)), what="its last picture")
    agent.do("record_stop")
    film = Film.of(path_of(started))
    assert film.size == before
    edge = (1, before.height // 2) if size.width < size.height else (before.width // 2, 1)
    assert film.frames[-1].shows(BLACK, *edge)


def _middle(size: Size) -> tuple[int, int]:
    return size.width // 2, size.height // 2


def test_a_minimised_window_keeps_its_last_picture_until_it_is_back(
    agent: Client, framed: XWindow, tmp_path: Path
) -> None:
    started = agent.do("record_start", window_id=framed.id)
    windows = X11Windows(framed.server)
    windows.minimize(framed.id)
    eventually(lambda: not framed.is_viewable, what="being minimized")
    refused = agent.call("record_start", window_id=framed.id, output_path=str(tmp_path / "film.mp4"))
    assert "error: that window is minimized" in refused
    assert not (tmp_path / "film.mp4").exists()
    windows.activate(framed.id)
    eventually(lambda: framed.is_viewable, what="being back")
    framed.paint(WHOLE, GREEN)
    eventually(lambda: shows_last(started, GREEN, (160, 130)), what="the window again")
    assert agent.do("record_stop").fields["reason"] == "it was stopped"


@pytest.mark.parametrize("size", [Size(1, 1), Size(101, 51), Size(33, 200)])
def test_a_region_of_any_size_can_be_filmed(agent: Client, red: XWindow, size: Size) -> None:
    started = agent.do("record_start", **region(Rect(PLACE.x, PLACE.y, *size)), fps=30)
    agent.do("record_stop")
    film = Film.of(path_of(started))
    assert film.size == Size(size.width + size.width % 2, size.height + size.height % 2)
    assert film.frames[0].shows(RED, size.width // 2, size.height // 2) or size == Size(1, 1)


@pytest.mark.parametrize(("what", "target"), [({}, "screen"), ({"display": 0}, "display 0")])
def test_the_whole_screen_is_filmed(agent: Client, red: XWindow, what: dict[str, int], target: str) -> None:
    started = agent.do("record_start", **what)
    assert started.fields["target"] == target
    agent.do("record_stop", recording_id=started.fields["recording_id"])
    film = Film.of(path_of(started))
    assert film.size == Size(1920, 1080)
    assert film.frames[0].shows(RED, *PLACE.center)


# ---------------------------------------------------------------- how it ends


def test_a_killed_server_leaves_a_film_that_can_be_played(agent: Client, red: XWindow) -> None:
    started = agent.do("record_start", **region())
    red.paint(WHOLE, GREEN)
    eventually(lambda: shows_last(started, GREEN, (100, 100)), what="the picture in the file")
    agent.process.kill()
    agent.process.wait()
    film = Film.of(path_of(started))
    assert film.frames[0].shows(RED, 100, 100)
    assert film.frames[-1].shows(GREEN, 100, 100)


@pytest.mark.parametrize("how", ["the end of the input", "SIGTERM"])
def test_a_film_is_whole_when_its_server_ends(agent: Client, red: XWindow, how: str) -> None:
    started = agent.do("record_start", **region())
    red.paint(WHOLE, GREEN)
    eventually(lambda: frames_of(agent) == 2, what="the second picture")
    if how == "SIGTERM":
        agent.process.send_signal(signal.SIGTERM)
    assert agent.close() == 0
    film = Film.of(path_of(started))
    assert film.frames[-1].shows(GREEN, 100, 100)
    assert film.seconds >= film.frames[-1].at > 0
    assert "Traceback" not in agent.stderr


@pytest.mark.parametrize("how", ["release", "expiry"])
def test_a_film_ends_with_its_session(client: Client, red: XWindow, how: str) -> None:
    session = client.acquire("filmer", ttl=600 if how == "release" else 1)
    started = client.do("record_start", **region())
    if how == "release":
        client.do("release_session", agent_id="filmer", session_id=session)
    else:
        eventually(lambda: "current_session: null" in client.do("session_status"), what="the end of the session")
    client.acquire("other")
    eventually(lambda: has_ended(client), what="the end of the film")
    assert end_of(client) == "the session has ended"
    assert Film.of(path_of(started)).frames[0].shows(RED, 100, 100)
    again = client.do("record_stop", recording_id="r1")
    assert again.fields["reason"] == "the session has ended"


def test_a_film_of_a_window_ends_when_that_closes(agent: Client, desktop: EmbeddedSession) -> None:
    with XWindow(desktop.environment, PLACE, colour=RED, title="closing") as window:
        started = agent.do("record_start", window_name="closing")
        frames = frames_of(agent)
        window.paint(WHOLE, GREEN)
        eventually(lambda: frames_of(agent) > frames, what="a picture")
    eventually(lambda: has_ended(agent), what="the end of the film")
    assert end_of(agent) == "the window has closed"
    film = Film.of(path_of(started))
    assert film.frames[-1].shows(GREEN, film.size.width // 2, film.size.height // 2)


def test_a_film_ends_after_as_many_seconds_as_wished(agent: Client, red: XWindow) -> None:
    started = agent.do("record_start", **region(), max_seconds=1)
    eventually(lambda: has_ended(agent), what="the end of the film")
    assert end_of(agent) == "max_seconds are over"
    assert Film.of(path_of(started)).seconds == pytest.approx(1, abs=LATE)


def test_a_film_ends_with_its_desktop(tmp_path: Path) -> None:
    own = EmbeddedSession(Size(640, 480))
    try:
        with Client(environment=own.environment) as agent:
            agent.initialize()
            agent.acquire()
            started = agent.do("record_start")
            own.close()
            eventually(lambda: has_ended(agent), what="the end of the film")
            assert end_of(agent) == "the desktop has gone"
            assert Film.of(path_of(started)).size == Size(640, 480)
    finally:
        own.close()


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system with little room."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a small file system")
    command = ["mount", "-t", "tmpfs", "-o", "size=512k", "small", str(folder)]
    if (done := subprocess.run(command, capture_output=True, text=True, check=False)).returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def scribble(agent: Client, window: XWindow) -> bool:
    """Paint what takes much room on a film; whether that has ended."""
    for number in range(400):
        colour = int.from_bytes(os.urandom(3), "big")
        window.paint(Rect(number % 40 * 8, number // 40 % 30 * 24, 8, 24), colour)
    return has_ended(agent)


def test_a_full_disk_ends_a_film_that_can_still_be_played(agent: Client, red: XWindow, tmp_path: Path) -> None:
    with small_disk(tmp_path) as folder:
        path = folder / "film.mp4"
        agent.do("record_start", **region(), output_path=str(path), fps=30)
        eventually(lambda: scribble(agent, red), seconds=60, what="a full disk")
        assert end_of(agent) == "the disk is full"
        assert agent.do("record_stop", recording_id="r1").fields["reason"] == "the disk is full"
        film = Film.of(path)
        assert film.frames[0].shows(RED, 100, 100)
        assert 0 < path.stat().st_size <= 512 * 1024
        room = 512 * 1024 - path.stat().st_size // 4096 * 4096 - 8192
        (folder / "rest").write_bytes(bytes(max(0, room)))
        full = agent.call("record_start", **region(), output_path=str(folder / "more.mp4"))
        assert full.is_error is False or "cannot be written: the disk is full" in full
        if not full.is_error:  # it may have ended by itself since
            agent.do("record_stop", recording_id=full.fields["recording_id"])


def test_a_file_that_takes_no_more_ends_a_film_that_can_still_be_played(
    agent: Client, red: XWindow, tmp_path: Path
) -> None:
    path = tmp_path / "film.mp4"
    agent.do("record_start", **region(), output_path=str(path), fps=30)
    resource.prlimit(agent.process.pid, resource.RLIMIT_FSIZE, (200_000, 200_000))
    eventually(lambda: scribble(agent, red), seconds=60, what="a file that takes no more")
    assert end_of(agent) == "the file cannot be written: File too large"
    assert Film.of(path).frames[0].shows(RED, 100, 100)


# ---------------------------------------------------------------- where it goes, and how many


def test_without_a_path_it_lies_among_the_recordings_for_this_user_alone(
    agent: Client, red: XWindow, kept: Path
) -> None:
    path = path_of(agent.do("record_start", **region()))
    assert path.parent == kept / "state" / "deskhand" / "recordings"
    assert path.name.startswith(time.strftime("%Y-"))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_file_that_exists_is_left_alone(agent: Client, tmp_path: Path) -> None:
    (tmp_path / "mine.mp4").write_text("mine")
    refused = agent.call("record_start", output_path=str(tmp_path / "mine.mp4"))
    assert refused.startswith(f"error: {tmp_path}/mine.mp4 exists already\nrecovery: name a file that does not exist")
    assert (tmp_path / "mine.mp4").read_text() == "mine"
    assert agent.do("record_list") == "empty: Nothing has been recorded"


def test_a_link_is_not_followed(agent: Client, tmp_path: Path) -> None:
    (tmp_path / "link.mp4").symlink_to(tmp_path / "elsewhere.mp4")
    assert "exists already" in agent.call("record_start", output_path=str(tmp_path / "link.mp4"))
    assert not (tmp_path / "elsewhere.mp4").exists()


def test_no_more_than_three_go_on_at_a_time(agent: Client, red: XWindow) -> None:
    for _ in range(3):
        agent.do("record_start", **region())
    refused = agent.call("record_start", **region())
    assert refused == (
        "error: 3 recordings go on already: r1, r2, r3\nrecovery: call record_stop for one of them first"
    )
    assert "several recordings go on: r1, r2, r3" in agent.call("record_stop")
    agent.do("record_stop", recording_id="r2")
    agent.do("record_start", **region())
    for name in ("r1", "r3", "r4"):
        agent.do("record_stop", recording_id=name)
    assert agent.call("record_stop").startswith("error: no recording goes on\n")
    assert "there is no recording r9" in agent.call("record_stop", recording_id="r9")
    assert [line.split(",")[0].strip() for line in agent.do("record_list").splitlines()[1:]] == ["r4", "r3", "r2", "r1"]


def test_a_recording_needs_the_seat(client: Client) -> None:
    for name in ("record_start", "record_stop", "record_list"):
        assert "recovery: call acquire_session first" in client.call(name)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"display": 0, "window_id": 5}, "name one thing"),
        ({"window_id": 5, "window_name": "a"}, "name one thing"),
        ({"x": 5}, "a region needs x, y, width and height"),
        ({"x": 5000, "y": 0, "width": 10, "height": 10}, "outside every display"),
        ({"x": 10, "y": 10, "width": -5, "height": 10}, "outside every display"),
        ({"display": 7}, "there is no display 7"),
        ({"window_id": -1}, "no window has the id -1"),
        ({"window_name": "nobody calls a window so"}, "no window is called"),
        ({"fps": 31}, "fps: "),
        ({"max_seconds": 0}, "max_seconds: "),
        ({"output_path": "here.mp4"}, "not an absolute path that ends in .mp4"),
        ({"output_path": "/tmp/there.txt"}, "not an absolute path that ends in .mp4"),
        ({"output_path": "/nowhere/at/all.mp4"}, "there is no directory /nowhere/at"),
        ({"output_path": "/tmp/a\0b.mp4"}, "a character that no file name has"),
        ({"output_path": f"/tmp/{'long' * 70}.mp4"}, "cannot be made: File name too long"),
    ],
)
def test_what_cannot_be_recorded_is_told(agent: Client, what: dict[str, object], message: str) -> None:
    refused = agent.call("record_start", **what)
    assert refused.is_error
    assert message in refused
    assert agent.do("record_list") == "empty: Nothing has been recorded"


def test_without_pyav_one_sentence_says_what_to_install(
    new_client: Callable[..., Client], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "av.py").write_text("raise ImportError('not here')")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    agent = new_client()
    agent.acquire()
    assert agent.call("record_start") == (
        "error: recording needs PyAV, which is not installed\n"
        "recovery: install it next to deskhand: pip install 'deskhand[record]'"
    )


def test_recordings_leave_no_thread_and_no_open_file_behind(agent: Client, red: XWindow) -> None:
    process = psutil.Process(agent.process.pid)

    def record() -> tuple[int, int]:
        agent.do("record_start", **region())
        agent.do("record_stop")
        return process.num_fds(), process.num_threads()

    record()
    before = record()
    for _ in range(5):
        after = record()
    assert after[0] <= before[0]
    assert after[1] <= before[1]
