"""Sound: devices, speaking, and what is playing."""

from dataclasses import dataclass
from typing import Annotated, Final

from deskhand.desk import Desk
from deskhand.desktop import speech
from deskhand.desktop.speech import Cut
from deskhand.model.effect import Effect as Seen
from deskhand.model.errors import BadArguments, SessionRequired
from deskhand.model.sound import AudioDevice, Words
from deskhand.tools import ABSENT, Effect, arg, tool

_LONGEST_SPEECH: Final = 5000


@dataclass(frozen=True, slots=True)
class Devices:
    input: list[AudioDevice]
    output: list[AudioDevice]
    empty: str = ABSENT


@tool("audio_devices", effect=Effect.READS, idempotent=True)
def audio_devices(desk: Desk) -> Devices:
    """Audio input and output devices."""
    found = desk.platform.audio.devices()
    nothing = not found.input and not found.output
    return Devices(list(found.input), list(found.output), empty="No audio devices" if nothing else ABSENT)


@dataclass(frozen=True, slots=True)
class Spoken:
    """`spoken` counts characters. `effect` is confirmed where the sound server was seen to play them."""

    spoken: int
    voice: str
    effect: Seen
    queued: bool = ABSENT
    interrupted: bool = ABSENT


@tool("speak", effect=Effect.WRITES, session=True)
def speak(
    desk: Desk,
    text: Annotated[str, arg(private=True, min_length=1, max_length=_LONGEST_SPEECH)],
    voice: Annotated[str, arg("Id or language", min_length=1, max_length=100)] | None = None,
    rate: Annotated[int, arg("Words per minute", ge=80, le=450)] | None = None,
    wait: bool = False,
    interrupt: bool = True,
) -> Spoken:
    """Say a text aloud, at once or (interrupt false) after others."""
    engine, holder = desk.platform.speech, desk.holder
    if holder is None:
        raise SessionRequired("speaking needs the seat")
    if not any(map(str.isalnum, text)):
        raise BadArguments("text: there is nothing in it that can be said")
    words = Words(text, speech.choose(engine.voices(), voice) if voice else None, rate)
    saying, has_to_wait = desk.mouth.say(engine, words, holder.session_id, interrupt=interrupt)
    try:
        if wait:
            desk.turn.step_aside()  # another text may interrupt this one
            saying.wait_until_over(desk.turn)
        elif not has_to_wait:
            saying.wait_until_begun(desk.turn)
        return Spoken(
            spoken=len(text),
            voice=saying.voice,
            effect=Seen.CONFIRMED if saying.is_heard else Seen.UNVERIFIED,
            queued=(has_to_wait and not wait) or ABSENT,
            interrupted=saying.cut is Cut.INTERRUPTED or ABSENT,
        )
    finally:
        saying.close()


@dataclass(frozen=True, slots=True)
class VoiceRow:
    id: str
    name: str
    language: str
    gender: str | None


@dataclass(frozen=True, slots=True)
class VoiceList:
    total: int
    voices: list[VoiceRow]
    empty: str = ABSENT


@tool(
    "voice_list",
    effect=Effect.READS,
    idempotent=True,
)
def voice_list(
    desk: Desk, language: Annotated[str, arg("e.g. en-gb", min_length=1, max_length=40)] | None = None
) -> VoiceList:
    """Voices that can speak, with language and gender."""
    voices = speech.of_language(desk.platform.speech.voices(), language)
    rows = [VoiceRow(one.id, one.name, one.language, one.gender) for one in voices]
    of_what = f" of language {language}" if language else ""
    return VoiceList(len(rows), rows, empty=ABSENT if rows else f"No voice{of_what}")


@dataclass(frozen=True, slots=True)
class NowPlaying:
    playing: bool
    track: str = ABSENT
    artist: str = ABSENT
    album: str = ABSENT
    elapsed: float | None = ABSENT
    length: float | None = ABSENT
    player: str = ABSENT
    empty: str = ABSENT


@tool("now_playing", effect=Effect.READS, idempotent=True)
def now_playing(desk: Desk) -> NowPlaying:
    """Current media: track, artist, album, elapsed seconds."""
    tracks = desk.platform.players.tracks()
    if not tracks:
        return NowPlaying(playing=False, empty="Nothing is playing")
    one = tracks[0]
    return NowPlaying(one.playing, one.title, one.artist, one.album, one.elapsed, one.length, one.player)
