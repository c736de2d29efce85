"""speech-dispatcher: the speech service of a session, asked in its own protocol (SSIP) over its socket.

Source: the SSIP documentation of speech-dispatcher 0.11. Not its program spd-say: that one can only silence everybody's
speech, a screen reader's too, and takes a text beginning with "!-!" for commands.
"""

import contextlib
import os
import select
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from deskhand.model.errors import Unsupported
from deskhand.model.sound import Voice, Words

Start = Callable[[Sequence[str], Mapping[str, str], Path | None], int]
"""Starts a command with more environment in a folder; the number of its process."""

_START_SECONDS: Final = 10.0
_ANSWER_SECONDS: Final = 5.0
_HEARD_SECONDS: Final = 2.0
_LONGEST_ANSWER: Final = 1 << 20
_BEGUN: Final = 701
_OVER: Final = (702, 703)  # said to its end, or cancelled
# Words a minute at the speeds -100, 0 and 100, as its espeak-ng module has them.
_SLOWEST: Final = 80
_USUAL: Final = 170
_FASTEST: Final = 390


class Dispatcher:
    """The speech service, started when it is first needed; it ends by itself soon after its last client."""

    def __init__(self, program: str, environment: Mapping[str, str], start: Start | None) -> None:
        self._program = program
        self._environment = environment
        self._start = start

    def voices(self) -> Sequence[Voice]:
        """Every voice of the user's usual engine; of what gender they are it does not say.

        Without the hundred variants of each, which it names with a plus.
        """
        with contextlib.closing(self._connect()) as talk:
            rows = [line.split("\t") for line in talk.ask("LIST SYNTHESIS_VOICES")]
        return [Voice(row[0], row[0], row[1], None) for row in rows if len(row) > 1 and "+" not in row[0]]

    def say(self, words: Words, sound_server: str) -> "DispatcherUtterance":
        """Begin to say something. Raises Unsupported where the service does not take it."""
        talk = self._connect()
        try:
            talk.ask("SET SELF NOTIFICATION ALL on")
            talk.ask("SET SELF PRIORITY message")  # which is spoken to its end, unless something important comes
            if words.rate is not None:
                talk.ask(f"SET SELF RATE {_speed(words.rate)}")
            if words.voice is not None:
                talk.ask(f"SET SELF SYNTHESIS_VOICE {words.voice.id}")
            talk.speak(words.text)
        except BaseException:
            talk.close()
            raise
        return DispatcherUtterance(words.voice.name if words.voice else "the user's usual voice", talk)

    def _connect(self) -> "_Talk":
        """A conversation with the service. Raises Unsupported where it does not start."""
        try:
            connection = self._try_to_connect()
        except OSError:
            self._start_service()
            try:
                connection = self._try_to_connect()
            except OSError as error:
                raise Unsupported(f"speech-dispatcher did not start: {error}", recovery=_ADVICE) from None
        talk = _Talk(connection)
        talk.ask("SET SELF CLIENT_NAME user:deskhand:main")
        return talk

    def _try_to_connect(self) -> socket.socket:
        named = self._environment.get("SPEECHD_ADDRESS", "").removeprefix("unix_socket:")
        runtime = self._environment.get("XDG_RUNTIME_DIR") or "/nonexistent"
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(named or f"{runtime}/speech-dispatcher/speechd.sock")
        except OSError:
            connection.close()
            raise
        return connection

    def _start_service(self) -> None:
        """Start it, and wait for the end of the program that leaves it behind: then it listens."""
        command = [self._program, "--spawn"]
        if self._start is not None:
            wait_for_end(self._start(command, {}, None), _START_SECONDS)
            return
        environment, null = dict(self._environment), subprocess.DEVNULL
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(
                command, env=environment, stdin=null, stdout=null, stderr=null, timeout=_START_SECONDS, check=False
            )


_ADVICE: Final = "install an engine: apt-get install espeak-ng"


def wait_for_end(pid: int, seconds: float) -> None:
    """Wait until a process has ended that is no child of this one."""
    with contextlib.suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            select.select([descriptor], [], [], seconds)
        finally:
            os.close(descriptor)


def _speed(words_a_minute: int) -> int:
    """A speed of the service: -100 to 100."""
    span = _USUAL - _SLOWEST if words_a_minute < _USUAL else _FASTEST - _USUAL
    return max(-100, min(100, round((words_a_minute - _USUAL) / span * 100)))


class _Talk:
    """A conversation: lines out, answers in. Raises Unsupported for a refusal, or where no answer comes."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._incoming = b""
        self.news: list[int] = []
        """What the service has told of the text meanwhile."""

    def ask(self, line: str) -> list[str]:
        """Ask something; the lines of the answer without the last, which only says that it worked."""
        self.send(line.encode() + b"\r\n")
        self._connection.settimeout(_ANSWER_SECONDS)
        answer: list[str] = []
        while True:
            code, is_last, text = self._read()
            if 700 <= code < 800:
                if is_last:
                    self.news.append(code)
            elif not is_last:
                answer.append(text)
            elif code >= 300:
                raise Unsupported(f"speech-dispatcher refuses: {text}", recovery=_ADVICE)
            else:
                return answer

    def speak(self, text: str) -> None:
        """Give the text away."""
        self.ask("SPEAK")
        lines = text.encode("utf-8", "replace").decode().splitlines()
        # A line of one dot would end the text.
        body = "".join(f".{line}\r\n" if line.startswith(".") else f"{line}\r\n" for line in lines)
        self.ask(f"{body}.")

    def next_news(self, seconds: float | None) -> int | None:
        """What the service tells next of the text; None where it tells nothing in time, or has gone."""
        if self.news:
            return self.news.pop(0)
        self._connection.settimeout(seconds)
        try:
            while True:
                code, is_last, _ = self._read()
                if is_last and 700 <= code < 800:
                    return code
        except Unsupported:
            return None

    def send(self, data: bytes) -> None:
        try:
            self._connection.sendall(data)
        except OSError as error:
            raise Unsupported(f"speech-dispatcher has gone: {error}", recovery=_ADVICE) from None

    def _read(self) -> tuple[int, bool, str]:
        """One line: its code, whether it is the last of an answer, and its text."""
        while b"\n" not in self._incoming:
            try:
                data = self._connection.recv(1 << 14)
            except OSError:
                raise Unsupported("speech-dispatcher does not answer", recovery=_ADVICE) from None
            if not data or len(self._incoming) > _LONGEST_ANSWER:
                raise Unsupported("speech-dispatcher has gone", recovery=_ADVICE)
            self._incoming += data
        line, _, self._incoming = self._incoming.partition(b"\n")
        text = line.decode("utf-8", "replace").strip("\r")
        if not text[:3].isdigit():
            raise Unsupported("what listens for speech-dispatcher does not speak its protocol", recovery=_ADVICE)
        return int(text[:3]), text[3:4] != "-", text[4:]

    def give_up(self) -> None:
        """Have the text cut off, and hear no more; may be called by any thread."""
        with contextlib.suppress(OSError):
            self._connection.sendall(b"CANCEL SELF\r\n")
            self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._connection.close()


class DispatcherUtterance:
    """One text that the service says."""

    def __init__(self, voice: str, talk: _Talk) -> None:
        self.voice = voice
        self._talk = talk
        self._lock = threading.Lock()
        self._is_over = False

    def wait_until_heard(self) -> bool:
        """Wait until the service says that it has begun."""
        news = self._talk.next_news(_HEARD_SECONDS)
        if news is not None and news != _BEGUN:
            self._talk.news.append(news)
        return news == _BEGUN

    def wait(self) -> None:
        """Wait until the service has said it all, or has been told to stop."""
        try:
            while True:
                news = self._talk.next_news(None)
                if news is None or news in _OVER:
                    break
        finally:
            with self._lock:
                self._is_over = True
                self._talk.close()

    def stop(self) -> None:
        """Fall silent at once."""
        with self._lock:
            if not self._is_over:
                self._talk.give_up()
