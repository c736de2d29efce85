"""What is to be heard on a test desktop: recordings of its one sound device, and a tone to play."""

import array
import math
import os
import struct
import subprocess
import threading
import time
import wave
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tests.support.applications import eventually

_RATE = 8000
_PIECE = _RATE // 20
_SILENCE = 50


class Recording:
    """What the sound device of a desktop plays while the block runs."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        command = ["parec", "-d", "embedded.monitor", "--raw", "--format=s16le", f"--rate={_RATE}", "--channels=1"]
        self._process = subprocess.Popen(
            [*command, "--latency-msec=20"], env={**os.environ, **environment}, stdout=subprocess.PIPE
        )
        self._data = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while data := os.read(self._process.stdout.fileno(), 1 << 14):
            self._data += data

    def __enter__(self) -> Self:
        eventually(lambda: len(self._data) > _PIECE, what="the beginning of the recording")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    @property
    def loudest(self) -> int:
        """Of all so far: 0 for silence, 32,767 at most."""
        return _loudest(bytes(self._data))

    def is_loud(self) -> bool:
        """Whether anything has been heard so far."""
        return self.loudest > _SILENCE

    def is_silent_for(self, seconds: float) -> bool:
        """Whether nothing was heard in the last so many seconds that were recorded."""
        size = int(seconds * _RATE) * 2
        return len(self._data) >= size and _loudest(bytes(self._data[-size - size % 2 :])) <= _SILENCE

    def wait_for_sound(self) -> None:
        eventually(self.is_loud, what="a sound")

    def wait_for_silence(self, seconds: float = 0.6) -> float:
        """Wait until nothing has been heard for that long; how long that took in all."""
        begun = time.monotonic()
        eventually(lambda: self.is_silent_for(seconds), what="silence")
        return time.monotonic() - begun


def _loudest(data: bytes) -> int:
    samples = array.array("h")
    samples.frombytes(data[: len(data) // 2 * 2])
    return max(map(abs, samples), default=0)


def tone(folder: Path, seconds: float = 30, name: str = "tone.wav", about: Mapping[bytes, bytes] | None = None) -> Path:
    """A file that holds a tone, and says of itself (RIFF INFO: INAM, IART, IPRD) what it is told."""
    file = folder / name
    with wave.open(str(file), "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(_RATE)
        one = array.array("h", (int(9000 * math.sin(2 * math.pi * 440 * at / _RATE)) for at in range(_RATE)))
        written.writeframes(one.tobytes() * round(seconds))
    if about:
        info = b"INFO" + b"".join(_chunk(key, value + b"\0") for key, value in about.items())
        body = file.read_bytes()[8:] + _chunk(b"LIST", info)
        file.write_bytes(_chunk(b"RIFF", body))
    return file


def _chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)


def processes_with(words: str) -> list[int]:
    """The processes that have these words among their arguments."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    arguments = file.read().replace(b"\0", b" ")
            except OSError:
                continue
            if words.encode() in arguments:
                found.append(int(entry))
    return found


def speakers_of(environment: Mapping[str, str]) -> list[int]:
    """The espeak-ng processes that speak on a desktop."""
    mark = f"PULSE_SERVER={environment['PULSE_SERVER']}".encode()
    found = []
    for pid in processes_with("espeak-ng --stdin"):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark in file.read().split(b"\0"):
                    found.append(pid)
        except OSError:
            continue
    return found
