"""A running or installed application, and the names that many go by."""

import re
from dataclasses import dataclass
from typing import Final

_SHARED: Final = re.compile(
    # what runs programs of other names, and what windows are called where their program does not say
    r"(i?python|pypy|perl|ruby|lua|luajit|php|tclsh|wish|guile|node|electron|java)[0-9.]*"
    r"|(ba|da|z|k|fi|c|tc)?sh|nodejs|javaw|bun|deno|mono|dotnet|gjs(-console)?|wine(64)?-preloader|env|sudo|busybox"
    r"|flatpak|bwrap|snap|apprun|tk|toplevel|sun-awt-x11-xframepeer|unknown"
)


def is_shared_name(name: str) -> bool:
    """Whether many applications go by this name, so that it tells none of them from the others."""
    return _SHARED.fullmatch(name.strip().casefold().removesuffix(".desktop")) is not None


@dataclass(frozen=True, slots=True)
class App:
    """One running application: one process with windows.

    `bundle_id` is the id of its desktop file (`org.xfce.mousepad`), "" where none belongs to it. `hidden` says that
    all its windows are minimized.
    """

    name: str
    bundle_id: str
    pid: int
    active: bool
    hidden: bool


@dataclass(frozen=True, slots=True)
class InstalledApp:
    """One application that can be started: what its desktop file says."""

    bundle_id: str
    name: str
    command: tuple[str, ...]
    window_class: str
    in_terminal: bool = False
    categories: frozenset[str] = frozenset()
    """What kinds of application it is, as menus sort them (`WebBrowser`)."""
