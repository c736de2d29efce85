"""What is heard: devices that play and record sound, voices, and what a player plays."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AudioDevice:
    """Something that plays or records sound. `default` is used by programs that choose none."""

    id: str
    name: str
    default: bool


@dataclass(frozen=True, slots=True)
class AudioDevices:
    """Every device that records, and every one that plays."""

    input: tuple[AudioDevice, ...]
    output: tuple[AudioDevice, ...]


@dataclass(frozen=True, slots=True)
class Voice:
    """A voice that reads text aloud. `language` is a tag like "en-gb"; `gender` None where the engine does not say."""

    id: str
    name: str
    language: str
    gender: str | None


@dataclass(frozen=True, slots=True)
class Words:
    """What is to be said, and how: in the usual voice without one, at the usual speed without `rate` (words a minute)."""

    text: str
    voice: Voice | None = None
    rate: int | None = None


@dataclass(frozen=True, slots=True)
class Track:
    """What a media player plays, or has paused in. Times in seconds, None where the player does not tell."""

    player: str
    title: str
    artist: str
    album: str
    elapsed: float | None
    length: float | None
    playing: bool
