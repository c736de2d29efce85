"""espeak-ng: a process for each text, which it is given on its standard input."""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from deskhand.model.errors import Unsupported
from deskhand.model.sound import Voice, Words
from deskhand.platforms.linux.audio import wait_for_stream

_LISTING_SECONDS: Final = 10.0
_HEARD_SECONDS: Final = 2.0
_LONGEST_COMPLAINT: Final = 200
# Priority, language, age/gender, name, file, other languages. Spaces in names are written as underscores.
_ROW: Final = re.compile(r"\s*\d+\s+(\S+)\s+\S+?/(\S)\s+(\S+)\s+(\S+)")
_GENDERS: Final = {"M": "male", "F": "female"}
# What espeak-ng itself reads with where it is told nothing.
_USUAL: Final = Voice("gmw/en", "English (Great Britain)", "en-gb", "male")
# The system ends the engine with this process, however that ends. Not by `preexec_fn`: this process has threads.
_LEASH: Final = ("setpriv", "--pdeathsig", "KILL")


class Espeak:
    """The espeak-ng program."""

    def __init__(self, program: str, environment: Mapping[str, str]) -> None:
        self._program = program
        self._environment = environment

    def voices(self) -> Sequence[Voice]:
        """Every voice. Raises Unsupported where espeak-ng does not tell."""
        return self._voices

    @cached_property
    def _voices(self) -> tuple[Voice, ...]:
        try:
            listing = subprocess.run(
                [self._program, "--voices"],
                env=dict(self._environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_LISTING_SECONDS,
                check=True,
            ).stdout.decode("utf-8", "replace")
        except (OSError, subprocess.SubprocessError) as error:
            raise Unsupported(f"espeak-ng does not list its voices: {error}", recovery=_REINSTALL) from None
        return tuple(_voice(row) for line in listing.splitlines() if (row := _ROW.match(line)))

    def say(self, words: Words, sound_server: str) -> "EspeakUtterance":
        """Begin to say something. Raises Unsupported where espeak-ng does not start."""
        voice = words.voice or _USUAL
        command = [self._program, "--stdin", "-b", "1", "-v", voice.id]
        if words.rate is not None:
            command += ["-s", str(words.rate)]
        if leash := shutil.which(_LEASH[0]):
            command = [leash, *_LEASH[1:], *command]
        try:
            process = subprocess.Popen(
                command,
                env={**self._environment, "PULSE_SERVER": sound_server},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise Unsupported(f"espeak-ng did not start: {error}", recovery=_REINSTALL) from None
        # A pipe takes 64 KiB before it makes anybody wait, and no text is that long.
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(words.text.encode("utf-8", "replace"))
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        return EspeakUtterance(voice.name, process, sound_server)


_REINSTALL: Final = "install it again: apt-get install --reinstall espeak-ng"


def _voice(row: re.Match[str]) -> Voice:
    language, gender, name, file = row.groups()
    return Voice(id=file, name=name.replace("_", " ").strip(), language=language, gender=_GENDERS.get(gender))


class EspeakUtterance:
    """One text that espeak-ng reads."""

    def __init__(self, voice: str, process: subprocess.Popen[bytes], sound_server: str) -> None:
        self.voice = voice
        self._process = process
        self._sound_server = sound_server
        self._is_stopped = False

    def wait_until_heard(self) -> bool:
        """Wait until the sound server plays it."""
        end = os.pidfd_open(self._process.pid)
        try:
            return wait_for_stream(self._sound_server, self._process.pid, _HEARD_SECONDS, until=end)
        finally:
            os.close(end)

    def wait(self) -> None:
        """Wait until espeak-ng has ended. Raises Unsupported where it has failed by itself."""
        with self._process as process:
            assert process.stderr is not None
            complaint = process.stderr.read().decode("utf-8", "replace").strip()
            code = process.wait()
        if code != 0 and not self._is_stopped:
            last = complaint.rpartition("\n")[2][:_LONGEST_COMPLAINT]
            raise Unsupported(f"espeak-ng could not say it: {last or f'exit code {code}'}", recovery=_REINSTALL)

    def stop(self) -> None:
        """Fall silent at once."""
        self._is_stopped = True
        self._process.kill()
