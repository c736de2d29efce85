"""Asking for what may be used, and what has been granted; bringing an application that has been to the front."""

from dataclasses import dataclass
from typing import Annotated

from deskhand.desk import Desk
from deskhand.desktop import apps, granting
from deskhand.desktop.permissions import Permission, permissions
from deskhand.guard.access import Grant, plain
from deskhand.guard.audit import Record
from deskhand.guard.given import Flag
from deskhand.guard.policy import Deed
from deskhand.guard.tiers import Tier
from deskhand.model.errors import AmbiguousApp, AppNotFound, DeskError
from deskhand.platforms.base import Platform
from deskhand.surfaces.computer.results import Answer
from deskhand.tools import ABSENT, Effect, arg, tool

AppName = Annotated[str, arg(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True)
class GrantedApp:
    id: str
    displayName: str
    tier: Tier
    grantedAt: str


@dataclass(frozen=True, slots=True)
class DeniedApp:
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class AccessAnswer:
    granted: list[GrantedApp]
    denied: list[DeniedApp]
    flags: dict[str, bool]
    permissions: list[dict[str, object]]
    applications: list[str] = ABSENT
    """What there is, where a name meant nothing."""


@tool("request_access", effect=Effect.WRITES, waits=True)
def request_access(
    desk: Desk,
    apps: Annotated[list[AppName], arg("Names or ids of applications", max_length=20)],
    reason: Annotated[str, arg("What for; the user reads it", max_length=500)],
    clipboardRead: bool = False,
    clipboardWrite: bool = False,
    systemKeyCombos: Annotated[bool, arg("alt+Tab and the like")] = False,
) -> AccessAnswer:
    """Ask the user for apps before acting in them, or to go on after Esc; each gets a tier: view, click or full."""
    wanted = {
        Flag.CLIPBOARD_READ: clipboardRead,
        Flag.CLIPBOARD_WRITE: clipboardWrite,
        Flag.SYSTEM_KEYS: systemKeyCombos,
    }
    is_stopped = desk.stop_key.has_stopped(desk.client.id)
    flags = frozenset(flag for flag, is_wanted in wanted.items() if is_wanted)
    # On a desktop of its own there is nobody to be asked: the call itself is the explicit start.
    wish = granting.Wish(apps, flags, reason, again=is_stopped and not desk.access.given.everything)
    verdict = _verdict(desk, wish)
    if is_stopped and verdict.may_go_on:
        desk.stop_key.start_again(desk.client.id)
    _note(desk, wish, verdict)
    return AccessAnswer(
        [_row(grant) for grant in verdict.granted],
        [DeniedApp(name, why) for name, why in verdict.denied.items()],
        _flags(desk),
        [_told(one) for one in permissions(lambda: desk.platform)],
        granting.known_names(desk.platform) if verdict.was_unknown else ABSENT,
    )


def _verdict(desk: Desk, wish: granting.Wish) -> granting.Verdict:
    """What comes of a wish; where there is no desktop, nothing."""
    try:
        platform = desk.platform
    except DeskError as error:
        denied = dict.fromkeys(map(plain, wish.apps), f"{error}; {error.recovery}")
        return granting.Verdict(denied=denied, may_go_on=False)
    return granting.request(platform, desk.access, desk.policy, desk.questions, wish, desk.turn)


@dataclass(frozen=True, slots=True)
class AllowList:
    applications: list[GrantedApp]
    everything: bool
    flags: dict[str, bool]
    coordinates: str


@tool("list_granted_applications", effect=Effect.READS, idempotent=True, after_acts=True)
def list_granted_applications(desk: Desk) -> AllowList:
    """What you may use: applications with their tiers, the clipboard, system keys; and how coordinates count."""
    given = desk.access.given
    ahead = [_ahead(desk, one.word) for one in given.apps]
    rows = {row.id: row for row in (*ahead, *(_row(grant) for grant in desk.access.grants))}
    return AllowList(list(rows.values()), given.everything, _flags(desk), desk.frames.framing.coordinates.value)


@tool("open_application", effect=Effect.ACTS, session=True)
def open_application(desk: Desk, app: AppName) -> Answer:
    """Bring a granted application to the front, or start it."""
    platform = desk.platform
    identity = _known(platform, app)
    name = plain(identity.shown)
    desk.access.check_app(identity.names, identity.categories, identity.shown, Deed.ACTIVATE, Tier.VIEW, front=False)
    running = next((one for one in apps.running(platform) if one.identity.id == identity.id), None)
    if running is not None:
        apps.bring_forward(platform, running)
        return Answer(f"{name} is in front.")
    apps.activate(platform, identity.id, desk.turn)
    return Answer(f"{name} was started and is in front.")


def _known(platform: Platform, app: str) -> apps.Identity:
    """See granting.identity_of; who names an application that there is not is told which there are."""
    try:
        return granting.identity_of(platform, app)
    except AmbiguousApp:
        raise
    except AppNotFound as error:
        names = ", ".join(granting.known_names(platform))
        raise AppNotFound(str(error), recovery=f"name one of {names}" if names else "give its name or id") from None


def _row(grant: Grant) -> GrantedApp:
    at = grant.granted_at.isoformat(timespec="seconds").replace("+00:00", "Z")
    return GrantedApp(grant.id, grant.display_name, grant.tier, at)


def _ahead(desk: Desk, word: str) -> GrantedApp:
    """An application that was granted ahead of time, under the name it has where it is there."""
    try:
        identity = granting.identity_of(desk.platform, word)
    except DeskError:
        called, names, categories, app_id = word, {word.casefold()}, frozenset[str](), word
    else:
        called, names, categories, app_id = identity.shown, set(identity.names), identity.categories, identity.id
    tier = desk.access.tier_of(names, categories) or Tier.VIEW
    return _row(Grant(app_id, plain(called), tier, desk.access.since))


def _flags(desk: Desk) -> dict[str, bool]:
    return {flag.value: flag in desk.access.flags for flag in Flag}


def _told(one: Permission) -> dict[str, object]:
    return {"name": one.name, "works": one.works, "about": one.about} | ({"remedy": one.remedy} if one.remedy else {})


def _note(desk: Desk, wish: granting.Wish, verdict: granting.Verdict) -> None:
    """Write down what was granted, and what was not: also where nobody had to be asked."""
    detail = {
        "client": desk.client.id[:8],
        "granted": {grant.id: grant.tier.value for grant in verdict.granted},
        "denied": list(verdict.denied),
        "flags": sorted(flag.value for flag in wish.flags & desk.access.flags),
        "asked": verdict.was_asked,
    }
    desk.audit.write(Record("", "", request_access.name, detail, "denied" if verdict.denied else "ok"))
