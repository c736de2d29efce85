"""What is playing: told of real players, by what they say of themselves."""

import contextlib
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from deskhand.model.sound import Track
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import eventually
from tests.support.sound import tone

Play = Callable[..., int]


@pytest.fixture
def play(desktop: EmbeddedSession, platform: Platform) -> Iterator[Play]:
    """Starts mpv with a file, and waits until it is known as a player."""
    if shutil.which("mpv") is None or not Path("/etc/mpv/scripts/mpris.so").exists():
        pytest.skip("mpv and mpv-mpris are not installed")
    started: list[int] = []

    def begin(file: Path, *options: str) -> int:
        known = len(platform.players.tracks())
        started.append(desktop.launch(["mpv", "--no-video", "--no-terminal", *options, str(file)]))
        eventually(lambda: len(platform.players.tracks()) > known, what="another player")
        return started[-1]

    yield begin
    for pid in started:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    eventually(lambda: not platform.players.tracks(), what="the end of all players")


def named(tracks: Sequence[Track]) -> list[tuple[str, bool]]:
    return [(track.title, track.playing) for track in tracks]


def test_nothing_is_playing(platform: Platform) -> None:
    assert platform.players.tracks() == []


def test_a_track_is_told_as_its_player_tells_it(platform: Platform, play: Play, tmp_path: Path) -> None:
    about = {b"INAM": b"Blue, Green", b"IART": b"Ann", b"IPRD": b"Colours"}
    play(tone(tmp_path, about=about), "--start=10")
    eventually(lambda: platform.players.tracks()[0].title == "Blue, Green", what="that the player has read the file")
    (track,) = platform.players.tracks()
    assert (track.title, track.artist, track.album) == ("Blue, Green", "Ann", "Colours")
    assert (track.player, track.length, track.playing) == ("mpv", 30.0, True)
    assert track.elapsed is not None
    assert 9 <= track.elapsed < 25
    before = track.elapsed
    eventually(lambda: (platform.players.tracks()[0].elapsed or 0) > before, what="that time goes on")


def test_a_track_without_a_title_is_called_by_its_file(platform: Platform, play: Play, tmp_path: Path) -> None:
    play(tone(tmp_path, name="a tone %41.wav"))
    eventually(lambda: platform.players.tracks()[0].title == "a tone %41.wav", what="the name of the file")
    (track,) = platform.players.tracks()
    assert (track.artist, track.album) == ("", "")


def test_who_plays_comes_first_then_who_was_started_last(platform: Platform, play: Play, tmp_path: Path) -> None:
    play(tone(tmp_path, name="playing.wav"))
    play(tone(tmp_path, name="first.wav"), "--pause")
    play(tone(tmp_path, name="second.wav"), "--pause")
    expected = [("playing.wav", True), ("second.wav", False), ("first.wav", False)]
    eventually(lambda: named(platform.players.tracks()) == expected, what="that order")


def test_a_player_that_hangs_keeps_nobody_waiting(platform: Platform, play: Play, tmp_path: Path) -> None:
    play(tone(tmp_path, name="playing.wav"))
    hanging = play(tone(tmp_path, name="hanging.wav"))
    os.kill(hanging, signal.SIGSTOP)
    try:
        assert named(platform.players.tracks()) == [("playing.wav", True)]
    finally:
        os.kill(hanging, signal.SIGCONT)
