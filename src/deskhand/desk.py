"""The wiring: one Desk holds every room a tool may use, for one client and one call."""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from uuid import uuid4

from deskhand.desktop.elements.refs import Generation, Refs
from deskhand.desktop.guarded import guarded
from deskhand.desktop.hotkeys.index import HotkeyIndex
from deskhand.desktop.observers.mailbox import Mailbox
from deskhand.desktop.observers.observers import Observers
from deskhand.desktop.screen.frames import Frames
from deskhand.desktop.screen.recording.recordings import Recordings
from deskhand.desktop.speech import Mouth
from deskhand.guard.audit import Audit
from deskhand.guard.pace import DEFAULT_CLICKS_PER_SECOND, Pace
from deskhand.guard.places import recordings_directory, runtime_directory, state_directory
from deskhand.guard.policy import Policy
from deskhand.guard.policy_file import load_policy
from deskhand.guard.seat_file import Holder
from deskhand.guard.sessions import Sessions
from deskhand.model.errors import DesktopLost, PermissionMissing, SessionRequired
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
        return platform

    def holds_a_button(self) -> bool:
        """Whether this thread holds a button of the pointer for a later call."""
        platform: Platform | None = getattr(self._own, "platform", None)
        return platform is not None and bool(platform.pointer.held())

    def forget(self) -> None:
        """Let go of what this thread's platform holds, and close it: its next call connects anew."""
        platform: Platform | None = getattr(self._own, "platform", None)
        if platform is None:
            return
        self._own.platform = None
        try:
            # Where the desktop has gone, what was pressed has gone with it.
            with contextlib.suppress(DesktopLost, PermissionMissing):
                _let_go(platform)
        finally:
            platform.close()


def _let_go(platform: Platform) -> None:
    """Release what a platform holds pressed, and take back what typing has changed of the layout."""
    platform.pointer.release_all()
    platform.keyboard.release_all()
    platform.keyboard.restore()


@dataclass(frozen=True, slots=True)
class Client:
    """Who is at the other end of a connection."""

    id: str
    refs: Refs
    mailbox: Mailbox
    """What has happened in the applications that it watches."""
    frames: Frames
    """What it has seen of the screen."""


class Clients:
    """Everybody connected now."""

    def __init__(self, generation: Generation, framing: Framing) -> None:
        self._generation = generation
        self._framing = framing
        self._known: dict[str, Client] = {}

    def add(self) -> Client:
        """A new client, with handles of its own."""
        client = Client(uuid4().hex, Refs(self._generation), Mailbox(), Frames(self._framing))
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


class Hand:
    """The one act that runs now, and the session it belongs to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: tuple[str, Turn] | None = None
        self._ended = ""

    @contextlib.contextmanager
    def acting(self, session_id: str, turn: Turn) -> Iterator[None]:
        """An act runs while the block does."""
        with self._lock:
            self._running = (session_id, turn)
            if session_id == self._ended:  # between its admission and now
                turn.cancel(_session_over())
        try:
            yield
        finally:
            with self._lock:
                self._running = None

    def session_ended(self, session_id: str) -> None:
        """Stop the act that runs for a session: it may not go on without the seat."""
        with self._lock:
            self._ended = session_id
            if self._running is not None and self._running[0] == session_id:
                self._running[1].cancel(_session_over())


def _session_over() -> SessionRequired:
    return SessionRequired("the session ended while this act was going on; it was stopped")


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
    recordings: Recordings
    mouth: Mouth
    client: Client
    tool_count: int
    """How many tools are served."""
    turn: Turn = field(default_factory=Turn)
    holder: Holder | None = None
    """The session that this call belongs to, where it needs one."""

    @property
    def platform(self) -> Platform:
        """The desktop, as this thread reaches it."""
        return self.platforms.here()

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

    def client_gone(self) -> None:
        """This client has gone: its session, its handles and its watches go too."""
        self.observers.leave(self.client.mailbox)
        self.sessions.leave(self.client.id)
        self.clients.remove(self.client)


def open_desk(
    session: Session,
    *,
    tool_count: int,
    policy: Policy | None = None,
    clicks_per_second: int = DEFAULT_CLICKS_PER_SECOND,
    framing: Framing | None = None,
) -> Desk:
    """Put a desk together, for its first client. Nothing is connected to before it is needed.

    Without a policy, the user's own is in force. Raises BadPolicy where that cannot be used.
    """
    generation = Generation()
    rules = load_policy() if policy is None else policy
    platforms = Platforms(session, rules, Pace(clicks_per_second))
    clients, hand, mouth = Clients(generation, framing or Framing()), Hand(), Mouth()
    recordings = Recordings(platforms.here, platforms.forget, recordings_directory)

    def session_ended(holder: Holder) -> None:
        hand.session_ended(holder.session_id)
        recordings.session_ended(holder.session_id)
        mouth.session_ended(holder.session_id)
        clients.forget_handles(holder.client)

    return Desk(
        platforms=platforms,
        sessions=Sessions(runtime_directory(), lambda: seat_of(session), session_ended),
        generation=generation,
        policy=rules,
        audit=Audit(state_directory),
        hotkeys=HotkeyIndex(state_directory),
        observers=Observers(session.connect),
        clients=clients,
        hand=hand,
        recordings=recordings,
        mouth=mouth,
        client=clients.add(),
        tool_count=tool_count,
    )


def seat_of(session: Session) -> str:
    """What all processes call the seat of a session's display."""
    display = session.environment.get("DISPLAY", "")
    host, _, number = display.rpartition(":")
    return f"x11-{host}-{number.partition('.')[0]}"
