"""Pictures as an H.264 film in an MP4 file. The only file that knows PyAV, which is installed on request.

The file consists of fragments, each whole in itself, so that one whose writing stops at any moment can be played up to
there.
"""

import contextlib
import errno
import os
import struct
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from deskhand.model.errors import Unsupported
from deskhand.model.geometry import Size

if TYPE_CHECKING:
    from av import Packet, VideoStream

_CODEC: Final = "libx264"
_TICKS: Final = 1000
_CLOCK: Final = Fraction(1, _TICKS)
_BT709: Final = 1
_LIMITED_RANGE: Final = 1
_KEY_FRAME_SECONDS: Final = 10
FRAGMENT_SECONDS: Final = 1.0
"""A fragment is written with the first frame that comes so long after it began."""

_CONTAINER: Final = {
    "movflags": "frag_keyframe+empty_moov+default_base_moof",
    "frag_duration": str(int(FRAGMENT_SECONDS * 1_000_000)),
    "flush_packets": "1",
}
_QUICK: Final = {"preset": "ultrafast", "tune": "zerolatency", "crf": "23"}


def require() -> None:
    """Raise Unsupported where films cannot be made here."""
    try:
        import av
    except ImportError:
        raise Unsupported(
            "recording needs PyAV, which is not installed",
            recovery="install it next to deskhand: pip install 'deskhand[record]'",
        ) from None
    if _CODEC not in av.codecs_available:
        raise Unsupported(
            "the PyAV that is installed has no H.264 encoder (libx264)",
            recovery="install the one from PyPI: pip install --force-reinstall --only-binary av 'deskhand[record]'",
        )


class Outlet:
    """Takes the bytes of a film to its file, and keeps count."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.length = 0
        self.broken = False

    def write(self, data: bytes) -> int:
        """Write all of it; once a write has failed, nothing any more."""
        view = memoryview(data)
        while view and not self.broken:
            try:
                done = os.write(self._descriptor, view)
            except OSError:
                self.broken = True
                raise
            self.length += done
            view = view[done:]
        return len(data)

    def cut(self) -> None:
        """Cut off what a write that failed has left of a fragment."""
        self.length = whole_length(self._descriptor)
        os.ftruncate(self._descriptor, self.length)


class Video:
    """A film in the making. Times are seconds from its beginning; OSError is raised where the file takes no more."""

    def __init__(self, descriptor: int, size: Size, rate: int) -> None:
        import av
        from av.video.reformatter import VideoReformatter

        self.outlet = Outlet(descriptor)
        self._container = av.open(self.outlet, "w", format="mp4", options=_CONTAINER)
        self._stream = self._container.add_stream(_CODEC, rate=rate, options=_QUICK)
        self._stream.width, self._stream.height, self._stream.pix_fmt = *size, "yuv420p"
        context = self._stream.codec_context
        context.time_base, context.gop_size, context.thread_count = _CLOCK, rate * _KEY_FRAME_SECONDS, 1
        context.colorspace = context.color_primaries = context.color_trc = _BT709
        context.color_range = _LIMITED_RANGE
        self._picture = av.VideoFrame(*size, "bgr0")
        self._reformatter = VideoReformatter()
        self._frame: Any = None
        self._at = -1

    def add(self, pixels: bytes, at: float) -> None:
        """Show a picture (BGRX) from a moment on."""
        self._picture.planes[0].update(pixels)
        self._frame = self._reformatter.reformat(
            self._picture, format="yuv420p", dst_colorspace=_BT709, dst_color_range=_LIMITED_RANGE
        )
        self._encode(at)

    def repeat(self, at: float) -> None:
        """Say that the picture is still the same, so that all before is written."""
        self._encode(at)

    def finish(self, at: float) -> None:
        """End the film at a moment, and the file. Where it has taken no more before, what it holds is made whole."""
        try:
            if not self.outlet.broken and self._frame is not None:
                self._end(at)
        finally:
            with contextlib.suppress(OSError):
                self._container.close()
            if self.outlet.broken:
                self.outlet.cut()

    def _end(self, at: float) -> None:
        # The last frame says how long it is to be seen; those before are seen until the next one.
        until = max(round(at * _TICKS), self._at + 2)
        self._encode((until - 1) / _TICKS, last=until)
        for packet in self._stream.encode(None):
            self._container.mux(packet)

    def _encode(self, at: float, last: int | None = None) -> None:
        self._at = max(round(at * _TICKS), self._at + 1)
        self._frame.pts, self._frame.time_base = self._at, _CLOCK
        for packet in self._stream.encode(self._frame):
            self._write(packet, last)

    def _write(self, packet: "Packet[VideoStream]", last: int | None) -> None:
        if last is not None:
            packet.duration = last - self._at
        self._container.mux(packet)


def whole_length(descriptor: int) -> int:
    """How much of a film's file is whole: up to the end of its last fragment (a `moof` and an `mdat` box)."""
    size, at, whole = os.fstat(descriptor).st_size, 0, 0
    while at + 8 <= size:
        length, kind = struct.unpack(">I4s", os.pread(descriptor, 8, at))
        if length < 8:
            break
        at += length
        if at <= size and kind != b"moof":
            whole = at
    return whole


def is_full(error: OSError) -> bool:
    """Whether a file takes no more because there is no room."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
