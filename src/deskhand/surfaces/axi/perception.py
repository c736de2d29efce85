"""Looking: no session needed, nothing changes."""

from dataclasses import dataclass
from typing import Annotated, Literal

from deskhand.desk import Desk
from deskhand.desktop import apps, windows
from deskhand.desktop.elements import looking
from deskhand.desktop.screen import capture
from deskhand.model.errors import BadArguments, MissingArgument
from deskhand.model.geometry import Point, Rect
from deskhand.surfaces.axi.parameters import AppName, Criteria, ScreenX, ScreenY, Words
from deskhand.surfaces.axi.results import Found, FoundAll, Inspected, Shot
from deskhand.tools import ABSENT, Effect, arg, tool

Length = Annotated[float, arg(ge=1, le=100_000)]
DisplayNumber = Annotated[int, arg(ge=0, le=63)]


@tool("screenshot", effect=Effect.READS, idempotent=True)
def screenshot(
    desk: Desk,
    x: ScreenX | None = None,
    y: ScreenY | None = None,
    width: Length | None = None,
    height: Length | None = None,
    display: DisplayNumber | None = None,
) -> Shot:
    """JPEG of a display or a region, at most 1280 px wide or high."""
    sides = (x, y, width, height)
    if all(side is None for side in sides):
        return Shot(capture.screenshot(desk.platform, display=display))
    if x is None or y is None or width is None or height is None:
        raise MissingArgument("Missing required parameter: a region needs x, y, width and height")
    if display is not None:
        raise BadArguments("display: a region is of the whole screen; name one or the other")
    return Shot(capture.screenshot(desk.platform, Rect(round(x), round(y), round(width), round(height))))


@tool("screenshot_window", effect=Effect.READS, idempotent=True)
def screenshot_window(
    desk: Desk,
    window_name: Words | None = None,
    window_id: Annotated[int, arg(ge=0, le=0xFFFFFFFF)] | None = None,
) -> Shot:
    """JPEG of one window, also while it is covered."""
    if (window_name is None) == (window_id is None):
        raise MissingArgument("Missing required parameter: window_name or window_id, exactly one")
    window = windows.find(desk.platform, window_name, window_id)
    return Shot(capture.screenshot_window(desk.platform, window.id), window_id=window.id, name=window.title)


@dataclass(frozen=True, slots=True)
class DisplayRow:
    id: int
    x: int
    y: int
    width: int
    height: int
    scale: float
    main: bool


@dataclass(frozen=True, slots=True)
class ScreenInfo:
    displays: list[DisplayRow]
    cursor: Point


@tool("get_screen_info", effect=Effect.READS, idempotent=True)
def get_screen_info(desk: Desk) -> ScreenInfo:
    """Displays with position, size and scale, and the cursor."""
    displays = desk.platform.displays.all()
    return ScreenInfo(
        [DisplayRow(one.id, *one.bounds, one.scale, one.main) for one in displays],
        desk.platform.pointer.position(),
    )


@dataclass(frozen=True, slots=True)
class WindowRow:
    name: str
    pid: int | None
    x: int
    y: int
    width: int
    height: int
    id: int
    title: str
    active: bool


@dataclass(frozen=True, slots=True)
class WindowList:
    windows: list[WindowRow]
    empty: str = ABSENT


@tool(
    "list_windows_tool",
    effect=Effect.READS,
    idempotent=True,
    hints=("inspect_ui to look into an app", "screenshot_window to see one", "app_activate to bring one forward"),
)
def list_windows_tool(desk: Desk, app_name: AppName | None = None) -> WindowList:
    """Visible windows, topmost first."""
    only = apps.resolve(desk.platform, app_name).app if app_name is not None else None
    names = {app.app.pid: app.app.name for app in apps.running(desk.platform)}
    rows = [
        WindowRow(names.get(one.pid or 0, one.app), one.pid, *one.frame, one.id, one.title, one.active)
        for one in windows.visible(desk.platform)
        if only is None or one.pid == only.pid
    ]
    of_what = f" of {only.name}" if only is not None else ""
    return WindowList(rows, empty=ABSENT if rows else f"No visible window{of_what}")


@tool(
    "inspect_ui",
    effect=Effect.READS,
    idempotent=True,
    hints=("ax_press or fill with a handle_id to act", "find_element to search"),
)
def inspect_ui(
    desk: Desk,
    app_name: AppName,
    detail: Literal["compact", "full"] = "compact",
    max_depth: Annotated[int, arg(ge=0, le=100)] | None = None,
    max_elements: Annotated[int, arg(ge=1, le=2000)] = looking.MANY,
    format: Literal["table", "nested"] = "table",
) -> Inspected:
    """Visible elements of an app, in document order; bounds are x y width height."""
    app = apps.resolve(desk.platform, app_name)
    full = detail == "full"
    view = looking.look(desk.platform, app, full=full, limit=max_elements, depth=max_depth)
    return Inspected(app.app.name, app.app.pid, view, full=full, nested=format == "nested")


@tool(
    "find_element",
    effect=Effect.READS,
    idempotent=True,
    hints=("ax_press to press it", "fill to enter text", "click_at to click it"),
)
def find_element(desk: Desk, app_name: AppName, criteria: Criteria) -> Found:
    """First element that matches, visible ones first."""
    app = apps.resolve(desk.platform, app_name)
    query = criteria.query()
    view = looking.find(desk.platform, app, query, limit=1)
    if not view.shown:
        return Found(found=False, empty=f"No element matching {query.words()} in {app.app.name}")
    return Found(
        found=True,
        element=view.shown[0],
        matches=view.total if view.total > 1 else ABSENT,
    )


@tool("find_elements", effect=Effect.READS, idempotent=True)
def find_elements(
    desk: Desk, app_name: AppName, criteria: Criteria, limit: Annotated[int, arg(ge=1, le=100)] = 100
) -> FoundAll:
    """All elements that match (max 100)."""
    app = apps.resolve(desk.platform, app_name)
    query = criteria.query()
    view = looking.find(desk.platform, app, query, limit)
    if not view.shown:
        return FoundAll(count=0, empty=f"No element matching {query.words()} in {app.app.name}")
    return FoundAll(count=view.total, view=view)


@tool("ax_focused", effect=Effect.READS, idempotent=True, hints=("type_text_tool to type there", "key to press keys"))
def ax_focused(desk: Desk) -> Found:
    """The element with keyboard focus."""
    app = apps.frontmost(desk.platform)
    element = desk.platform.accessibility.focused(app.accessible) if app and app.accessible else None
    if app is None or element is None:
        return Found(found=False, empty="No element currently has keyboard focus")
    return Found(found=True, app=app.app.name, element=element)


@dataclass(frozen=True, slots=True)
class MenuRow:
    depth: int
    role: str
    title: str
    enabled: bool
    shortcut: str


@dataclass(frozen=True, slots=True)
class MenuBar:
    app: str
    count: int
    items: list[MenuRow] = ABSENT
    empty: str = ABSENT
    warning: str = ABSENT


@tool(
    "ax_menu_bar",
    effect=Effect.READS,
    idempotent=True,
    hints=("interact with a menuitem's title", "key with a shortcut"),
)
def ax_menu_bar(desk: Desk, app_name: AppName) -> MenuBar:
    """The whole menu bar of an app, closed menus included."""
    app = apps.resolve(desk.platform, app_name)
    view = looking.menus(desk.platform, app)
    warning = "; ".join(view.warnings) or ABSENT
    if not view.shown:
        return MenuBar(app.app.name, 0, empty=f"No menu bar in {app.app.name}", warning=warning)
    rows = [
        MenuRow(one.depth, one.element.role, one.title, one.element.enabled, one.element.description)
        for one in view.shown
    ]
    return MenuBar(app.app.name, len(rows), rows, warning=warning)
