"""Shortcuts by name: which there are, firing one, and telling or learning more."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from deskhand.desk import Desk
from deskhand.desktop import apps
from deskhand.desktop.hotkeys.jump import jump
from deskhand.desktop.hotkeys.learning import learned
from deskhand.desktop.hotkeys.manifest import BadManifest, Source, parse
from deskhand.model.effect import Effect as Seen
from deskhand.model.effect import Route
from deskhand.model.errors import BadArguments
from deskhand.surfaces.axi.parameters import AppName, HotkeyId
from deskhand.tools import ABSENT, Effect, arg, tool

_MOST_SHOWN = 200
_MOST_PROBLEMS = 20
_SETTLE_SECONDS = 0.3
Kind = Literal["action", "view", "panel", "modal", "toggle"]
App = Annotated[str, arg(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True)
class HotkeyRow:
    app: str
    key: str
    chord: str
    label: str
    kind: str
    source: str


@dataclass(frozen=True, slots=True)
class Hotkeys:
    count: int
    shown: int = ABSENT
    rest: str = ABSENT
    hotkeys: list[HotkeyRow] = ABSENT
    empty: str = ABSENT


@tool(
    "list_hotkeys",
    effect=Effect.READS,
    idempotent=True,
    hints=("hotkey_jump or navigate with a key", "hotkey_rescan with app_name to learn an app's"),
)
def list_hotkeys(
    desk: Desk,
    app: App | None = None,
    kind: Kind | None = None,
    query: Annotated[str, arg("Words of label, key or chord", max_length=200)] | None = None,
) -> Hotkeys:
    """Search known keyboard shortcuts."""
    found = desk.hotkeys.search(app, kind, query)
    if not found:
        wanted = ", ".join(word for word in (app, kind, query) if word)
        return Hotkeys(0, empty=f"No hotkey matching [{wanted}]")
    rows = [
        HotkeyRow(one.app, one.key, one.chord, one.label, one.kind, one.source.value) for one in found[:_MOST_SHOWN]
    ]
    if len(found) > len(rows):
        return Hotkeys(len(found), len(rows), "narrow it down with app, kind or query", rows)
    return Hotkeys(len(found), hotkeys=rows)


@dataclass(frozen=True, slots=True)
class HotkeyApp:
    app: str
    app_version: str
    entries: int


@dataclass(frozen=True, slots=True)
class HotkeyApps:
    apps: list[HotkeyApp]


@tool("list_hotkey_apps", effect=Effect.READS, idempotent=True)
def list_hotkey_apps(desk: Desk) -> HotkeyApps:
    """Apps with known shortcuts."""
    return HotkeyApps([HotkeyApp(one.app, one.app_version, len(one.entries)) for one in desk.hotkeys.manifests()])


@dataclass(frozen=True, slots=True)
class Jumped:
    app: str
    chord: str
    label: str
    kind: str
    effect: Seen
    route: Route
    window: str


@tool(
    "hotkey_jump",
    effect=Effect.ACTS,
    session=True,
    keeps_handles=True,
    hints=("inspect_ui to see where it led", "navigate does both"),
)
def hotkey_jump(desk: Desk, key: HotkeyId, app: App | None = None) -> Jumped:
    """Fire a shortcut in its app."""
    hotkey = desk.hotkeys.find(key, app)
    done = jump(desk.platform, hotkey, _SETTLE_SECONDS, desk.turn)
    window = desk.platform.windows.active()
    return Jumped(
        app=done.app.app.name,
        chord=hotkey.chord,
        label=hotkey.label,
        kind=hotkey.kind,
        effect=done.effect,
        route=Route.KEYBOARD,
        window=window.title if window else "",
    )


@dataclass(frozen=True, slots=True)
class Rescanned:
    apps: int
    entries: int
    learned: int = ABSENT
    note: str = ABSENT
    errors: list[str] = ABSENT


@tool("hotkey_rescan", effect=Effect.WRITES, idempotent=True)
def hotkey_rescan(desk: Desk, app_name: AppName | None = None) -> Rescanned:
    """Read manifests again; with app_name also learn the shortcuts a running app shows."""
    count, note = ABSENT, ABSENT
    if app_name is None:
        desk.hotkeys.rescan()
    else:
        manifest = learned(desk.platform, apps.resolve(desk.platform, app_name))
        count = len(manifest.entries)
        if count:
            desk.hotkeys.learn(manifest)
        else:
            desk.hotkeys.rescan()
            note = f"{manifest.app} shows no shortcuts in its menus or elements"
    manifests = desk.hotkeys.manifests()
    return Rescanned(len(manifests), sum(len(one.entries) for one in manifests), count, note, _errors(desk))


def _errors(desk: Desk) -> list[str]:
    problems = list(desk.hotkeys.problems())
    if len(problems) > _MOST_PROBLEMS:
        problems[_MOST_PROBLEMS:] = [f"and {len(problems) - _MOST_PROBLEMS} more"]
    return problems or ABSENT


@dataclass(frozen=True, slots=True)
class Registered:
    app: str
    registered: int
    errors: list[str] = ABSENT


@tool("hotkey_register", effect=Effect.WRITES, idempotent=True, hints=("list_hotkeys to see them", "hotkey_jump"))
def hotkey_register(
    desk: Desk,
    manifest: Annotated[dict[str, Any], arg("{app, app_version, entries: [{key, chord, label, kind}]}")],
) -> Registered:
    """Register an app's shortcuts, in place of those registered before."""
    try:
        parsed = parse(manifest, Source.REGISTERED)
    except BadManifest as error:
        raise BadArguments(f"manifest: {error}") from None
    if parsed.problems and not parsed.entries:
        raise BadArguments(f"manifest: {parsed.problems[0]}")
    desk.hotkeys.register(parsed)
    return Registered(parsed.app, len(parsed.entries), list(parsed.problems) or ABSENT)
