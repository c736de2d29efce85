"""An application that hangs costs one look a little time, the next less, and all other applications none."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from deskhand.desktop import apps
from deskhand.desktop.elements import acting, looking
from deskhand.desktop.elements.acting import Target
from deskhand.desktop.elements.looking import View
from deskhand.desktop.hotkeys.learning import learned
from deskhand.model.element import Query
from deskhand.model.errors import NotAnswering
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, Applications, eventually
from tests.support.freezing import frozen

_LONGEST = 4.0
"""Seconds that a look at an application that hangs may cost on a machine that is busy with other tests."""


@dataclass(frozen=True)
class Timed:
    """What came of a call, and how long it took."""

    result: View | None
    error: Exception | None
    seconds: float


def _timed(call: Callable[[], View]) -> Timed:
    start = time.monotonic()
    try:
        result, error = call(), None
    except NotAnswering as raised:
        result, error = None, raised
    return Timed(result, error, time.monotonic() - start)


@pytest.fixture
def other(desktop: EmbeddedSession) -> Iterator[Platform]:
    """The ports of another thread."""
    platform = desktop.connect()
    yield platform
    platform.close()


@pytest.fixture(params=[("mousepad",), ("gnome-calculator",), ("featherpad", "--standalone")], ids=lambda it: it[0])
def hanging(request: pytest.FixtureRequest, applications: Applications) -> Application:
    """An application of each kind; the test makes it hang."""
    return applications.start(*request.param)


def test_a_look_at_it_tells_its_windows_and_that_it_hangs_and_the_next_look_costs_less(
    hanging: Application, platform: Platform
) -> None:
    app = hanging.running
    with frozen(hanging.pid):
        first = _timed(lambda: looking.look(platform, app, full=False))
        again = [_timed(lambda: looking.look(platform, app, full=False)) for _ in range(3)]
        assert first.seconds < _LONGEST
        for look in (first, *again):
            assert look.result is not None
            assert [row.element.role for row in look.result.shown] == ["window"]
            assert look.result.shown[0].title == app.windows[0].title
            assert look.result.shown[0].element.bounds == app.windows[0].frame
            assert any("stopped answering" in warning for warning in look.result.warnings)
            assert look.result.truncated
        assert max(look.seconds for look in again) < first.seconds / 2
    eventually(lambda: _is_whole(looking.look(platform, app, full=False)), what="the whole tree again")


def _is_whole(view: View) -> bool:
    return len(view.shown) > 5 and not view.warnings and not view.truncated


def test_one_that_hung_before_anybody_looked_is_met_when_it_goes_on(
    hanging: Application, desktop: EmbeddedSession
) -> None:
    with frozen(hanging.pid):
        platform = desktop.connect()
        start = time.monotonic()
        app = apps.resolve(platform, str(hanging.pid))
        assert time.monotonic() - start < _LONGEST
        look = _timed(lambda: looking.look(platform, app, full=False))
        assert look.seconds < _LONGEST
        assert look.result is not None
        assert look.result.warnings
    eventually(lambda: hanging.running.accessible is not None, what="its tree")
    eventually(
        lambda: _is_whole(looking.look(platform, apps.resolve(platform, str(hanging.pid)), full=False)),
        what="the whole tree",
    )
    platform.close()


def test_every_question_to_it_ends_with_an_error_that_names_it(hanging: Application, platform: Platform) -> None:
    node = hanging.find("textbox").node
    inside = hanging.running.accessible
    assert inside is not None
    accessibility = platform.accessibility
    with frozen(hanging.pid):
        for ask in (
            lambda: accessibility.element(node),
            lambda: accessibility.focused(inside),
            lambda: accessibility.text(node),
            lambda: accessibility.offers(node),
            lambda: accessibility.perform(node, 0),
            lambda: accessibility.set_text(node, "never"),
            lambda: accessibility.focus(node),
        ):
            start = time.monotonic()
            with pytest.raises(NotAnswering, match=rf"pid {hanging.pid}\) does not answer"):
                ask()
            assert time.monotonic() - start < _LONGEST
    eventually(lambda: accessibility.element(node).role == "textbox", what="its answer")
    assert accessibility.text(node) == ""  # nothing of it was done when it went on


def test_finding_and_acting_do_not_wait_for_it(hanging: Application, platform: Platform) -> None:
    app, element = hanging.running, hanging.find("button" if hanging.name != "Mousepad" else "menu")
    with frozen(hanging.pid):
        find = _timed(lambda: looking.find(platform, app, Query("button"), limit=5))
        assert find.seconds < 2 * _LONGEST
        assert find.error is not None or (find.result is not None and find.result.warnings)
        start = time.monotonic()
        with pytest.raises(NotAnswering):
            acting.press(platform, Target(element, app), Turn())
        assert time.monotonic() - start < 2 * _LONGEST


def test_what_is_not_found_in_it_is_not_said_to_be_absent(hanging: Application, platform: Platform) -> None:
    app = hanging.running
    with frozen(hanging.pid):
        with pytest.raises(NotAnswering, match="what is in it cannot be told"):
            looking.find(platform, app, Query("textbox"), limit=1)
        with pytest.raises(NotAnswering, match="what is in it cannot be told"):
            looking.menus(platform, app)


def test_it_is_not_said_to_have_no_shortcuts(hanging: Application, platform: Platform) -> None:
    app = hanging.running
    with frozen(hanging.pid), pytest.raises(NotAnswering, match="its shortcuts cannot be told"):
        learned(platform, app)


def test_looks_at_other_applications_are_not_held_up(
    applications: Applications, platform: Platform, other: Platform
) -> None:
    hanging, fine = applications.start("mousepad"), applications.start("gnome-calculator")
    looking.look(other, apps.resolve(other, str(fine.pid)), full=False)
    slow: list[Timed] = []
    with frozen(hanging.pid):
        app = hanging.running
        thread = threading.Thread(target=lambda: slow.append(_timed(lambda: looking.look(platform, app, full=False))))
        thread.start()
        looks = 0
        while thread.is_alive():
            view = looking.look(other, apps.resolve(other, str(fine.pid)), full=False)
            assert len(view.shown) > 20
            assert not view.warnings
            looks += 1
        thread.join()
        assert slow[0].seconds < _LONGEST
        assert looks >= 3  # there was time for many while the other look waited
        # In the thread that has waited, too, all other applications answer at once.
        after = _timed(lambda: looking.look(platform, fine.running, full=False))
        assert after.result is not None
        assert not after.result.warnings
        assert after.seconds < slow[0].seconds


def test_the_list_of_applications_is_there_while_one_hangs(applications: Applications, platform: Platform) -> None:
    hanging, fine = applications.start("mousepad"), applications.start("featherpad", "--standalone")
    with frozen(hanging.pid):
        start = time.monotonic()
        found = {app.app.pid: app for app in apps.running(platform)}
        assert time.monotonic() - start < _LONGEST
        assert {hanging.pid, fine.pid} <= set(found)
        assert found[hanging.pid].app.name == "Mousepad"
