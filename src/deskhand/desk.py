"""The wiring: one Desk holds every room a tool may use, for one client and one call."""

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from uuid import uuid4

from deskhand.desktop.elements.refs import Generation, Refs
from deskhand.desktop.guarded import guarded
from deskhand.desktop.hand import Hand
from deskhand.desktop.hotkeys.index import HotkeyIndex
from deskhand.desktop.observers.mailbox import Mailbox
from deskhand.desktop.observers.observers import Observers
from deskhand.desktop.screen.frames import Frames
from deskhand.desktop.screen.recording.recordings import Recordings
from deskhand.desktop.speech import Mouth
from deskhand.desktop.stop_key import StopKey, Take
from deskhand.desktop.tiered import tiered
from deskhand.guard.access import Access
from deskhand.guard.audit import Audit
from deskhand.guard.given import EVERYTHING, Given
from deskhand.guard.pace import DEFAULT_CLICKS_PER_SECOND, Pace
from deskhand.guard.places import recordings_directory, runtime_directory, state_directory
from deskhand.guard.policy import Policy
from deskhand.guard.policy_file import load_policy
from deskhand.guard.questions import Questions
from deskhand.guard.seat_file import Holder
from deskhand.guard.sessions import DEFAULT_IDLE, Sessions
from deskhand.guard.tier_lists import Tiers, load_tiers
from deskhand.model.errors import DeskError, SeatTaken
from deskhand.model.frame import Framing
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform, Session


class Platforms:
    """The platform of each thread: opened when the thread first needs it, and again after the desktop was lost."""

    def __init__(self, session: Session, policy: Policy, pace: Pace) -> None:
        self.session = session
        self._policy = policy
        self._pace = pace
        self._own = threading.local()

    def here(self) -> Platform:
        """This thread's platform. Raises PermissionMissing or DesktopLost where the desktop is out of reach."""
        platform: Platform | None = getattr(self._own, "platform", None)
        if platform is None:
            platform = self._own.platform = guarded(self.session.connect(), self._policy, self._pace)
            self._own.tiered = None
        return platform

    def let_go(self) -> None:
        """Release what this thread holds pressed."""
        platform: Platform | None = getattr(self._own, "platform", None)
        if platform is not None:
            _let_go(platform)

    def here_for(self, access: Access) -> Platform:
        """The same, where nothing is done that has not been granted."""
        platform = self.here()
        if access.given.everything:
            return platform
        known: tuple[Access, Platform] | None = self._own.tiered
        if known is None or known[0] is not access:
            known = self._own.tiered = access, tiered(platform, access)
        return known[1]

    def holds_a_button(self) -> bool:
        """Whether this thread holds a button of the pointer for a later call."""
        platform: Platform | None = getattr(self._own, "platform", None)
        return platform is not None and bool(platform.pointer.held())

    def forget(self) -> None:
        """Let go of what this thread's platform holds, and close it: its next call connects anew."""
        platform: Platform | None = getattr(self._own, "platform", None)
        if platform is None:
            return
        try:
            self.let_go()
        finally:
            self._own.platform = None
            platform.close()


def _let_go(platform: Platform) -> None:
    """Release what a platform holds pressed, and take back what typing has changed of the layout."""
    for release in (platform.pointer.release_all, platform.keyboard.release_all, platform.keyboard.restore):
        # Where the desktop has gone, what was pressed has gone with it.
        with contextlib.suppress(DeskError):
            release()


@dataclass(frozen=True, slots=True)
class Client:
    """Who is at the other end of a connection."""

    id: str
    refs: Refs
    mailbox: Mailbox
    """What has happened in the applications that it watches."""
    frames: Frames
    """What it has seen of the screen."""
    access: Access
    """What it may use."""


class Clients:
    """Everybody connected now."""

    def __init__(self, generation: Generation, framing: Framing, new_access: Callable[[], Access]) -> None:
        self._generation = generation
        self._framing = framing
        self._new_access = new_access
        self._known: dict[str, Client] = {}

    def add(self) -> Client:
        """A new client, with handles of its own."""
        access = self._new_access()
        client = Client(uuid4().hex, Refs(self._generation), Mailbox(), Frames(self._framing, access), access)
        self._known[client.id] = client
        return client

    def remove(self, client: Client) -> None:
        """A client has gone."""
        self._known.pop(client.id, None)

    def forget_handles(self, client_id: str) -> None:
        """A client's session is over: its handles go with it."""
        client = self._known.get(client_id)
        if client is not None:
            client.refs.clear()


@dataclass(frozen=True, slots=True)
class Desk:
    """What a tool works with. All clients share everything but `client`; each call has its own `turn`."""

    platforms: Platforms
    sessions: Sessions
    generation: Generation
    policy: Policy
    audit: Audit
    hotkeys: HotkeyIndex
    observers: Observers
    clients: Clients
    hand: Hand
    stop_key: StopKey
    questions: Questions
    recordings: Recordings
    mouth: Mouth
    client: Client
    tool_count: int
    """How many tools are served."""
    seat_idle: float = DEFAULT_IDLE
    """For how many seconds a seat that was taken for an act may be idle."""
    esc_stops: bool = False
    """Whether a person's Esc stops also what comes by axi: where the computer surface is served beside it."""
    turn: Turn = field(default_factory=Turn)
    holder: Holder | None = None
    """The session that this call belongs to, where it needs one."""

    @property
    def platform(self) -> Platform:
        """The desktop, as this thread reaches it, and as far as this client may."""
        return self.platforms.here_for(self.client.access)

    @property
    def access(self) -> Access:
        """What this client may use."""
        return self.client.access

    @property
    def frames(self) -> Frames:
        """What this client has seen of the screen."""
        return self.client.frames

    @property
    def refs(self) -> Refs:
        """This client's handles."""
        return self.client.refs

    def for_client(self) -> "Desk":
        """The same desk for another client."""
        return replace(self, client=self.clients.add())

    def for_call(self, turn: Turn) -> "Desk":
        """The same desk for one call."""
        return replace(self, turn=turn)

    def for_session(self, holder: Holder | None) -> "Desk":
        """The same desk for a call of a session."""
        return replace(self, holder=holder)

    def take_seat(self, agent_id: str) -> Holder:
        """The session of this client, for an act; taken where nobody has the seat, and stopped by a person's Esc.

        Raises SeatTaken, StoppedByUser, DesktopLost or PermissionMissing.
        """
        holder = self._taken(lambda _: self.sessions.take(self.client.id, agent_id, "", self.seat_idle))
        if holder is None:
            raise SeatTaken(f"Computer use is in use by another session ({self._who_has_the_seat()}…)")
        return holder

    def acquire_seat(self, agent_id: str, purpose: str, ttl: float, timeout: float) -> Holder | None:
        """Take the seat as Sessions.acquire does; stopped by a person's Esc as far as `esc_stops` says.

        Raises StoppedByUser.
        """
        asked = self.client.id, agent_id, purpose, ttl, timeout, self.turn
        acquire = self.sessions.acquire
        return self._taken(lambda forget: acquire(*asked, forget)) if self.esc_stops else acquire(*asked)

    def join_seat(self, session_id: str | None) -> Holder:
        """The session that an act of axi belongs to: named, or this connection's.

        Raises SessionRequired, StoppedByUser.
        """
        client, require = self.client.id, self.sessions.require
        if not self.esc_stops:
            return require(client, session_id)
        listener, tell = self.platform.listener, self.turn.report
        return self.stop_key.joining(listener, client, lambda: require(client, session_id), tell)

    def _taken(self, take: Take) -> Holder | None:
        return self.stop_key.taking(self.platform.listener, self.client.id, take, self.turn.report)

    def _who_has_the_seat(self) -> str:
        """The first characters of the session that has it, or of the ticket of who gets it next."""
        view = self.sessions.view()
        whose = [view.holder.session_id] if view.holder else [one.ticket for one in view.queue]
        return (whose or ["unknown"])[0][:8]

    def client_gone(self) -> None:
        """This client has gone: its session, its handles and its watches go too."""
        self.observers.leave(self.client.mailbox)
        self.sessions.leave(self.client.id)
        self.stop_key.start_again(self.client.id)
        self.clients.remove(self.client)


def open_desk(
    session: Session,
    *,
    tool_count: int,
    policy: Policy | None = None,
    clicks_per_second: int = DEFAULT_CLICKS_PER_SECOND,
    seat_idle: float = DEFAULT_IDLE,
    framing: Framing | None = None,
    given: Given = EVERYTHING,
    esc_stops: bool = False,
) -> Desk:
    """Put a desk together, for its first client. Nothing is connected to before it is needed.

    Without a policy, the user's own holds; `given` is what each client may use without asking, `esc_stops` whether Esc
    stops axi's acts too. Raises BadPolicy where the policy, or the lists of tiers, cannot be used.
    """
    generation = Generation()
    rules = load_policy() if policy is None else policy
    platforms = Platforms(session, rules, Pace(clicks_per_second))
    tiers = Tiers(()) if given.everything else load_tiers()
    clients = Clients(generation, framing or Framing(), lambda: Access(given, tiers))
    hand, mouth = Hand(platforms.let_go), Mouth()
    recordings = Recordings(platforms.here, platforms.forget, recordings_directory)

    def session_ended(holder: Holder) -> None:
        stop_key.disarm(holder.session_id)
        hand.session_ended(holder.session_id)
        recordings.session_ended(holder.session_id)
        mouth.session_ended(holder.session_id)
        clients.forget_handles(holder.client)

    place = runtime_directory(), lambda: seat_of(session)
    sessions = Sessions(*place, session_ended, hand.last_used)
    stop_key = StopKey(sessions, hand)
    return Desk(
        platforms=platforms,
        sessions=sessions,
        generation=generation,
        policy=rules,
        audit=Audit(state_directory),
        hotkeys=HotkeyIndex(state_directory),
        observers=Observers(session.connect),
        clients=clients,
        hand=hand,
        stop_key=stop_key,
        questions=Questions(*place),
        recordings=recordings,
        mouth=mouth,
        client=clients.add(),
        tool_count=tool_count,
        seat_idle=seat_idle,
        esc_stops=esc_stops,
    )


def seat_of(session: Session) -> str:
    """What all processes call the seat of a session's display."""
    display = session.environment.get("DISPLAY", "")
    host, _, number = display.rpartition(":")
    return f"x11-{host}-{number.partition('.')[0]}"
