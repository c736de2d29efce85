"""A picture in the colours of a film. From one picture to the next only the strips that differ are converted.

Most of the time little of a screen changes, and converting colours costs as much as encoding.
"""

from typing import Final

import av
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter

from deskhand.model.geometry import Size

_ROWS: Final = 64
_MEAN: Final = Interpolation.AREA | Interpolation.FULL_CHR_H_INP
"""Each colour is the mean of 2 by 2 pixels of its own strip; taking all of them in is quicker than every other one."""
_PLANES: Final = ((0, 1), (1, 2), (2, 2))
"""The planes of brightness and of the two colours, and by how much they are smaller."""


class Strips:
    """The picture. `frame` is what the encoder takes."""

    def __init__(self, size: Size) -> None:
        self._size = size
        self._seen: dict[int, bytes] = {}
        self._converters: dict[int, _Converter] = {}
        self.frame = _Converter(size).convert(bytes(size.width * size.height * 4))

    def show(self, pixels: bytes) -> bool:
        """Take over a picture (BGRX); whether it is another than before."""
        differs = False
        for top in range(0, self._size.height, _ROWS):
            rows = min(_ROWS, self._size.height - top)
            strip = pixels[top * self._size.width * 4 : (top + rows) * self._size.width * 4]
            if strip != self._seen.get(top):
                self._seen[top] = strip
                self._put(strip, top, rows)
                differs = True
        return differs

    def _put(self, strip: bytes, top: int, rows: int) -> None:
        if rows not in self._converters:
            self._converters[rows] = _Converter(Size(self._size.width, rows))
        converted = self._converters[rows].convert(strip)
        for number, smaller in _PLANES:
            # Both were made by the same library for the same width, so their rows are of one length in memory.
            plane, line = memoryview(self.frame.planes[number]), self.frame.planes[number].line_size
            start = top // smaller * line
            plane[start : start + rows // smaller * line] = memoryview(converted.planes[number])


class _Converter:
    """Makes film colours (Y'CbCr 4:2:0 as in BT.709, limited range) of pictures of one size."""

    def __init__(self, size: Size) -> None:
        self._picture = av.VideoFrame(*size, "bgr0")
        self._row = size.width * 4
        self._unused = bytes(self._picture.planes[0].line_size - self._row)
        self._reformatter = VideoReformatter()

    def convert(self, pixels: bytes) -> av.VideoFrame:
        if self._unused:  # the library begins each row at an even place in memory
            rows = range(0, len(pixels), self._row)
            pixels = b"".join(pixels[start : start + self._row] + self._unused for start in rows)
        self._picture.planes[0].update(pixels)
        return self._reformatter.reformat(
            self._picture,
            format="yuv420p",
            dst_colorspace=Colorspace.ITU709,
            dst_color_range=ColorRange.MPEG,
            interpolation=_MEAN,
            threads=1,
        )
