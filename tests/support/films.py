"""Looking into the file of a recording, with the library that plays it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import av

from deskhand.model.geometry import Size


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture, and the second from which it is seen."""

    at: float
    size: Size
    pixels: bytes

    def colour(self, x: int, y: int) -> int:
        """0xRRGGBB of a pixel."""
        start = (y * self.size.width + x) * 3
        return int.from_bytes(self.pixels[start : start + 3], "big")

    def shows(self, colour: int, x: int, y: int) -> bool:
        """Whether a pixel has a colour, as nearly as films keep them."""
        found = self.colour(x, y)
        return all(abs((found >> shift & 0xFF) - (colour >> shift & 0xFF)) <= 12 for shift in (16, 8, 0))


@dataclass(frozen=True, slots=True)
class Film:
    """All that can be played of a file."""

    size: Size
    codec: str
    layout: str
    seconds: float
    frames: list[Frame]

    @classmethod
    def of(cls, path: str | Path) -> Self:
        """Play it. Fails where anything of it cannot be played."""
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            size, layout = Size(stream.width, stream.height), str(stream.pix_fmt)
            frames, seconds = [], 0.0
            for packet in container.demux(stream):
                if packet.pts is not None and packet.duration is not None:
                    seconds = float((packet.pts + packet.duration) * packet.time_base)
                for frame in packet.decode():
                    picture = frame.reformat(format="rgb24")
                    line, rows = picture.planes[0].line_size, bytes(picture.planes[0])
                    pixels = b"".join(rows[y * line : y * line + size.width * 3] for y in range(size.height))
                    frames.append(Frame(float(frame.time or 0.0), size, pixels))
            return cls(size, stream.codec_context.name, layout, seconds, frames)

    def begins_to_show(self, colour: int, x: int, y: int) -> float | None:
        """The second from which a pixel has a colour, None where it never has."""
        return next((frame.at for frame in self.frames if frame.shows(colour, x, y)), None)

    def at(self, second: float) -> Frame:
        """What is seen at a second."""
        return [frame for frame in self.frames if frame.at <= second][-1]
