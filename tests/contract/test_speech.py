"""What every voice must do: be heard, say all of it, fall silent at once, and leave no trace of the text."""

import shutil
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from deskhand.model.sound import Words
from deskhand.platforms.base import Platform, Speech
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.linux.speech.speech import LinuxSpeech
from tests.support.sound import Recording, processes_with

LONG = "This is a long text, which takes a while to be read. " * 6


def without_espeak(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a system that has only the speech service."""
    program = shutil.which("speech-dispatcher")
    if program is None:
        pytest.skip("speech-dispatcher is not installed")
    (folder / "speech-dispatcher").symlink_to(program)
    return {**environment, "PATH": str(folder)}


@pytest.fixture(params=["espeak-ng", "speech-dispatcher"])
def speech(request: pytest.FixtureRequest, desktop: EmbeddedSession, platform: Platform, tmp_path: Path) -> Speech:
    """The port as each engine makes it."""
    if request.param == "espeak-ng":
        return platform.speech
    environment = without_espeak(tmp_path, desktop.environment)
    return LinuxSpeech(environment, lambda command, more, folder: desktop.launch(command, {**more, "PATH": _PATH}))


_PATH = "/usr/bin:/bin"


def test_voices_tell_their_language(speech: Speech) -> None:
    voices = speech.voices()
    assert len(voices) > 20
    assert {"de", "fr-fr", "en-gb"} <= {voice.language.lower() for voice in voices}
    assert len({voice.id for voice in voices}) >= len(voices) - 1
    assert all(voice.name and voice.id for voice in voices)
    assert {voice.gender for voice in voices} <= {"male", "female", None}


def test_what_is_said_sounds(desktop: EmbeddedSession, speech: Speech) -> None:
    with Recording(desktop.environment) as heard:
        assert not heard.is_loud()
        utterance = speech.say(Words("One, two, three."))
        assert utterance.wait_until_heard()
        heard.wait_for_sound()
        utterance.wait()
        assert heard.loudest > 1000
        heard.wait_for_silence()


def test_it_falls_silent_at_once(desktop: EmbeddedSession, speech: Speech) -> None:
    with Recording(desktop.environment) as heard:
        utterance = speech.say(Words(LONG))
        heard.wait_for_sound()
        ended = threading.Thread(target=utterance.wait)
        ended.start()
        utterance.stop()
        utterance.stop()
        ended.join(2)
        assert not ended.is_alive()
        assert heard.wait_for_silence() < 3  # of more than twenty seconds
    utterance.stop()  # which does nothing any more


def test_a_voice_and_a_speed_are_heard(speech: Speech) -> None:
    voice = next(one for one in speech.voices() if one.language.lower() == "de")
    utterance = speech.say(Words("Schnell.", voice, 400))
    assert utterance.voice == voice.name
    utterance.wait()


def test_the_text_is_no_argument_of_any_process(speech: Speech) -> None:
    utterance = speech.say(Words("xylophone quagga --version"))
    assert utterance.wait_until_heard()
    assert processes_with("xylophone") == []
    utterance.stop()
    utterance.wait()


@pytest.mark.parametrize(
    "text", ["--version", ".", "!-!CANCEL ALL", "line\n.\nQUIT\r\n..\n", "Grüße 世界 🦘", "\ud800 alone", "a\0b"]
)
def test_any_text_is_only_text(speech: Speech, text: str) -> None:
    speech.say(Words(text, rate=450)).wait()
