"""A film and its file: what it shows, how long it is by now, and why it has ended."""

import time

from deskhand.desktop.screen.video.encoder import Video
from deskhand.desktop.screen.video.outlet import why_not
from deskhand.guard.paths import NewFile
from deskhand.model.errors import DeskError
from deskhand.model.geometry import Size
from deskhand.model.recording import Recording


class Film:
    """One film, begun with its first picture. Raises OSError where its file takes no more. Times are monotonic."""

    def __init__(self, file: NewFile, size: Size, rate: int, pixels: bytes, now: float) -> None:
        self._file = file
        self._size = size
        self._began = now
        self._seconds: float | None = None
        self._end: str | None = None
        self._frames = 0
        self._length = 0
        # Let go of at the end: the encoder holds some megabytes, and films that have ended are remembered.
        self._video: Video | None = Video(file.descriptor, size, rate)
        try:
            self.show(pixels, now)
        except OSError as error:
            self._making.finish(0.0)
            file.discard()
            raise DeskError(
                f"{file.path} cannot be written: {why_not(error)}", recovery="name an output_path elsewhere"
            ) from None

    @property
    def _making(self) -> Video:
        assert self._video is not None, "the film has ended"
        return self._video

    def show(self, pixels: bytes, now: float) -> bool:
        """Show a picture from now on; whether it is another than before."""
        is_new = self._making.show(pixels, now - self._began)
        self._frames += is_new
        return is_new

    def hold(self, now: float) -> None:
        """Show the same picture on."""
        self._making.hold(now - self._began)

    def finish(self, why: str) -> None:
        """End it now and make its file whole."""
        self._seconds = time.monotonic() - self._began
        video = self._making
        try:
            video.finish(self._seconds)
        except OSError as error:
            why = why_not(error)
        finally:
            self._length, self._video = video.outlet.length, None
            self._end = why
            self._file.close()

    def state(self, name: str, target: str) -> Recording:
        """What there is of it now."""
        seconds = time.monotonic() - self._began if self._seconds is None else self._seconds
        video = self._video
        length = self._length if video is None else video.outlet.length
        return Recording(name, target, self._file.path, self._size, seconds, length, self._frames, self._end)
