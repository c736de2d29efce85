"""Observing the system: apps, clipboard, machine; and bringing an app to the front."""

from dataclasses import dataclass
from typing import Annotated

from deskhand.desk import Desk
from deskhand.desktop import apps
from deskhand.model.effect import Effect as Seen
from deskhand.model.machine import Machine
from deskhand.surfaces.axi.parameters import AppName, one_app
from deskhand.surfaces.axi.results import LONGEST_TEXT, Text, shortened
from deskhand.tools import ABSENT, Effect, arg, tool


@dataclass(frozen=True, slots=True)
class AppRow:
    name: str
    bundle_id: str
    pid: int
    active: bool
    hidden: bool


@dataclass(frozen=True, slots=True)
class AppList:
    apps: list[AppRow]
    empty: str = ABSENT


@tool(
    "app_list",
    effect=Effect.READS,
    idempotent=True,
    hints=("inspect_ui to look into one", "app_activate to bring one forward or start one"),
)
def app_list(desk: Desk) -> AppList:
    """Running apps, frontmost window first."""
    running = apps.running(desk.platform)
    rows = [AppRow(one.app.name, one.app.bundle_id, one.app.pid, one.app.active, one.app.hidden) for one in running]
    return AppList(rows, empty=ABSENT if rows else "No app with a window is running")


@dataclass(frozen=True, slots=True)
class Frontmost:
    name: str = ABSENT
    bundle_id: str = ABSENT
    pid: int = ABSENT
    window: str = ABSENT
    found: bool = ABSENT
    empty: str = ABSENT


@tool("app_frontmost", effect=Effect.READS, idempotent=True, hints=("inspect_ui to look into it", "ax_focused"))
def app_frontmost(desk: Desk) -> Frontmost:
    """The app in front."""
    app = apps.frontmost(desk.platform)
    if app is None:
        return Frontmost(found=False, empty="No app is in front")
    title = next((window.title for window in app.windows if window.active), "")
    return Frontmost(app.app.name, app.app.bundle_id, app.app.pid, title)


@dataclass(frozen=True, slots=True)
class Activated:
    activated: bool
    launched: bool
    name: str
    pid: int
    window: str
    effect: Seen


@tool("app_activate", effect=Effect.ACTS, session=True, hints=("inspect_ui to see it", "screenshot"))
def app_activate(
    desk: Desk,
    bundle_id: Annotated[str, arg("Desktop-file id, e.g. org.xfce.mousepad", min_length=1, max_length=200)]
    | None = None,
    app_name: AppName | None = None,
) -> Activated:
    """Bring an app to the front, starting it if need be."""
    done = apps.activate(desk.platform, one_app(bundle_id, app_name), desk.turn)
    app = done.running
    title = next((window.title for window in app.windows if window.active), "")
    return Activated(app.app.active, done.launched, app.app.name, app.app.pid, title, done.effect)


@dataclass(frozen=True, slots=True)
class ClipboardText:
    text: Text | None
    file_urls: list[str]
    has_image: bool
    characters: int = ABSENT
    empty: str = ABSENT


@tool("clipboard_read", effect=Effect.READS, idempotent=True)
def clipboard_read(desk: Desk) -> ClipboardText:
    """Clipboard text, file URLs, and whether it holds an image."""
    clip = desk.platform.clipboard.read()
    urls = list(clip.file_urls)
    if clip.has_more:
        return ClipboardText(None, urls, clip.has_image, empty="What is on the clipboard is no text, file or image")
    if clip.is_empty:
        return ClipboardText(None, urls, clip.has_image, empty="The clipboard is empty")
    if clip.text is None:
        return ClipboardText(None, urls, clip.has_image)
    characters = len(clip.text) if len(clip.text) > LONGEST_TEXT else ABSENT
    return ClipboardText(Text(shortened(clip.text)), urls, clip.has_image, characters)


@dataclass(frozen=True, slots=True)
class SystemState:
    battery: dict[str, object] | None
    thermal: dict[str, object] | None
    displays: int
    memory: dict[str, int]
    load: float | None
    cpus: int
    os_version: str
    desktop: str


@tool("system_state", effect=Effect.READS, idempotent=True)
def system_state(desk: Desk) -> SystemState:
    """Battery, thermal, displays, memory, OS version."""
    machine: Machine = desk.platform.system.state()
    battery = machine.battery
    return SystemState(
        battery={"percent": battery.percent, "charging": battery.charging} if battery else None,
        thermal={"hottest_celsius": machine.hottest_celsius} if machine.hottest_celsius is not None else None,
        displays=len(desk.platform.displays.all()),
        memory={"total_mb": machine.memory_total_mb, "available_mb": machine.memory_available_mb},
        load=machine.load,
        cpus=machine.cpus,
        os_version=machine.os_version,
        desktop=machine.desktop,
    )
