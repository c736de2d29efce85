"""One connection to an X server: its root, atoms and properties.

The only file that knows how xcffib is set up; it has no types, so what comes out of it here is given some.
"""

import io
import logging
import select
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import xcffib
import xcffib.composite
import xcffib.damage
import xcffib.randr
import xcffib.render
import xcffib.res
import xcffib.shm
import xcffib.xfixes
import xcffib.xkb
import xcffib.xproto
import xcffib.xtest

from deskhand.model.errors import NotAnswering, PermissionMissing
from deskhand.model.geometry import Size
from deskhand.platforms.x11.authority import connect
from deskhand.platforms.x11.replies import Replies, opened

_ANY_TYPE: Final = 0
_REFUSED: Final = object()
_LONGEST_PROPERTY: Final = 1 << 22  # in 4-byte units
_CHANGE_PROPERTY: Final = 18
_EVENT_HEAD: Final = 32

logger = logging.getLogger(__name__)


class XServer:
    """A connection to an X server. Not for two threads at once.

    Raises PermissionMissing where there is no display to connect to, or it refuses us, NotAnswering (here and wherever
    it is asked) where the server says nothing for 5 s.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.display = environment.get("DISPLAY", "")
        if not self.display:
            raise PermissionMissing(
                "there is no X display: DISPLAY is not set",
                recovery="start deskhand inside a desktop session, or with --embedded",
            )
        try:
            self.connection: Any = opened(lambda: connect(self.display, environment))
        except xcffib.ConnectionException as error:
            raise PermissionMissing(
                f"cannot connect to the X display {self.display}: {error}",
                recovery="check DISPLAY and XAUTHORITY, or run `deskhand doctor`",
            ) from None
        Replies(self.connection)
        self.core: Any = self.connection.core
        setup = self.connection.get_setup()
        screen = setup.roots[self.connection.pref_screen]
        self.root: int = screen.root
        self.root_depth: int = screen.root_depth
        self.root_visual: int = screen.root_visual
        self.keycodes = range(setup.min_keycode, setup.max_keycode + 1)
        self._atoms: dict[str, int] = {}
        self._atom_names: dict[int, str] = {}
        self._extensions: dict[str, Any] = {}

    def another(self) -> "XServer":
        """One more connection to the same server, for events that nobody else is to take."""
        return XServer(self._environment)

    def close(self) -> None:
        self.connection.disconnect()

    def flush(self) -> None:
        self.connection.flush()

    def drain(self) -> bool:
        """Throw away the events that have come; whether there were any.

        Every client is told of each change of the keyboard mapping, asked or not: unread, they pile up.
        """
        any_came = False
        while self._event() is not None:
            any_came = True
        return any_came

    def drop_unread(self) -> bool:
        """Throw away the events that have come without looking into them; whether there were any.

        xcffib 1.13 counts the axes of a raw motion wrongly and reads beyond the end of such an event.
        """
        return sum(1 for _ in self.event_heads()) > 0

    def event_heads(self) -> Iterator[bytes]:
        """The first 32 bytes of each event that has come, as the protocol has them; taken in when asked for."""
        self.connection.invalid()
        while (event := xcffib.lib.xcb_poll_for_event(self.connection._conn)) != xcffib.ffi.NULL:
            head = bytes(xcffib.ffi.buffer(event, _EVENT_HEAD))
            xcffib.ffi.gc(event, xcffib.c_free)
            yield head
        self.connection.invalid()

    def next_event(self, is_wanted: Callable[[Any], bool], deadline: float) -> Any:
        """The next event that is wanted, None where none has come until then (time.monotonic).

        Others are thrown away.
        """
        poll = select.poll()
        poll.register(self.connection.get_file_descriptor(), select.POLLIN)
        while True:
            event = self._event()
            if event is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                poll.poll(left * 1000)
            elif is_wanted(event):
                return event

    def _event(self) -> Any:
        """An event that has come (or _REFUSED, for a request that nobody waited for), None where none has."""
        try:
            return self.connection.poll_for_event()
        except xcffib.Error as error:
            # That a window has gone meanwhile is nothing unusual.
            if not isinstance(error, xcffib.xproto.WindowError | xcffib.xproto.DrawableError):
                logger.warning("the X server refused a request: %s", type(error).__name__)
            return _REFUSED

    def wait_until(self, happened: Callable[[], bool], seconds: float) -> bool:
        """Look again after each event, until it has happened (True) or the time is up.

        For what can be looked up again: the events themselves are thrown away.
        """
        deadline = time.monotonic() + seconds
        poll = select.poll()
        poll.register(self.connection.get_file_descriptor(), select.POLLIN)
        while not happened():
            # Reading the answers above may have read events too; then the socket would never say so.
            if self.drain():
                continue
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            poll.poll(left * 1000)
        return True

    def select_root_events(self, mask: int) -> None:
        """Choose which events of the root window come to this connection; 0 for none."""
        self.core.ChangeWindowAttributes(self.root, xcffib.xproto.CW.EventMask, [mask])

    def sync(self) -> None:
        """Return when the server has done all that was asked of it."""
        self.core.GetInputFocus().reply()

    def is_there(self) -> bool:
        """Whether the server is still there, if only too busy to answer."""
        try:
            self.sync()
        except NotAnswering:
            return True
        except xcffib.ConnectionException:
            return False
        return True

    def extension(self, module: Any) -> Any:
        """The requests of an extension, as `xcffib.xtest` and its like."""
        name = module.key.name
        if name not in self._extensions:
            self._extensions[name] = self.connection(module.key)
        return self._extensions[name]

    def has_extension(self, module: Any) -> bool:
        name = module.key.name.encode()
        return bool(self.core.QueryExtension(len(name), name).reply().present)

    def new_id(self) -> int:
        return int(self.connection.generate_id())

    def screen_size(self) -> Size:
        """The size of the whole X screen now, in pixels."""
        geometry = self.core.GetGeometry(self.root).reply()
        return Size(geometry.width, geometry.height)

    def top_level(self, window: int) -> int:
        """The window that stands for this one on the screen: the frame a window manager put around it, or itself."""
        while True:
            parent = self.core.QueryTree(window).reply().parent
            if parent in (self.root, 0):
                return window
            window = parent

    # ------------------------------------------------------------ atoms

    def atom(self, name: str) -> int:
        if name not in self._atoms:
            self.intern([name])
        return self._atoms[name]

    def intern(self, names: Iterable[str]) -> None:
        """Learn many atoms with one wait."""
        unknown = [name for name in names if name not in self._atoms]
        cookies = [self.core.InternAtom(False, len(name.encode()), name) for name in unknown]
        for name, cookie in zip(unknown, cookies, strict=True):
            self._atoms[name] = cookie.reply().atom

    def atom_name(self, atom: int) -> str:
        if atom not in self._atom_names:
            name = self.core.GetAtomName(atom).reply().name
            self._atom_names[atom] = bytes(name.raw).decode("latin-1")
        return self._atom_names[atom]

    # ------------------------------------------------------------ properties

    def ask_property(self, window: int, name: str, *, delete: bool = False) -> "PropertyCookie":
        """Ask for a property; wait for its value with the cookie's `value`."""
        return PropertyCookie(self.core.GetProperty(delete, window, self.atom(name), _ANY_TYPE, 0, _LONGEST_PROPERTY))

    def numbers(self, window: int, name: str) -> tuple[int, ...]:
        """A property of 32-bit numbers; empty where the window has none."""
        return self.ask_property(window, name).numbers()

    def text(self, window: int, name: str) -> str:
        """A property of text; "" where the window has none."""
        return self.ask_property(window, name).text()

    def set_numbers(self, window: int, name: str, numbers: Sequence[int]) -> None:
        """Set a property of 32-bit numbers; none at all removes it."""
        if not numbers:
            self.core.DeleteProperty(window, self.atom(name))
            return
        self.set_property(
            window, self.atom(name), self.atom("CARDINAL"), 32, struct.pack(f"<{len(numbers)}I", *numbers)
        )

    def set_property(self, window: int, atom: int, kind: int, bits: int, data: bytes) -> None:
        """Set a property to bytes that are packed already.

        Not by xcffib's ChangeProperty, which packs them once more, one by one: 30 ms for 256 KiB.
        """
        head = struct.pack("=xB2xIIIB3xI", 0, window, atom, kind, bits, len(data) // (bits // 8))
        self.core.send_request(_CHANGE_PROPERTY, io.BytesIO(head + data), is_checked=True).check()

    def send_to_root(self, window: int, message: str, data: Sequence[int]) -> None:
        """A client message about a window, to the window manager."""
        event = struct.pack(
            "<BBHII5I",
            33,
            32,
            0,
            window,
            self.atom(message),
            *(number & 0xFFFFFFFF for number in (*data, 0, 0, 0, 0, 0)[:5]),
        )
        mask = xcffib.xproto.EventMask.SubstructureRedirect | xcffib.xproto.EventMask.SubstructureNotify
        self.core.SendEvent(False, self.root, mask, event)
        self.flush()


class PropertyCookie:
    """A property on its way."""

    def __init__(self, cookie: Any) -> None:
        self._cookie = cookie

    def raw(self) -> tuple[int, int, bytes]:
        """(type atom, bits per item, bytes); (0, 0, b"") where there is none, or no window any more."""
        try:
            reply = self._cookie.reply()
        except xcffib.xproto.WindowError:
            return (0, 0, b"")
        return (reply.type, reply.format, bytes(reply.value.raw) if reply.value_len else b"")

    def numbers(self) -> tuple[int, ...]:
        _, bits, data = self.raw()
        return struct.unpack(f"<{len(data) // 4}I", data) if bits == 32 else ()

    def text(self) -> str:
        data = self.raw()[2]
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("latin-1")
