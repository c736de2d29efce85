"""Asking the human for what an agent wants to use: which applications its words mean, the question, the answer."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from deskhand.desktop import apps
from deskhand.desktop.apps import Identity
from deskhand.guard.access import Access, Grant, plain
from deskhand.guard.given import FLAGS_ABOUT, Flag
from deskhand.guard.policy import Deed, Policy
from deskhand.guard.questions import Questions
from deskhand.guard.tiers import ABOUT, Tier
from deskhand.model.errors import Aborted, AmbiguousApp, AppNotFound, Denied, DeskError
from deskhand.model.question import Answer, Question
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform

ANSWER_SECONDS: Final = 120.0
MOST_NAMES: Final = 50
_LIST_SECONDS: Final = 1.0
_LONGEST_REASON: Final = 200
_IN_REASONS: Final = ',;:!?"/%*@#='
_GO_ON: Final = "to go on: you have stopped it with Esc"
_TITLE: Final = "May the agent use this on your desktop?"


@dataclass(frozen=True, slots=True)
class Wish:
    """What an agent wants to use."""

    apps: Sequence[str]
    flags: frozenset[Flag]
    reason: str
    again: bool = False
    """Whether a person has stopped the agent: then it asks in any case, to go on."""


@dataclass(slots=True)
class Verdict:
    """What came of it: by application and flag, granted or with the reason why not."""

    granted: list[Grant] = field(default_factory=list)
    denied: dict[str, str] = field(default_factory=dict)
    was_asked: bool = False
    was_unknown: bool = False
    """Whether a name meant nothing."""
    may_go_on: bool = True
    """False where a person has stopped the agent and has not let it go on."""


def request(
    platform: Platform, access: Access, policy: Policy, questions: Questions, wish: Wish, turn: Turn
) -> Verdict:
    """Grant what is granted already, and what the human grants when asked.

    Raises Aborted where the human closes the question, does not answer within 120 s, or nobody is left to hear the
    answer; NotPossible where another agent asks just now.
    """
    verdict = Verdict(may_go_on=not wish.again)
    granted: dict[str, Grant] = {}
    wanted: dict[str, tuple[Identity, Tier]] = {}
    for name in wish.apps:
        try:
            identity = identity_of(platform, name)
            policy.check_app(identity.names, plain(identity.shown), Deed.ACTIVATE)
        except (AppNotFound, Denied) as error:
            verdict.was_unknown |= isinstance(error, AppNotFound) and not isinstance(error, AmbiguousApp)
            verdict.denied[plain(name)] = plain(str(error), _LONGEST_REASON, also=_IN_REASONS)
            continue
        tier = access.tier_of(identity.names, identity.categories)
        if tier is None:
            wanted[identity.id] = identity, access.tiers.of(identity.names, identity.categories)
        else:
            granted[identity.id] = Grant(identity.id, plain(identity.shown), tier, access.since_of(identity.id))
    verdict.granted += granted.values()
    flags = wish.flags - access.flags
    if wanted or flags or wish.again:
        with questions.one(), turn.asking():
            _ask(platform, access, verdict, list(wanted.values()), flags, wish, turn)
    return verdict


def identity_of(platform: Platform, name: str) -> Identity:
    """The application that a name, an id or a process number means; several processes of one application are one.

    Raises AppNotFound, or AmbiguousApp.
    """
    wanted = name.strip().casefold().removesuffix(".desktop")
    running = apps.running(platform)
    found = {one.identity.id: one.identity for one in running if wanted in one.names or wanted == str(one.app.pid)}
    installed = apps.find_installed(platform, name) if not found else None
    if installed is not None:
        return apps.identity_of_installed(installed)
    if not found and wanted:
        found = {one.identity.id: one.identity for one in running if any(wanted in each for each in one.names)}
    if not found:
        raise AppNotFound("no application of that name runs or is installed")
    if len(found) > 1:
        raise AmbiguousApp(f"it means several: {', '.join(plain(one) for one in found)}", recovery="name one by its id")
    return next(iter(found.values()))


def known_names(platform: Platform) -> list[str]:
    """What applications there are, for whoever named none of them: 50 at most; none where listing takes over 1 s."""
    names: list[str] = []

    def read() -> None:
        names.extend(dict.fromkeys(plain(one.name) for one in platform.apps.installed()))

    # Folders of applications may lie on a disk that does not answer.
    thread = threading.Thread(target=read, name="names of applications", daemon=True)
    thread.start()
    thread.join(_LIST_SECONDS)
    return [name for name in names if name][:MOST_NAMES]


def _ask(
    platform: Platform,
    access: Access,
    verdict: Verdict,
    wanted: Sequence[tuple[Identity, Tier]],
    flags: frozenset[Flag],
    wish: Wish,
    turn: Turn,
) -> None:
    lines = [_GO_ON] if wish.again else []
    lines += [f"{plain(identity.shown)}: {ABOUT[tier]}" for identity, tier in wanted]
    lines += [FLAGS_ABOUT[flag] for flag in Flag if flag in flags]
    question = Question(_TITLE, tuple(lines), plain(wish.reason, _LONGEST_REASON, also=_IN_REASONS))
    why_not = "the user has denied it"
    try:
        turn.check()
        answer = turn.ask(question, ANSWER_SECONDS)
        if answer is None:
            answer = platform.dialogs.ask(question, turn.wait, ANSWER_SECONDS)
        verdict.was_asked = True
    except Aborted:
        answer = Answer.ABORT
    except Denied:
        raise
    except DeskError as error:
        turn.check()
        answer, why_not = Answer.DENY, f"nobody can be asked: {error}; the user can start deskhand with --grant"
    if answer is Answer.ABORT:
        raise Aborted("Computer Use permission dialog aborted")
    if answer is Answer.ALLOW:
        verdict.granted += [access.grant(identity.id, identity.shown, tier) for identity, tier in wanted]
        access.allow(flags)
        verdict.may_go_on = True
        return
    verdict.denied |= {plain(identity.shown): why_not for identity, _ in wanted} | {
        flag.value: why_not for flag in flags
    }
