"""The ports: what deskhand asks of a desktop.

A platform folder has one file (or folder) per port, named after it. What a platform lacks is filled with
`missing(...)`, which says why at every use. Ports do no locking, no policy and no retries; a port is used by one thread
at a time, and each thread opens its own.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Protocol

from deskhand.model.app import InstalledApp
from deskhand.model.clipboard import Clip, Contents
from deskhand.model.command import Finished
from deskhand.model.display import Display
from deskhand.model.element import Budget, Element, NodeRef, Query, Tree
from deskhand.model.errors import Unsupported
from deskhand.model.event import EventKind
from deskhand.model.geometry import Point, Rect, Size
from deskhand.model.image import Capture
from deskhand.model.keys import Chord, Modifier
from deskhand.model.machine import Machine
from deskhand.model.question import Answer, Question
from deskhand.model.sound import AudioDevices, Track, Voice, Words
from deskhand.model.turn import HasFileno, Turn
from deskhand.model.window import Arrangement, Owner, PopupKind, Window


class Button(StrEnum):
    """A button of the mouse."""

    LEFT = "left"
    RIGHT = "right"
    MIDDLE = "middle"
    BACK = "back"
    FORWARD = "forward"


class Pointer(Protocol):
    """The mouse pointer. Places are screen pixels."""

    def position(self) -> Point: ...

    def move(self, to: Point) -> None: ...

    def press(self, button: Button) -> None: ...

    def release(self, button: Button) -> None: ...

    def click(self, button: Button, times: int = 1) -> None:
        """Press and release a button so many times, as fast as a double click needs."""
        ...

    def scroll(self, dx: int, dy: int) -> None:
        """Turn the wheel by so many notches: right and down are positive."""
        ...

    def release_all(self) -> None:
        """Let go of every button this process holds."""
        ...

    def held(self) -> Collection[Button]:
        """The buttons this process holds."""
        ...

    def changes(self) -> AbstractContextManager["PointerChanges"]:
        """Watch whether it moves or looks different from now on."""
        ...


class PointerChanges(Protocol):
    """Reports of a pointer that moves or looks different."""

    def fileno(self) -> int: ...

    def take(self) -> bool:
        """Whether anything has changed since the last time."""
        ...


class Keyboard(Protocol):
    """The keyboard. Nothing stays pressed after a call, but for `press`."""

    def check(self, text: str) -> None:
        """Raise BadArguments where a text holds what no key writes."""
        ...

    def type(self, text: str, window: int, go_on: Callable[[], None]) -> None:
        """Type a text into the window that has the keyboard; `go_on` is called now and then and may raise to stop."""
        ...

    def press(self, chord: Chord) -> None:
        """Press a chord's keys and keep them down."""
        ...

    def hold(self, modifiers: Sequence[Modifier]) -> None:
        """Press modifiers and keep them down."""
        ...

    def release_all(self) -> None:
        """Let go of every key this process holds."""
        ...

    def held_modifiers(self) -> list[str]:
        """The modifiers that are down now, by anybody, in words."""
        ...

    def locks(self) -> tuple[bool, bool]:
        """Whether Caps Lock and Num Lock are on."""
        ...

    def restore(self) -> None:
        """Take back what typing has changed of the layout."""
        ...


class Listener(Protocol):
    """What a person does at the desktop, told apart from what programs send."""

    def keyboards(self) -> Sequence[str]:
        """What the keyboards are called that a person can press Esc on. Raises Unsupported where that cannot be told."""
        ...

    def escapes(self) -> AbstractContextManager["Escapes"]:
        """Hear from now on when a person presses Esc, whoever has the keyboard. Raises Unsupported.

        On a connection of its own: another thread may go on with it.
        """
        ...


class Escapes(Protocol):
    """Tells that a person has pressed Esc."""

    def fileno(self) -> int: ...

    def take(self) -> bool:
        """Whether somebody has since the last time."""
        ...


class Changes(Protocol):
    """Reports of changed pixels."""

    def fileno(self) -> int: ...

    def take(self) -> Sequence[Rect]:
        """The parts of the screen that have changed since the last time."""
        ...


class Screen(Protocol):
    """Pictures of the screen. Parts are screen pixels."""

    def size(self) -> Size:
        """The size of the whole screen, all displays."""
        ...

    def grab(self, part: Rect, size: Size | None = None, *, pointer: bool = True) -> Capture:
        """A part of the screen, scaled down to `size`."""
        ...

    def grab_window(self, window: int, shrink: Callable[[Size], Size], *, pointer: bool = True) -> Capture:
        """A window with its frame, also where others cover it."""
        ...

    def changes(self) -> AbstractContextManager[Changes]:
        """Watch what changes from now on."""
        ...

    def window_changes(self, window: int) -> AbstractContextManager[Changes]:
        """Watch what changes of a window with its frame, also where others cover it.

        The parts are pixels of the frame; `take` raises NotFound as soon as the window has gone.
        """
        ...


class Displays(Protocol):
    """The displays (monitors)."""

    def all(self) -> Sequence[Display]:
        """Every display, the main one first."""
        ...


class Windows(Protocol):
    """The windows."""

    def all(self) -> Sequence[Window]:
        """Every window the window manager knows, topmost first."""
        ...

    def arrangement(self) -> Arrangement:
        """The same, as they are arranged at one moment."""
        ...

    def active(self) -> Window | None:
        """The window that has the keyboard."""
        ...

    def activate(self, window: int) -> bool:
        """Bring a window to the front and give it the keyboard; whether that has happened."""
        ...

    def in_front(self) -> Owner | None:
        """Who gets the keys that are pressed now."""
        ...

    def before_a_press(self) -> tuple[Owner | None, Owner | None]:
        """Who is in front, and who would get a press of the pointer where it is: menus and frames belong to somebody too."""
        ...

    def owner(self, window: int) -> Owner | None:
        """Who a window belongs to."""
        ...

    def close(self, window: int) -> None:
        """Ask a window to close, as its close button would; it may ask its user something first."""
        ...

    def popups(self, window: int, kinds: Collection[PopupKind] = tuple(PopupKind)) -> Sequence[Rect]:
        """Where the menus and tooltips of the same application are that no window manager manages."""
        ...

    def wait_until_handled(self, window: int, seconds: float, go_on: Callable[[], None] = lambda: None) -> bool:
        """Wait until a window's application has handled all input sent before; False where it did not say so.

        `go_on` is called now and then and may raise to stop.
        """
        ...

    def manager_name(self) -> str | None:
        """The name of the window manager, None where there is none."""
        ...

    def events(self) -> AbstractContextManager["WindowEvents"]:
        """Hear from now on when windows come, go, move, or get the keyboard."""
        ...


class WindowEvents(Protocol):
    """Tells that something has happened to windows; what it was, the windows themselves tell."""

    def fileno(self) -> int: ...

    def take(self) -> bool:
        """Whether anything may have happened since the last time."""
        ...


class Clipboard(Protocol):
    """The clipboard."""

    def read(self) -> Clip: ...

    def contents(self) -> Contents:
        """All forms of what is on the clipboard."""
        ...

    def write(self, contents: Contents) -> None:
        """Put something on the clipboard; it stays there after this process has ended."""
        ...

    def wait_until_pasted(self, window: int, seconds: float) -> bool:
        """Whether the application of this window has fetched what was written last, within so many seconds."""
        ...


@dataclass(frozen=True, slots=True)
class AccessibleApp:
    """An application that can be looked into. `name` is empty where it does not answer."""

    id: str
    pid: int
    name: str
    toolkit: str


@dataclass(frozen=True, slots=True)
class Offers:
    """What an element can do, and what it says of itself."""

    actions: tuple[str, ...]
    attributes: Mapping[str, str]
    interfaces: tuple[str, ...]


class Accessibility(Protocol):
    """The accessibility trees of applications.

    Every method comes back within the seconds of its budget (or 2 s), whatever the application does: with what has
    been read and a warning, or with NotAnswering. ElementGone is raised where an element is not there any more.
    """

    def apps(self) -> Sequence[AccessibleApp]: ...

    def tree(self, app: AccessibleApp, budget: Budget, *, full: bool = False) -> Tree:
        """The visible elements; `full` reads descriptions and identifiers too."""
        ...

    def search(self, app: AccessibleApp, query: Query, budget: Budget) -> Tree:
        """Every element that fits, visible or not. Titles are the application's own."""
        ...

    def focused(self, app: AccessibleApp) -> Element | None: ...

    def menu_bar(self, app: AccessibleApp, budget: Budget) -> Tree:
        """The menu bars with all that is in them, also of closed menus."""
        ...

    def shortcuts(self, app: AccessibleApp, budget: Budget) -> Tree:
        """Every element with a shortcut, visible or not, and the menus it is in; the shortcut is its description."""
        ...

    def element(self, node: NodeRef) -> Element:
        """The element as it is now."""
        ...

    def lineage(self, node: NodeRef) -> Sequence[Element]:
        """The element as it is now, and everything it is in, from the inside out."""
        ...

    def ancestors(self, node: NodeRef) -> Sequence[Element]:
        """What an element is in, as it is now: its window first."""
        ...

    def choices(self, node: NodeRef) -> Sequence[Element]:
        """The entries below a combo box or the like, also while it is closed."""
        ...

    def text(self, node: NodeRef) -> str | None:
        """The whole text of an element, None where it has none."""
        ...

    def offers(self, node: NodeRef) -> Offers: ...

    def perform(self, node: NodeRef, action: int) -> bool:
        """Do an action by its place in `offers`; whether the application says it did."""
        ...

    def set_text(self, node: NodeRef, text: str) -> bool:
        """Replace the text of a field; whether the application says it did."""
        ...

    def insert_text(self, node: NodeRef, text: str) -> bool:
        """Put text where the caret is, in place of what is selected; whether the application says it did."""
        ...

    def set_number(self, node: NodeRef, number: float) -> bool: ...

    def focus(self, node: NodeRef) -> bool: ...

    def glance(self, nodes: Sequence[NodeRef], seconds: float) -> Sequence[Element | None]:
        """Elements of one application as they are now, but for where they are; None for one that has gone.

        All within so many seconds; raises NotAnswering.
        """
        ...

    def windows(self, app: AccessibleApp, seconds: float) -> Sequence[Element]:
        """The application's windows, without their places."""
        ...

    def events(self, app: AccessibleApp) -> AbstractContextManager["TreeEvents"]:
        """Watch what changes in an application's tree from now on."""
        ...

    def listen(self, app: AccessibleApp) -> AbstractContextManager["NodeEvents"]:
        """Hear what happens to each of an application's elements from now on."""
        ...

    def sends(self, app: AccessibleApp) -> Sequence[EventKind]:
        """Which kinds of events an application of this toolkit sends."""
        ...


class TreeEvents(Protocol):
    """Reports of changes of a tree."""

    def fileno(self) -> int: ...

    def take(self) -> int:
        """How many changes there were since the last time."""
        ...


class NodeChange(NamedTuple):
    """Something that has happened to an element; `added` tells whether children came (1) or went (-1)."""

    kind: EventKind
    node: NodeRef
    added: int = 0


class NodeEvents(Protocol):
    """Reports of what happens to an application's elements."""

    ended: bool
    """Whether the application has gone."""

    def fileno(self) -> int: ...

    def take(self) -> Sequence[NodeChange]:
        """What has happened since the last time, in order."""
        ...


class Apps(Protocol):
    """Installed applications."""

    def installed(self) -> Sequence[InstalledApp]: ...

    def launch(self, app: InstalledApp, arguments: Sequence[str] = (), directory: Path | None = None) -> int:
        """Start an application; the number of its process."""
        ...


class Notifications(Protocol):
    """Short messages to whoever sits at the desktop."""

    def show(self, title: str, text: str) -> None:
        """Show one. Raises Unsupported where nothing on the desktop shows them."""
        ...


class Dialogs(Protocol):
    """Questions to whoever sits at the desktop."""

    def ask(self, question: Question, wait: Callable[[Sequence[HasFileno], float], bool], seconds: float) -> Answer:
        """Show a question, and wait so many seconds for a person's answer; ABORT where it is closed, or nobody answers.

        `wait` waits for something to read, for so many seconds at most, and may raise to stop. What programs press
        counts for nothing. Raises Unsupported where that cannot be told.
        """
        ...


class Shell(Protocol):
    """Commands of the shell, with the rights of whoever runs this."""

    def run(self, command: str, turn: Turn, *, seconds: float, most_bytes: int) -> Finished:
        """Run one to its end, its input closed.

        Raises NotPossible for one that takes longer or says more, and as `turn.wait` does; it is ended then, with all
        that it has started.
        """
        ...


class System(Protocol):
    """The machine."""

    def state(self) -> Machine: ...

    def process_name(self, pid: int) -> str:
        """What the program of a process is called, "" where there is none."""
        ...


class Audio(Protocol):
    """Sound going in and out."""

    def devices(self) -> AudioDevices: ...


class Utterance(Protocol):
    """Something that is being said."""

    voice: str
    """What the voice is called."""

    def wait_until_heard(self) -> bool:
        """Wait until it sounds; False where that could not be seen, or it is over already."""
        ...

    def wait(self) -> None:
        """Wait until it is over. Raises Unsupported where it could not be said."""
        ...

    def stop(self) -> None:
        """Fall silent at once; may be called by any thread."""
        ...


class Speech(Protocol):
    """A voice that reads text aloud. Any thread may use it."""

    def voices(self) -> Sequence[Voice]: ...

    def say(self, words: Words) -> Utterance:
        """Begin to say something. It ends, at the latest, when this process does or the calling thread."""
        ...


class Players(Protocol):
    """Media players."""

    def tracks(self) -> Sequence[Track]:
        """What each plays or has paused in: first who plays, then who was started last."""
        ...


@dataclass(frozen=True, slots=True)
class Platform:
    """One desktop, port by port."""

    name: str
    pointer: Pointer
    keyboard: Keyboard
    listener: Listener
    screen: Screen
    displays: Displays
    windows: Windows
    clipboard: Clipboard
    accessibility: Accessibility
    apps: Apps
    system: System
    audio: Audio
    speech: Speech
    players: Players
    notifications: Notifications
    dialogs: Dialogs
    shell: Shell
    close: Callable[[], None]

    def ports(self) -> dict[str, Any]:
        """The ports by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("name", "close")}


class Session(Protocol):
    """A desktop that can be connected to, by each thread for itself."""

    name: str

    @property
    def environment(self) -> Mapping[str, str]:
        """What a program needs to be started on this desktop."""
        ...

    def connect(self) -> Platform:
        """All ports, on connections of their own. Raises PermissionMissing or DesktopLost."""
        ...

    def close(self) -> None:
        """End what belongs to this session alone."""
        ...


class Missing:
    """Stands where a port would be; any use of it says why there is none."""

    def __init__(self, port: str, reason: str, remedy: str) -> None:
        self.reason = reason
        self.remedy = remedy
        self._message = f"{port} is not available: {reason}"

    def __getattr__(self, name: str) -> NoReturn:
        raise Unsupported(self._message, recovery=self.remedy)


def missing(port: str, *, reason: str, remedy: str) -> Any:
    """A stand-in for a port of any type."""
    return Missing(port, reason, remedy)
