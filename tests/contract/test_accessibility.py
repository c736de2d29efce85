"""What every toolkit's tree must get right: its rows, where they are, how one is found, read and acted on."""

from collections.abc import Iterator

import pytest

from deskhand.desktop import pointer
from deskhand.desktop.elements import looking
from deskhand.desktop.elements.shown import Shown
from deskhand.model.element import Budget, Element, NodeRef, Query, State
from deskhand.model.errors import ElementGone
from deskhand.model.geometry import Rect
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support import toolkits
from tests.support.applications import Application, Applications, eventually
from tests.support.moving import move
from tests.support.toolkits import Toolkit

_BOXES = {"generic", "group", "section", "window", "document", "form"}


@pytest.fixture(scope="module", params=toolkits.ALL, ids=str)
def toolkit(request: pytest.FixtureRequest) -> Toolkit:
    toolkit: Toolkit = request.param
    return toolkit


@pytest.fixture(scope="module")
def app(
    toolkit: Toolkit, desktop: EmbeddedSession, platform: Platform, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Application]:
    """An application of the toolkit, for all tests of this file, with every row that is known of it."""
    with Applications(desktop, platform) as started:
        application = started.start(*toolkit.command(tmp_path_factory.mktemp(toolkit.name)), seconds=90)
        eventually(lambda: not _missing(application, toolkit), seconds=60, what=f"all rows of {toolkit}")
        yield application


@pytest.fixture(autouse=True)
def in_front(app: Application) -> None:
    app.activate()


def _rows(app: Application) -> list[Shown]:
    return list(looking.look(app.platform, app.running, full=False).shown)


def _missing(app: Application, toolkit: Toolkit) -> set[toolkits.Row]:
    return set(toolkit.rows) - {(row.element.role, row.title, row.element.value) for row in _rows(app)}


def _quiet(app: Application) -> list[Element]:
    """Every visible element, once two readings say the same."""
    readings: list[list[Element]] = [[]]

    def at_rest() -> bool:
        accessible = app.running.accessible
        assert accessible is not None
        readings.append(list(app.platform.accessibility.tree(accessible, Budget()).elements))
        return readings[-1] == readings[-2]

    eventually(at_rest, what="a tree at rest")
    return readings[-1]


# ---------------------------------------------------------------- looking


def test_the_tree_has_the_rows_that_people_see(app: Application, toolkit: Toolkit) -> None:
    assert not _missing(app, toolkit)


def test_a_look_is_short_enough_to_read(app: Application, toolkit: Toolkit) -> None:
    rows = _rows(app)
    assert len(rows) <= toolkit.most_rows, [(row.element.role, row.title) for row in rows]
    view = looking.look(app.platform, app.running, full=False)
    assert view.total == len(rows)
    assert not view.truncated
    assert not view.warnings


def test_nothing_is_shown_twice(app: Application) -> None:
    rows = [(row.element.role, row.title, row.element.bounds) for row in _rows(app) if row.title]
    assert len(rows) == len(set(rows))


def test_every_row_has_a_place_inside_of_a_window_of_its_application(app: Application, platform: Platform) -> None:
    windows = [window.frame for window in app.running.windows]
    for row in _rows(app):
        bounds = row.element.bounds
        assert bounds is not None, (row.element.role, row.title)
        assert any(bounds.intersection(window) == bounds for window in windows), (row.element.role, row.title, bounds)


def test_an_element_read_alone_is_what_it_is_in_the_tree(app: Application, platform: Platform) -> None:
    for element in _quiet(app):
        if element.role in ("progressbar", "paragraph"):
            continue  # that moves; a paragraph of Firefox read alone lacks the words of its links
        alone = platform.accessibility.element(element.node)
        assert (alone.role, alone.title, alone.value, alone.bounds, alone.states) == (
            element.role,
            element.title,
            element.value,
            element.bounds,
            element.states,
        )


def test_full_detail_has_every_element_with_all_about_it(app: Application) -> None:
    compact, full = _rows(app), looking.look(app.platform, app.running, full=True, limit=2000)
    assert {row.element.node for row in compact} <= {row.element.node for row in full.shown}
    assert all(row.element.native_role and row.element.children is not None for row in full.shown)


def test_depth_can_be_limited(app: Application) -> None:
    shallow = looking.look(app.platform, app.running, full=False, depth=1)
    assert {row.depth for row in shallow.shown} == {0, 1}
    assert not shallow.truncated


def test_rows_can_be_limited_and_all_are_counted(app: Application) -> None:
    every = len(_rows(app))
    view = looking.look(app.platform, app.running, full=False, limit=3)
    assert (len(view.shown), view.total, view.truncated) == (3, every, True)


def test_a_tree_can_be_cut_at_a_number_of_elements(app: Application, platform: Platform) -> None:
    accessible = app.running.accessible
    assert accessible is not None
    tree = platform.accessibility.tree(accessible, Budget(nodes=5))
    assert len(tree.elements) == 5
    assert tree.truncated
    assert tree.total > 5


def test_disabled_elements_say_so(app: Application, toolkit: Toolkit) -> None:
    disabled = {
        "gtk3": "Disabled", "gtk4": None, "qt": "Undo", "chromium": "Disabled", "firefox": "Disabled", "writer": "Redo",
    }[toolkit.name]  # fmt: skip
    if disabled is None:
        pytest.skip("nothing is disabled in the calculator")
    assert not app.find("button", disabled).enabled
    assert app.find("button", {"qt": "Open", "writer": "Save"}.get(toolkit.name, "Press me")).enabled


# ---------------------------------------------------------------- finding


def test_an_element_is_found_by_role_and_title_in_any_of_their_words(app: Application, toolkit: Toolkit) -> None:
    role, title, _ = next(row for row in toolkit.rows if row[0] == "button")
    node = app.find(role, title).node
    assert app.find("AXButton", title.upper()).node == node
    assert app.find(None, title[: len(title) // 2 + 1]) is not None
    view = looking.find(app.platform, app.running, Query("button", title, exact=True), limit=10)
    assert [row.title for row in view.shown] == [title] * len(view.shown)
    assert view.shown


def test_what_is_not_there_is_not_found(app: Application) -> None:
    for query in (Query("button", "no such thing"), Query("no such role"), Query("slider", "Press me")):
        view = looking.find(app.platform, app.running, query, limit=10)
        assert (view.shown, view.total) == ((), 0)


# ---------------------------------------------------------------- gone


def test_an_element_that_was_never_there_is_gone(app: Application, platform: Platform) -> None:
    accessible = app.running.accessible
    assert accessible is not None
    nowhere = NodeRef(accessible.id, "/org/a11y/atspi/accessible/2147480000")
    with pytest.raises(ElementGone):
        platform.accessibility.element(nowhere)
    with pytest.raises(ElementGone):
        platform.accessibility.offers(nowhere)
    with pytest.raises(ElementGone):
        platform.accessibility.perform(nowhere, 0)
    with pytest.raises(ElementGone):
        platform.accessibility.set_text(nowhere, "text")
    with pytest.raises(ElementGone):
        platform.accessibility.set_number(nowhere, 1)
    assert platform.accessibility.text(nowhere) is None
    assert platform.accessibility.choices(nowhere) == ()


def test_an_application_that_was_never_there_is_gone(app: Application, platform: Platform) -> None:
    with pytest.raises(ElementGone):
        platform.accessibility.element(NodeRef(":1.99999", "/org/a11y/atspi/accessible/1"))


def test_a_thing_that_cannot_do_something_says_so_and_is_not_gone(app: Application, platform: Platform) -> None:
    window = next(row.element for row in _rows(app) if row.element.role == "window")
    assert not platform.accessibility.set_text(window.node, "text")
    assert not platform.accessibility.set_number(window.node, 1)
    assert not platform.accessibility.perform(window.node, 57)
    assert platform.accessibility.element(window.node).role == "window"


# ---------------------------------------------------------------- places


_TARGETS = {
    "gtk3": ("checkbox", "Agree"),
    "gtk4": ("button", "7"),
    "qt": ("checkbox", "Match Case (F5)"),
    "chromium": ("checkbox", "Gift wrap"),
    "firefox": ("checkbox", "Gift wrap"),
    "writer": ("button", "Bold"),
}


def _sign(app: Application, toolkit: Toolkit) -> str | None:
    """What a click on the target changes, in the application's own words."""
    if toolkit.name == "gtk4":
        return app.text()
    if toolkit.name in ("chromium", "firefox"):
        return app.running.windows[0].title
    return app.find(*_TARGETS[toolkit.name]).value


def _click(app: Application, element: Element) -> None:
    pointer.click(app.platform, pointer.place_of(app.platform, element, app.running))


def _edges(bounds: Rect) -> list[tuple[int, int]]:
    return [(bounds.x + 2, bounds.y + 2), (bounds.right - 3, bounds.bottom - 3)]


def test_a_click_in_the_middle_of_a_control_reaches_it(app: Application, toolkit: Toolkit) -> None:
    for _ in range(2):
        before = _sign(app, toolkit)
        _click(app, app.find(*_TARGETS[toolkit.name]))
        eventually(lambda before=before: _sign(app, toolkit) != before, what="a click")  # type: ignore[misc]


def test_places_are_right_again_after_the_window_has_moved(
    app: Application, toolkit: Toolkit, desktop: EmbeddedSession
) -> None:
    if toolkit.name == "writer":
        pytest.skip("Writer's window is maximised")
    old = app.find(*_TARGETS[toolkit.name]).bounds
    contents = move(desktop, app, 311, 157)
    eventually(lambda: app.find(*_TARGETS[toolkit.name]).bounds != old, what="another place")
    _quiet(app)
    bounds = app.find(*_TARGETS[toolkit.name]).bounds
    assert bounds is not None
    assert bounds.intersection(contents) == bounds
    before = _sign(app, toolkit)
    _click(app, app.find(*_TARGETS[toolkit.name]))
    eventually(lambda: _sign(app, toolkit) != before, what="a click")


# ---------------------------------------------------------------- the keyboard


def test_the_element_with_the_keyboard_is_told(app: Application, toolkit: Toolkit, platform: Platform) -> None:
    field = {"chromium": "Notes", "firefox": "Notes", "gtk3": "Name"}.get(toolkit.name)
    role = "paragraph" if toolkit.name == "writer" else "textbox"
    element = app.find(role, field)
    _click(app, element)
    accessible = app.running.accessible
    assert accessible is not None
    eventually(
        lambda: (found := platform.accessibility.focused(accessible)) is not None and found.node == element.node,
        what=f"the keyboard in {element}",
    )
    focused = platform.accessibility.focused(accessible)
    assert focused is not None
    assert focused.states & State.FOCUSED
    assert focused.bounds == app.find(role, field).bounds


def test_an_element_says_what_it_can_do(app: Application, toolkit: Toolkit, platform: Platform) -> None:
    offers = platform.accessibility.offers(app.find(*_TARGETS[toolkit.name]).node)
    assert "Accessible" in offers.interfaces
    assert offers.actions or toolkit.name == "gtk4"


def test_an_element_is_told_with_all_that_it_is_in(app: Application, toolkit: Toolkit) -> None:
    accessible = app.running.accessible
    assert accessible is not None
    tree = app.platform.accessibility.tree(accessible, Budget())
    deepest = max(tree.elements, key=lambda element: element.depth)
    line = app.platform.accessibility.lineage(deepest.node)
    assert line[0].node == deepest.node
    assert (line[0].role, line[0].title) == (deepest.role, deepest.title)
    depth, above = deepest.depth, []
    for element in reversed(tree.elements[: tree.elements.index(deepest)]):
        if element.depth < depth:
            depth = element.depth
            above.append(element.node)
    nodes = [element.node for element in line]
    assert len(set(nodes)) == len(nodes)
    if toolkit is not toolkits.WRITER:  # LibreOffice has several objects for one panel, and sometimes for one window
        assert nodes[-1] == above[-1]
        # A tree leaves out what cannot be seen; the line does not.
        assert [node for node in nodes if node in above] == above
