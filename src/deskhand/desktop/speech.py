"""Saying things aloud: one at a time, each for the session that asked for it, and silence when that is over."""

import os
import threading
from collections import deque
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from deskhand.model.errors import BadArguments, DeskError, NotPossible, SessionRequired
from deskhand.model.sound import Voice, Words
from deskhand.model.turn import Turn
from deskhand.platforms.base import Speech, Utterance

_MOST_WAITING: Final = 20
_LONGEST_WAIT: Final = 86_400.0


class Cut(Enum):
    """Why something was not said to its end."""

    INTERRUPTED = auto()
    """Something else was to be said."""
    SESSION_OVER = auto()
    UNWANTED = auto()
    """The call that waited for it was cancelled."""


class Mark:
    """Something that happens once and can be waited for with a Turn."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._is_open = True

    def fileno(self) -> int:
        return self._descriptor

    def set(self) -> None:
        """It has happened."""
        with self._lock:
            if self._is_open:
                os.eventfd_write(self._descriptor, 1)

    def close(self) -> None:
        """Nobody waits any more."""
        with self._lock:
            if self._is_open:
                self._is_open = False
                os.close(self._descriptor)


class Saying:
    """Something that is said, or is going to be."""

    def __init__(self, speech: Speech, words: Words, session_id: str) -> None:
        self.session_id = session_id
        self.voice = ""
        self.is_heard = False
        """Whether it was seen to sound."""
        self.cut: Cut | None = None
        self._speech = speech
        self._words = words
        self._failure: DeskError | None = DeskError("internal error while speaking")  # until it goes well
        self._utterance: Utterance | None = None
        self._lock = threading.Lock()
        self._begun, self._over = Mark(), Mark()

    def wait_until_begun(self, turn: Turn) -> None:
        """Wait until it is said, or over. Raises what kept it from being said, and Cancelled."""
        self._wait(self._begun, turn)

    def wait_until_over(self, turn: Turn) -> None:
        """Wait until it has been said. Raises what kept it from being said, and Cancelled."""
        self._wait(self._over, turn)

    def _wait(self, mark: Mark, turn: Turn) -> None:
        try:
            turn.wait([mark], _LONGEST_WAIT)
        except DeskError:
            self.stop(Cut.UNWANTED)
            raise
        if self._failure is not None:
            raise self._failure
        if self.cut is Cut.SESSION_OVER:
            raise SessionRequired("the session ended while this was being said; it was stopped")

    def close(self) -> None:
        """Nobody waits for it any more; it goes on."""
        self._begun.close()
        self._over.close()

    def stop(self, why: Cut) -> None:
        """Break it off, or do not begin. May be called by any thread."""
        with self._lock:
            self.cut = self.cut or why
            if self._utterance is not None:
                self._utterance.stop()

    def run(self) -> None:
        """Say it, from beginning to end."""
        try:
            if utterance := self._begin():
                self.is_heard = utterance.wait_until_heard()
                self._begun.set()
                utterance.wait()
            self._failure = None
        except DeskError as error:
            self._failure = error
        finally:
            with self._lock:
                self._utterance = None
            self._begun.set()
            self._over.set()

    def _begin(self) -> Utterance | None:
        if self.cut is not None:
            return None
        utterance = self._speech.say(self._words)
        self.voice = utterance.voice
        with self._lock:
            self._utterance = utterance
            self._failure = None
            if self.cut is not None:  # meanwhile
                utterance.stop()
        return utterance


class Mouth:
    """What is being said, and what is to be said after it. There is a thread only while something is said."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line: deque[Saying] = deque()
        """The first one is being said."""
        self._ended = ""

    def say(self, speech: Speech, words: Words, session_id: str, *, interrupt: bool) -> tuple[Saying, bool]:
        """Say something, in place of all that was to be said before or (not `interrupt`) after it.

        With it comes whether it has to wait. Raises NotPossible where very much is waiting already.
        """
        saying = Saying(speech, words, session_id)
        with self._lock:
            if session_id == self._ended:  # between its admission and now
                saying.close()
                raise SessionRequired("the session ended before this could be said")
            if interrupt:
                self._stop(list(self._line), Cut.INTERRUPTED)
            elif len(self._line) > _MOST_WAITING:
                saying.close()
                raise NotPossible(
                    f"{_MOST_WAITING} texts wait to be said already",
                    recovery="wait for one with wait=true, or interrupt them",
                )
            has_to_wait = bool(self._line) and not interrupt
            self._line.append(saying)
            if len(self._line) == 1:
                self._go_on()
        return saying, has_to_wait

    def session_ended(self, session_id: str) -> None:
        """Fall silent: what belongs to this session is not said any more."""
        with self._lock:
            self._ended = session_id
            self._stop([one for one in self._line if one.session_id == session_id], Cut.SESSION_OVER)

    @staticmethod
    def _stop(sayings: Sequence[Saying], why: Cut) -> None:
        for one in reversed(sayings):
            one.stop(why)

    def _go_on(self) -> None:
        """Say the first in line; the system ends an engine together with the thread that has started it."""
        threading.Thread(target=self._say_first, args=(self._line[0],), name="speech", daemon=True).start()

    def _say_first(self, saying: Saying) -> None:
        try:
            saying.run()
        finally:
            with self._lock:
                self._line.popleft()
                if self._line:
                    self._go_on()


def choose(voices: Sequence[Voice], wanted: str) -> Voice:
    """The voice meant by an id, a name or a language. Raises BadArguments where there is none."""
    name = wanted.casefold()
    for voice in voices:
        if name in (voice.id.casefold(), voice.name.casefold()):
            return voice
    if found := of_language(voices, wanted):
        # "fr" means French as it is spoken in France rather than in Belgium, "en" no dialect of it.
        return min(found, key=lambda voice: (voice.language.casefold() != f"{name}-{name}", len(voice.language)))
    raise BadArguments(f"voice: none is called {wanted!r}", recovery="call voice_list for the ids")


def of_language(voices: Sequence[Voice], language: str | None) -> list[Voice]:
    """The voices of a language and its kinds: "en" also stands for "en-gb"."""
    if language is None:
        return list(voices)
    wanted = language.casefold().replace("_", "-")
    return [one for one in voices if f"{one.language.casefold()}-".startswith(f"{wanted}-")]
