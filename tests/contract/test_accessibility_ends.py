"""Elements that vanish or become others, applications that end, and trees that change."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable

import pytest

from deskhand.desktop.elements.refs import Generation, Refs
from deskhand.model.element import Budget, NodeRef, Query, State
from deskhand.model.errors import ElementGone, NotAnswering
from deskhand.platforms.base import AccessibleApp, Platform
from tests.support.applications import Application, Applications, eventually
from tests.support.freezing import frozen
from tests.support.looks import inside, key, press, press_without_waiting


def test_an_element_that_becomes_another_is_refused(controls: Application, platform: Platform) -> None:
    refs = Refs(Generation())
    label = controls.find("label", "said:")
    handle = refs.give(label)
    assert handle is not None
    refs.find(handle).check(platform.accessibility.element(label.node))
    assert press(controls, "button", "Press me")
    eventually(lambda: controls.find("label", "said:").title != label.title, what="other words")
    with pytest.raises(ElementGone, match="in its place"):
        refs.find(handle).check(platform.accessibility.element(label.node))


def test_an_element_of_a_closed_dialog_is_gone(applications: Applications, platform: Platform) -> None:
    editor = applications.start("mousepad").activate()
    press_without_waiting(lambda: press(editor, "menuitem", "Preferences..."))
    box = eventually(lambda: editor.find("checkbox", "Show line numbers"), what="the dialog")
    key(platform, "escape")

    def gone() -> bool:
        try:
            return not platform.accessibility.element(box.node).states & State.SHOWING
        except ElementGone:
            return True

    eventually(gone, what="no dialog")


def test_an_application_killed_in_the_middle_of_a_call_is_gone(applications: Applications, platform: Platform) -> None:
    editor = applications.start("mousepad")
    way_in, node = inside(editor), editor.find("textbox").node
    with contextlib.suppress(ProcessLookupError), frozen(editor.pid):
        killer = threading.Timer(0.5, lambda: os.kill(editor.pid, signal.SIGKILL))
        killer.start()
        with pytest.raises((ElementGone, NotAnswering)):
            platform.accessibility.element(node)
        killer.join()
    for ask in _questions(platform, way_in, node):
        eventually(lambda ask=ask: is_gone(ask), what="its end")  # type: ignore[misc]


@pytest.mark.parametrize("command", [("mousepad",), ("featherpad", "--standalone"), ("gtk4-widget-factory",)])
@pytest.mark.parametrize("look", ["tree", "menu_bar", "shortcuts"])
def test_an_application_killed_while_it_is_looked_at_is_not_said_to_be_empty(
    applications: Applications, platform: Platform, command: tuple[str, ...], look: str
) -> None:
    app = applications.start(*command)
    way_in = inside(app)
    with contextlib.suppress(ProcessLookupError), frozen(app.pid):
        killer = threading.Timer(0.3, lambda: os.kill(app.pid, signal.SIGKILL))
        killer.start()
        with pytest.raises(ElementGone):
            getattr(platform.accessibility, look)(way_in, Budget())
        killer.join()


def _questions(platform: Platform, inside: AccessibleApp, node: NodeRef) -> list[Callable[[], object]]:
    accessibility = platform.accessibility
    return [
        lambda: accessibility.element(node),
        lambda: accessibility.tree(inside, Budget()),
        lambda: accessibility.search(inside, Query("button"), Budget()),
        lambda: accessibility.focused(inside),
        lambda: accessibility.menu_bar(inside, Budget()),
        lambda: accessibility.offers(node),
        lambda: accessibility.perform(node, 0),
        lambda: accessibility.set_text(node, "text"),
        lambda: accessibility.insert_text(node, "text"),
        lambda: accessibility.focus(node),
        lambda: accessibility.choices(node),
        lambda: accessibility.text(node),
    ]


def is_gone(ask: Callable[[], object]) -> bool:
    try:
        ask()
    except ElementGone:
        return True
    return False


def test_the_list_of_applications_follows_those_that_run(applications: Applications, platform: Platform) -> None:
    editor = applications.start("mousepad")
    found = next(app for app in platform.accessibility.apps() if app.pid == editor.pid)
    assert found.name == "mousepad"
    assert found.toolkit.startswith("gtk 3")
    applications.end()
    eventually(lambda: editor.pid not in [app.pid for app in platform.accessibility.apps()], what="its end")


def test_changes_of_a_tree_are_heard_and_those_of_others_are_not(
    controls: Application, factory: Application, platform: Platform
) -> None:
    with platform.accessibility.events(inside(controls)) as events:
        events.take()
        assert platform.accessibility.set_text(controls.find("textbox", "Note").node, "heard")
        eventually(lambda: events.take() > 0, what="a change")
    with platform.accessibility.events(inside(controls)) as events:
        assert platform.accessibility.set_text(factory.find("textbox").node, "not heard")
        eventually(lambda: factory.find("textbox").value == "not heard", what="the text")
        assert events.take() == 0
