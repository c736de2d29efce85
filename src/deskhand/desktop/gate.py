"""What is about to be done, held against the policy: whose window it is, and which element."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from deskhand.desktop import apps
from deskhand.desktop.elements import shown
from deskhand.desktop.subjects import Subject, Subjects
from deskhand.guard.policy import LEAVE_IT, Deed, ElementRule, Policy
from deskhand.model.app import InstalledApp
from deskhand.model.element import Budget, Element, NodeRef, Tree
from deskhand.model.errors import Denied, DeskError, ElementGone
from deskhand.model.geometry import Point
from deskhand.platforms.base import AccessibleApp, Platform

_WHOLE: Final = Budget(nodes=20_000)


class Gate:
    """Raises Denied where the policy forbids what comes next. Asks no more than its rules need."""

    def __init__(self, platform: Platform, policy: Policy) -> None:
        self._platform = platform
        self._policy = policy
        self._subjects = Subjects(platform)

    # ------------------------------------------------------------ pointer and keyboard

    def before_pointer(self, deed: Deed) -> None:
        """A press of the pointer, or a turn of its wheel, where it is now."""
        if not self._policy.concerns_windows:
            return
        front, under = self._platform.windows.before_a_press()
        if front is not None and front != under:
            self._check_app(self._subjects.of(front), deed, LEAVE_IT)
        if under is None:
            return
        subject = self._subjects.of(under)
        self._check_app(subject, deed)
        self._check_elements(subject, deed, lambda one, rules: self._under_pointer(one, rules))

    def before_keys(self, deed: Deed) -> None:
        """Keys for whatever has the keyboard."""
        subject = self._check_front(deed)
        if subject is not None:
            self._check_elements(subject, deed, self._focused)

    def during_keys(self) -> None:
        """More keys of the same text: a prompt may have come to the front meanwhile."""
        self._check_front(Deed.TYPE)

    def _check_front(self, deed: Deed) -> Subject | None:
        front = self._platform.windows.in_front() if self._policy.concerns_windows else None
        if front is None:
            return None
        subject = self._subjects.of(front)
        self._check_app(subject, deed, LEAVE_IT)
        return subject

    # ------------------------------------------------------------ elements, windows, applications

    def before_act(self, node: NodeRef) -> None:
        """An act on an element through the accessibility tree."""
        if not self._policy.concerns_windows:
            return
        subject = self._subjects.with_element(node.app)
        if subject is None:
            return  # it has ended: the act itself says so
        self._check_app(subject, Deed.ELEMENT)
        self._check_elements(subject, Deed.ELEMENT, lambda one, rules: self._lineage_of(one, node, rules))

    def before_activation(self, window: int) -> None:
        """A window is to get the keyboard."""
        owner = self._platform.windows.owner(window) if self._policy.concerns_windows else None
        if owner is not None:
            self._check_app(self._subjects.of(owner), Deed.ACTIVATE)

    def before_launch(self, app: InstalledApp) -> None:
        """An application is to be started."""
        self._policy.check_app(apps.names_of_installed(app), app.name, Deed.LAUNCH)

    def _check_app(self, subject: Subject, deed: Deed, recovery: str | None = None) -> None:
        self._policy.check_app(subject.identity.names, subject.identity.name, deed, recovery)

    # ------------------------------------------------------------ which element

    def _check_elements(
        self,
        subject: Subject,
        deed: Deed,
        meant: Callable[[AccessibleApp, Sequence[ElementRule]], Iterator[tuple[Element, str]]],
    ) -> None:
        """Hold the elements that are meant, and all they are in, against the rules for their application."""
        rules = self._policy.rules_for(subject.identity.names)
        if not rules or subject.accessible is None:
            return
        try:
            for element, title in meant(subject.accessible, rules):
                for rule in rules:
                    if rule.fits(element, (title,)):
                        rule.refuse(deed, subject.identity.name)
        except Denied:
            raise
        except DeskError as error:
            if deed is Deed.ELEMENT and isinstance(error, ElementGone):
                raise  # there is nothing left to act on, and that is what is to be said
            raise Denied(
                f"policy denied {deed} {subject.identity.name}: which element it is cannot be told ({error})",
                recovery="wait until the app answers, then try again",
            ) from None

    def _under_pointer(self, app: AccessibleApp, rules: Sequence[ElementRule]) -> Iterator[tuple[Element, str]]:
        at = self._platform.pointer.position()
        tree, titles = self._tree(app, rules)
        for index, element in enumerate(tree.elements):
            if element.bounds is not None and element.bounds.contains(Point(at.x, at.y)):
                yield from _with_what_it_is_in(tree, index, titles)

    def _focused(self, app: AccessibleApp, rules: Sequence[ElementRule]) -> Iterator[tuple[Element, str]]:
        element = self._platform.accessibility.focused(app)
        if element is not None:
            yield from self._lineage_of(app, element.node, rules)

    def _lineage_of(
        self, app: AccessibleApp, node: NodeRef, rules: Sequence[ElementRule]
    ) -> Iterator[tuple[Element, str]]:
        """An element and what it is in, under the titles they are shown with."""
        tree, titles = self._tree(app, rules)
        index = next((at for at, one in enumerate(tree.elements) if one.node == node), None)
        if index is not None:
            yield from _with_what_it_is_in(tree, index, titles)
            return
        # What cannot be seen, as an item of a closed menu, can be acted on all the same.
        for element in self._platform.accessibility.lineage(node):
            yield element, titles.get(element.node, "")

    def _tree(self, app: AccessibleApp, rules: Sequence[ElementRule]) -> tuple[Tree, dict[NodeRef, str]]:
        """What can be seen of an application, and the titles that are made of the words in elements.

        Raises Denied where that cannot be read whole: nobody could say what is there.
        """
        tree = self._platform.accessibility.tree(app, _WHOLE, full=any(rule.needs_details for rule in rules))
        if tree.truncated:
            raise Denied(
                f"policy denied acting in {app.name}: its elements cannot all be read",
                recovery="wait until the app answers, then try again",
            )
        return tree, {row.element.node: row.title for row in shown.compact(tree.elements)}


def _with_what_it_is_in(tree: Tree, index: int, titles: dict[NodeRef, str]) -> Iterator[tuple[Element, str]]:
    depth: int | None = None
    for element in reversed(tree.elements[: index + 1]):
        if depth is None or element.depth < depth:
            depth = element.depth
            yield element, titles.get(element.node, "")
