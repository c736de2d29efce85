"""The speech port: whichever engine is installed."""

import shutil
from collections.abc import Mapping, Sequence
from functools import cached_property

from deskhand.model.errors import Unsupported
from deskhand.model.sound import Voice, Words
from deskhand.platforms.base import Utterance
from deskhand.platforms.linux.audio import server_address
from deskhand.platforms.linux.speech.dispatcher import Dispatcher, Start
from deskhand.platforms.linux.speech.espeak import Espeak


class LinuxSpeech:
    """What speaks in a session. `start` starts a program there, where it is not to be a child of this process."""

    def __init__(self, environment: Mapping[str, str], start: Start | None = None) -> None:
        self._environment = environment
        self._start = start

    def voices(self) -> Sequence[Voice]:
        """Every voice. Raises Unsupported where nothing speaks here."""
        return self._engine.voices()

    def say(self, words: Words) -> Utterance:
        """Begin to say something. Raises Unsupported where nothing speaks here, or nothing plays sound."""
        engine = self._engine
        return engine.say(words, server_address(self._environment))

    @cached_property
    def _engine(self) -> Espeak | Dispatcher:
        """Found when first needed: an error is not remembered, so what is installed meanwhile is found."""
        path = self._environment.get("PATH")
        if espeak := shutil.which("espeak-ng", path=path):
            return Espeak(espeak, self._environment)
        if dispatcher := shutil.which("speech-dispatcher", path=path):
            return Dispatcher(dispatcher, self._environment, self._start)
        raise Unsupported(
            "nothing speaks here: neither espeak-ng nor speech-dispatcher is installed",
            recovery="install one: apt-get install espeak-ng",
        )
