"""The sound server of an embedded desktop: there when it is needed, gone with the desktop, and never waited for."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from deskhand.model.errors import NotAnswering, Unsupported
from deskhand.model.geometry import Size
from deskhand.platforms.embedded.desktop import EmbeddedDesktop, start_embedded
from deskhand.platforms.linux.audio import LinuxAudio
from deskhand.platforms.linux.speech.speech import LinuxSpeech
from tests.support.applications import eventually
from tests.support.sound import Recording, tone


@pytest.fixture
def own() -> Iterator[EmbeddedDesktop]:
    with start_embedded(Size(320, 200)) as desktop:
        yield desktop


def sound_servers(desktop: EmbeddedDesktop) -> list[int]:
    """The sound servers of a desktop."""
    children = psutil.Process(desktop.keeper_pid).children()
    return [child.pid for child in children if child.name() == "pulseaudio"]


def test_none_runs_before_it_is_needed(own: EmbeddedDesktop) -> None:
    assert sound_servers(own) == []
    assert len(LinuxAudio(own.environment).devices().output) == 1
    assert len(sound_servers(own)) == 1


def test_a_program_that_plays_finds_it(own: EmbeddedDesktop, tmp_path: Path) -> None:
    if shutil.which("paplay") is None:
        pytest.skip("pulseaudio-utils are not installed")
    with Recording(own.environment) as heard:
        own.launch(["paplay", str(tone(tmp_path, 1))], {})
        heard.wait_for_sound()


def test_one_that_has_ended_is_started_again(own: EmbeddedDesktop) -> None:
    audio = LinuxAudio(own.environment)
    audio.devices()
    (first,) = sound_servers(own)
    os.kill(first, signal.SIGTERM)  # on which it ends as it does when it has nothing to do
    eventually(lambda: sound_servers(own) != [first], what="its end")
    assert len(audio.devices().output) == 1
    assert len(sound_servers(own)) == 1


def test_one_that_fails_is_not_started_for_ever(own: EmbeddedDesktop) -> None:
    audio = LinuxAudio(own.environment)
    audio.devices()
    os.kill(sound_servers(own)[0], signal.SIGKILL)
    eventually(lambda: not sound_servers(own), what="its end")
    with pytest.raises(Unsupported, match="cannot be reached") as caught:
        audio.devices()
    assert "start PulseAudio or PipeWire" in caught.value.recovery
    assert own.is_alive()


def test_one_that_hangs_keeps_nobody_waiting(own: EmbeddedDesktop, monkeypatch: pytest.MonkeyPatch) -> None:
    audio = LinuxAudio(own.environment)
    audio.devices()
    (server,) = sound_servers(own)
    os.kill(server, signal.SIGSTOP)
    try:
        with pytest.raises(NotAnswering, match="the sound server does not answer"):
            audio.devices()
    finally:
        os.kill(server, signal.SIGCONT)
    assert len(audio.devices().output) == 1


def test_it_ends_with_the_desktop() -> None:
    with start_embedded(Size(320, 200)) as desktop:
        LinuxAudio(desktop.environment).devices()
        (server,) = sound_servers(desktop)
    assert not psutil.pid_exists(server)


def test_without_pulseaudio_the_sentence_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("Xvfb", "dbus-daemon", "openbox", "env"):
        if program := shutil.which(name):
            (tmp_path / name).symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path))
    with start_embedded(Size(320, 200)) as desktop:
        assert "PULSE_SERVER" not in desktop.environment
        with pytest.raises(Unsupported, match="there is no sound server") as caught:
            LinuxAudio(desktop.environment).devices()
        assert "apt-get install pulseaudio" in caught.value.recovery
        with pytest.raises(Unsupported, match="neither espeak-ng nor speech-dispatcher") as lacking:
            LinuxSpeech(desktop.environment).voices()
        assert "apt-get install espeak-ng" in lacking.value.recovery


def test_without_libpulse_the_sentence_says_so(own: EmbeddedDesktop) -> None:
    program = (
        "import ctypes, ctypes.util, os\n"
        "ctypes.CDLL = lambda name, *rest, **more: (_ for _ in ()).throw(OSError(f'{name}: no such file'))\n"
        "from deskhand.model.errors import Unsupported\n"
        "from deskhand.platforms.linux.audio import LinuxAudio\n"
        "try: LinuxAudio(os.environ).devices()\n"
        "except Unsupported as error: print(error, '→', error.recovery)\n"
    )
    environment = {**os.environ, "PULSE_SERVER": own.environment["PULSE_SERVER"]}
    said = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, timeout=30
    )
    assert "sound needs libpulse" in said.stdout
    assert "apt-get install libpulse0" in said.stdout
