"""A running or installed application."""

from dataclasses import dataclass


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
