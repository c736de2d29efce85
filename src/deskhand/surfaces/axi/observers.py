"""Watching apps: what happens in them is kept until it is read, so that nobody has to look again and again."""

from dataclasses import dataclass
from typing import Annotated

from deskhand.desk import Desk
from deskhand.model.event import Event
from deskhand.surfaces.axi.parameters import AppName
from deskhand.tools import ABSENT, Effect, arg, tool


@dataclass(frozen=True, slots=True)
class Watching:
    watching: bool
    app: str
    pid: int | None
    events: list[str]
    note: str = ABSENT


@tool(
    "ax_watch",
    effect=Effect.WRITES,
    idempotent=True,
    waits=True,
    hints=("ax_events with wait_ms to wait for the next event", "ax_unwatch when done"),
)
def ax_watch(desk: Desk, app_name: AppName) -> Watching:
    """Start keeping an app's focus, text, value and window events."""
    watch = desk.observers.watch(desk.client.mailbox, desk.platform, app_name)
    note = ABSENT
    if watch.pid is None:
        note = f"{watch.identity.name} does not run: its events come once it has been started"
    elif "focus" not in watch.kinds:
        note = f"{watch.identity.name} shows no accessibility tree: only its windows can be watched"
    return Watching(True, watch.identity.name, watch.pid, [kind.value for kind in watch.kinds], note)


@dataclass(frozen=True, slots=True)
class Unwatched:
    watching: bool
    app: str = ABSENT
    unread: int = ABSENT
    empty: str = ABSENT


@tool("ax_unwatch", effect=Effect.WRITES, idempotent=True)
def ax_unwatch(desk: Desk, app_name: AppName) -> Unwatched:
    """Stop watching an app."""
    watch, unread = desk.observers.unwatch(desk.client.mailbox, app_name)
    if watch is None:
        return Unwatched(watching=False, empty=f"{app_name} was not watched")
    return Unwatched(watching=False, app=watch.identity.name, unread=unread)


@dataclass(frozen=True, slots=True)
class Events:
    count: int
    dropped: int = ABSENT
    left: int = ABSENT
    events: list[Event] = ABSENT
    empty: str = ABSENT


@tool(
    "ax_events",
    effect=Effect.READS,
    waits=True,
    hints=("ax_press or fill with a handle_id to act", "ax_events with wait_ms for the next"),
)
def ax_events(
    desk: Desk,
    app_name: Annotated[str, arg(min_length=1, max_length=200)] | None = None,
    limit: Annotated[int, arg(ge=1, le=1000)] = 100,
    wait_ms: Annotated[int, arg("Wait for the next event", ge=0, le=60_000)] = 0,
) -> Events:
    """Read and remove the kept events, oldest first."""
    mailbox = desk.client.mailbox
    drained = desk.observers.read(mailbox, app_name, limit, wait_ms / 1000, desk.turn)
    if not drained.events:
        names = ", ".join(watch.identity.name for watch in mailbox.watches)
        where = app_name if app_name is not None else names
        return Events(0, empty=f"No new events in {where}" if where else "No app is watched: call ax_watch first")
    return Events(
        count=len(drained.events),
        dropped=drained.dropped or ABSENT,
        left=drained.left or ABSENT,
        events=list(drained.events),
    )
