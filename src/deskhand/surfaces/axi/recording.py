"""Filming the screen or a window, for the session that began it."""

from dataclasses import dataclass
from typing import Annotated

from deskhand.desk import Desk
from deskhand.desktop import windows
from deskhand.desktop.screen.recording import views
from deskhand.desktop.screen.recording.recordings import DEFAULT_RATE, DEFAULT_SECONDS
from deskhand.desktop.screen.recording.views import View
from deskhand.model.errors import BadArguments, MissingArgument
from deskhand.model.geometry import Rect
from deskhand.surfaces.axi.parameters import Words
from deskhand.surfaces.axi.results import Text
from deskhand.tools import ABSENT, Effect, arg, tool

RecordingId = Annotated[str, arg(min_length=1, max_length=40)]


@dataclass(frozen=True, slots=True)
class Filmed:
    """What a recording is of: a window, a display, a region, or else the whole screen."""

    window_name: Words | None = None
    window_id: int | None = None
    display: int | None = None
    x: float | None = None
    y: float | None = None
    width: float | None = None
    height: float | None = None

    def view(self, desk: Desk) -> View:
        """It, as it is now. Raises BadArguments, MissingArgument, NotFound or OffScreen."""
        sides = (self.x, self.y, self.width, self.height)
        is_region = any(side is not None for side in sides)
        if (self.window_name, self.window_id, self.display, is_region or None).count(None) < 3:
            raise BadArguments("name one thing: a window, a display or a region", recovery="leave the others out")
        if self.window_name is not None or self.window_id is not None:
            return views.window_view(windows.find(desk.platform, self.window_name, self.window_id))
        if self.display is not None:
            return views.display_view(desk.platform, self.display)
        return self._region(desk) if is_region else views.screen_view(desk.platform)

    def _region(self, desk: Desk) -> View:
        if self.x is None or self.y is None or self.width is None or self.height is None:
            raise MissingArgument("Missing required parameter: a region needs x, y, width and height")
        return views.region_view(
            desk.platform, Rect(round(self.x), round(self.y), round(self.width), round(self.height))
        )


@dataclass(frozen=True, slots=True)
class Started:
    recording_id: str
    path: Text
    target: str
    width: int
    height: int


@tool(
    "record_start",
    effect=Effect.WRITES,
    session=True,
    after_acts=True,
    hints=("record_stop to finish", "extend_session to record for longer than it lasts"),
)
def record_start(
    desk: Desk,
    filmed: Filmed,
    fps: Annotated[int, arg(ge=1, le=30)] = DEFAULT_RATE,
    max_seconds: Annotated[float, arg(ge=1, le=14_400)] = DEFAULT_SECONDS,
    output_path: Annotated[str, arg("New .mp4", min_length=1, max_length=4000)] | None = None,
) -> Started:
    """Record screen, display, region or window (also covered) to MP4, until the session ends."""
    holder = desk.holder
    assert holder is not None
    begun = desk.recordings.start(filmed.view(desk), holder.session_id, path=output_path, rate=fps, seconds=max_seconds)
    return Started(begun.id, Text(begun.path), begun.target, *begun.size)


@dataclass(frozen=True, slots=True)
class Stopped:
    recording_id: str
    path: Text
    duration: float
    size: int
    frames: int
    reason: str | None


@tool("record_stop", effect=Effect.WRITES, session=True, after_acts=True)
def record_stop(desk: Desk, recording_id: RecordingId | None = None) -> Stopped:
    """Finish a recording: path, duration, size in bytes."""
    ended = desk.recordings.stop(recording_id)
    return Stopped(ended.id, Text(ended.path), round(ended.seconds, 3), ended.length, ended.frames, ended.end)


@dataclass(frozen=True, slots=True)
class RecordingRow:
    recording_id: str
    running: bool
    target: str
    path: Text
    elapsed: float
    size: int
    frames: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class RecordingList:
    recordings: list[RecordingRow] = ABSENT
    empty: str = ABSENT


@tool("record_list", effect=Effect.READS, session=True, idempotent=True)
def record_list(desk: Desk) -> RecordingList:
    """Running and ended recordings."""
    rows = [
        RecordingRow(
            one.id, one.end is None, one.target, Text(one.path), round(one.seconds, 1), one.length, one.frames, one.end
        )
        for one in desk.recordings.all()
    ]
    return RecordingList(rows) if rows else RecordingList(empty="Nothing has been recorded")
