"""Handles of elements: what an agent names an element by, and which generation of the screen it is from."""

import re
import threading
from dataclasses import dataclass, field
from typing import Final

from deskhand.model.element import Element, NodeRef
from deskhand.model.errors import ElementGone, HandleNotFound, StaleRef

_HANDLE: Final = re.compile(r"g([1-9][0-9]{0,11}):([1-9][0-9]{0,11})")


@dataclass(frozen=True, slots=True)
class Ref:
    """What a handle stands for: the element's place, and what it was when the handle was given out."""

    node: NodeRef
    role: str
    title: str
    called: str = field(default="", compare=False)
    """The title it was shown with, which may be made of the words in it."""

    def check(self, element: Element) -> None:
        """Raise ElementGone where another element is in its place now."""
        if (element.native_role, element.title) != (self.role, self.title):
            raise ElementGone(
                f"the element {self.role} {self.title!r} has gone: {element.role} {element.title!r} is in its place"
            )


@dataclass(slots=True)
class Generation:
    """Counts the acts that have changed the screen. Handles from before the last one are stale."""

    current: int = 1
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def advance(self) -> int:
        """Note an act; the new generation."""
        with self._lock:
            self.current += 1
            return self.current


class Refs:
    """The handles given to one client. Only those of the present generation are kept: all others are stale."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._known: dict[str, Ref] = {}
        self._given: dict[Ref, str] = {}
        self._known_generation = 0
        self._counter = 0
        self._lock = threading.Lock()

    def give(self, element: Element, called: str | None = None) -> str | None:
        """A handle for an element that is shown as `called`; None for one that only the window manager knows."""
        if not element.node.path:
            return None
        with self._lock:
            current = self._generation.current
            if current != self._known_generation:
                self._forget()
                self._known_generation = current
            ref = Ref(element.node, element.native_role, element.title, element.title if called is None else called)
            # Who only looks, for hours, is not given more and more handles for the same things.
            handle = self._given.get(ref)
            if handle is None:
                self._counter += 1
                handle = self._given[ref] = f"g{current}:{self._counter}"
            self._known[handle] = ref
            return handle

    def find(self, handle: str) -> Ref:
        """What a handle stands for. Raises StaleRef or HandleNotFound."""
        match = _HANDLE.fullmatch(handle)
        current = self._generation.current
        if match is not None and int(match[1]) < current:
            raise StaleRef(f"STALE_REF: handle {handle} is from a previous generation (current: g{current}).")
        with self._lock:
            ref = self._known.get(handle) if self._known_generation == current else None
        if ref is None:
            raise HandleNotFound(f"Handle not found: {handle}")
        return ref

    def app_of(self, handle: str) -> str:
        """The application of a handle, "" for one that stands for nothing (any more)."""
        with self._lock:
            ref = self._known.get(handle)
        return ref.node.app if ref else ""

    def clear(self) -> None:
        """Forget every handle: a session has ended."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self._known.clear()
        self._given.clear()

    def __len__(self) -> int:
        return len(self._known)
