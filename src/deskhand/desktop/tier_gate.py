"""What is about to be done, held against what has been granted: whose window gets it, and how far that may be used."""

from deskhand.desktop import apps, windows
from deskhand.desktop.apps import Identity
from deskhand.desktop.subjects import Subjects
from deskhand.guard.access import Access
from deskhand.guard.policy import Deed
from deskhand.guard.tiers import Tier
from deskhand.model.app import InstalledApp
from deskhand.model.element import NodeRef
from deskhand.model.geometry import Point
from deskhand.model.window import Owner, Window
from deskhand.platforms.base import Platform


class TierGate:
    """Raises NotGranted where what comes next has not been granted.

    The desktop itself, its docks and panels are no applications here: nobody can grant them, and what is clicked there
    (an icon, a window's button) is what brings another application to the front. That one is asked about next.
    """

    def __init__(self, platform: Platform, access: Access) -> None:
        self._platform = platform
        self._access = access
        self._subjects = Subjects(platform)

    # ------------------------------------------------------------ pointer

    def before_pointer(self, deed: Deed, need: Tier) -> None:
        """A press of the pointer, or a turn of its wheel, where it is now.

        What lies under it gets it, so that must be granted so far; the application in front must be granted at all.
        """
        if self._access.given.everything:
            return
        front, under = self._platform.windows.before_a_press()
        if front is not None and front != under:
            self._check(front, deed, Tier.VIEW if under is not None else need, front=True)
        if under is not None:
            self._check(under, deed, need, front=under == front)

    def before_dragging_to(self, to: Point) -> None:
        """The pointer is to move while one of its buttons is held: what is let go there is dropped there."""
        if self._access.given.everything:
            return
        window = windows.topmost(self._platform, to)
        if window is not None and window.kind.belongs_to_an_app:
            self._check(self._owner(window.id, window.pid, window.app), Deed.DRAG, Tier.FULL, front=False)

    # ------------------------------------------------------------ keyboard

    def before_keys(self, deed: Deed) -> None:
        """Keys for whatever has the keyboard."""
        front = None if self._access.given.everything else self._platform.windows.in_front()
        if front is not None:
            self._check(front, deed, Tier.FULL, front=True)

    # ------------------------------------------------------------ elements, windows, applications

    def before_act(self, node: NodeRef) -> None:
        """An act on an element through the accessibility tree."""
        subject = None if self._access.given.everything else self._subjects.with_element(node.app)
        if subject is not None:  # where it has ended, the act itself says so
            self._check_app(subject.identity, Deed.ELEMENT, Tier.FULL)

    def before_window(self, window: int, deed: Deed, need: Tier) -> None:
        """A window is to get the keyboard, or to close."""
        owner = None if self._access.given.everything else self._platform.windows.owner(window)
        if owner is not None:
            self._check(owner, deed, need, front=False)

    def before_launch(self, app: InstalledApp) -> None:
        """An application is to be started."""
        self._check_app(apps.identity_of_installed(app), Deed.LAUNCH, Tier.VIEW)

    # ------------------------------------------------------------ inside

    def _owner(self, window: int, pid: int | None, app: str) -> Owner:
        return self._platform.windows.owner(window) or Owner(pid, (app,) if app else ())

    def _check(self, owner: Owner, deed: Deed, need: Tier, *, front: bool) -> None:
        identity = self._subjects.of(owner).identity
        tier = self._access.tier_of(identity.names, identity.categories)
        # Only what would be refused is asked about further: that takes a look at all windows.
        if (tier is None or not tier.allows(need)) and not self._is_desktop(owner):
            self._check_app(identity, deed, need, front=front)

    def _is_desktop(self, owner: Owner) -> bool:
        """Whether this is a piece of the desktop: a process that has a desktop or a dock, and no other window.

        A file manager that also draws the desktop is an application while it has a window of its own.
        """
        own = [window for window in self._platform.windows.all() if _is_of(window, owner)]
        return bool(own) and not any(window.kind.belongs_to_an_app for window in own)

    def _check_app(self, identity: Identity, deed: Deed, need: Tier, *, front: bool = False) -> None:
        self._access.check_app(identity.names, identity.categories, identity.shown, deed, need, front=front)


def _is_of(window: Window, owner: Owner) -> bool:
    """Whether a window belongs to this process; one that does not tell, to windows of the same class."""
    return window.app in owner.classes if window.pid is None else window.pid == owner.pid
