"""Pictures become a film, each with the moment from which it is seen."""

import contextlib
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from deskhand.desktop.screen.video.outlet import Outlet
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


class Video:
    """A film in the making. Times are seconds from its beginning; OSError is raised where the file takes no more."""

    def __init__(self, descriptor: int, size: Size, rate: int) -> None:
        import av

        from deskhand.desktop.screen.video.strips import Strips

        self.outlet = Outlet(descriptor)
        self._container = av.open(self.outlet, "w", format="mp4", options=_CONTAINER)
        self._stream = self._container.add_stream(_CODEC, rate=rate, options=_QUICK)
        self._stream.width, self._stream.height, self._stream.pix_fmt = *size, "yuv420p"
        context = self._stream.codec_context
        context.time_base, context.gop_size, context.thread_count = _CLOCK, rate * _KEY_FRAME_SECONDS, 1
        context.colorspace = context.color_primaries = context.color_trc = _BT709
        context.color_range = _LIMITED_RANGE
        self._picture = Strips(size)
        self._at = -1

    def show(self, pixels: bytes, at: float) -> bool:
        """Show a picture (BGRX) from a moment on; whether it is another than before."""
        if not self._picture.show(pixels):
            return False
        self._encode(at)
        return True

    def hold(self, at: float) -> None:
        """Say that the picture is still the same, so that all before is written."""
        self._encode(at)

    def finish(self, at: float) -> None:
        """End the film at a moment, and the file. Where it has taken no more before, what it holds is made whole."""
        try:
            if not self.outlet.is_broken:
                self._end(at)
        finally:
            with contextlib.suppress(OSError):
                self._container.close()
            if self.outlet.is_broken:
                self.outlet.cut()

    def _end(self, at: float) -> None:
        # The last frame says how long it is to be seen; those before are seen until the next one.
        until = max(round(at * _TICKS), self._at + 2)
        self._encode((until - 1) / _TICKS, last=until)
        for packet in self._stream.encode(None):
            self._container.mux(packet)

    def _encode(self, at: float, last: int | None = None) -> None:
        self._at = max(round(at * _TICKS), self._at + 1)
        frame = self._picture.frame
        frame.pts, frame.time_base = self._at, _CLOCK
        for packet in self._stream.encode(frame):
            self._write(packet, last)

    def _write(self, packet: "Packet[VideoStream]", last: int | None) -> None:
        if last is not None:
            packet.duration = last - self._at
        self._container.mux(packet)
