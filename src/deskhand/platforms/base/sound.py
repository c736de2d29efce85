"""Sound, speech and what plays."""

from collections.abc import Sequence
from typing import Protocol

from deskhand.model.sound import AudioDevices, Track, Voice, Words


class Audio(Protocol):
    """Sound going in and out."""

    def devices(self) -> AudioDevices: ...


class Utterance(Protocol):
    """Something that is being said."""

    voice: str
    """What the voice is called."""

    def wait_until_heard(self) -> bool:
        """Wait until it sounds; False where that could not be seen, or it is over already."""
        ...

    def wait(self) -> None:
        """Wait until it is over. Raises Unsupported where it could not be said."""
        ...

    def stop(self) -> None:
        """Fall silent at once; may be called by any thread."""
        ...


class Speech(Protocol):
    """A voice that reads text aloud. Any thread may use it."""

    def voices(self) -> Sequence[Voice]: ...

    def say(self, words: Words) -> Utterance:
        """Begin to say something. It ends, at the latest, when this process does or the calling thread."""
        ...


class Players(Protocol):
    """Media players."""

    def tracks(self) -> Sequence[Track]:
        """What each plays or has paused in: first who plays, then who was started last."""
        ...
