"""Which application something is done to: whose window it is, or whose element."""

import time
from dataclasses import dataclass
from typing import Final

from deskhand.desktop import apps
from deskhand.desktop.apps import Identity
from deskhand.model.window import Owner
from deskhand.platforms.base import AccessibleApp, Platform

_REMEMBERED_SECONDS: Final = 1.0
"""For how long the names of a process are kept: it may come to the accessibility bus after its window."""
_MOST_REMEMBERED: Final = 100


@dataclass(frozen=True, slots=True)
class Subject:
    """An application that something is done to."""

    identity: Identity
    accessible: AccessibleApp | None


class Subjects:
    """The applications of one desktop, by what is known of them."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._known: dict[Owner, tuple[float, Subject]] = {}
        self._on_bus: dict[str, tuple[float, AccessibleApp]] = {}

    def of(self, owner: Owner) -> Subject:
        """The application that a window belongs to."""
        now = time.monotonic()
        known = self._known.get(owner)
        if known is not None and now - known[0] < _REMEMBERED_SECONDS:
            return known[1]
        platform = self._platform
        accessible = apps.accessible_apps(platform).get(owner.pid) if owner.pid is not None else None
        process = platform.system.process_name(owner.pid) if owner.pid is not None else ""
        called = accessible.name if accessible else ""
        identity = apps.identify(process, owner.pid, owner.classes, called, platform.apps.installed())
        if len(self._known) > _MOST_REMEMBERED:
            self._known.clear()
        self._known[owner] = now, Subject(identity, accessible)
        return self._known[owner][1]

    def with_element(self, app_id: str) -> Subject | None:
        """The application that an element belongs to; None where it has ended."""
        accessible = self._accessible(app_id)
        if accessible is None:
            return None
        # With the classes of its windows: a dialog's is at times its only name.
        classes = [one.app for one in self._platform.windows.all() if one.pid == accessible.pid]
        process = self._platform.system.process_name(accessible.pid)
        installed = self._platform.apps.installed()
        return Subject(apps.identify(process, accessible.pid, classes, accessible.name, installed), accessible)

    def _accessible(self, app_id: str) -> AccessibleApp | None:
        """The application of a name on the bus, None where it has ended."""
        now = time.monotonic()
        known = self._on_bus.get(app_id)
        if known is None or now - known[0] >= _REMEMBERED_SECONDS:
            self._on_bus = {one.id: (now, one) for one in self._platform.accessibility.apps()}
            known = self._on_bus.get(app_id)
        return known[1] if known else None
