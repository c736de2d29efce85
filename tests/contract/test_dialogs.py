"""A question in a window: a person's answer counts, what programs press does not."""

import select
import threading
from collections.abc import Iterator, Sequence

import pytest

from deskhand.model.errors import Cancelled
from deskhand.model.geometry import Point
from deskhand.model.question import Answer, Question
from deskhand.model.turn import HasFileno, Turn
from deskhand.model.window import Window
from deskhand.platforms.base import Button, Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.x11.session import X11Session
from tests.support.applications import eventually
from tests.support.person import ESCAPE, RETURN, TAB, Person

QUESTION = Question("May an agent use these applications?", ("Mousepad: look, click and type",), "to write a letter")


class Asked:
    """A question that is on the screen, asked by another thread."""

    def __init__(self, desktop: EmbeddedSession, platform: Platform, seconds: float) -> None:
        self.answer: Answer | BaseException | None = None
        self.turn = Turn()
        self._seconds = seconds
        self._desktop = desktop
        self._platform = platform
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()
        window = eventually(self._shown, what="the window")
        assert window is not None
        self.window: Window = window

    def _shown(self) -> Window | None:
        return next((one for one in self._platform.windows.all() if one.title == QUESTION.title), None)

    def _ask(self) -> None:
        platform = X11Session(self._desktop.environment).connect()
        try:
            self.answer = platform.dialogs.ask(QUESTION, self._wait, self._seconds)
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            self.answer = error
        finally:
            platform.close()
            self._done.set()

    def _wait(self, sources: Sequence[HasFileno], seconds: float) -> bool:
        return self.turn.wait(sources, seconds)

    def button(self, answer: Answer) -> Point:
        """Where it is on the screen."""
        place = self.window.bounds
        from_right = 84 if answer is Answer.ALLOW else 228
        return Point(place.x + place.width - from_right, place.y + place.height - 43)

    def said(self, seconds: float = 10) -> Answer | BaseException | None:
        """What came of it."""
        assert self._done.wait(seconds), "nobody has answered"
        return self.answer

    @property
    def is_open(self) -> bool:
        return not self._done.is_set()


@pytest.fixture
def person(desktop: EmbeddedSession) -> Iterator[Person]:
    with Person(desktop.environment) as somebody:
        yield somebody


@pytest.fixture
def asked(desktop: EmbeddedSession, platform: Platform) -> Iterator[Asked]:
    opened = Asked(desktop, platform, 60)
    # Whoever answers in the first moment has not meant it; wait that out.
    select.select([], [], [], 0.7)
    yield opened
    opened.turn.cancel()
    opened.said()


class TestAPerson:
    """Somebody with a mouse and a keyboard."""

    @pytest.mark.parametrize("answer", [Answer.ALLOW, Answer.DENY])
    def test_presses_a_button(self, asked: Asked, person: Person, answer: Answer) -> None:
        person.click(asked.button(answer))
        assert asked.said() is answer

    def test_closes_it_with_escape(self, asked: Asked, person: Person, platform: Platform) -> None:
        platform.windows.activate(asked.window.id)
        person.tap(ESCAPE)
        assert asked.said() is Answer.ABORT

    def test_enter_denies_unless_the_other_button_was_chosen(
        self, asked: Asked, person: Person, platform: Platform
    ) -> None:
        platform.windows.activate(asked.window.id)
        person.tap(RETURN)
        assert asked.said() is Answer.DENY

    def test_chooses_with_tab(self, asked: Asked, person: Person, platform: Platform) -> None:
        platform.windows.activate(asked.window.id)
        person.tap(TAB)
        person.tap(RETURN)
        assert asked.said() is Answer.ALLOW

    def test_closes_the_window(self, asked: Asked, platform: Platform) -> None:
        platform.windows.close(asked.window.id)
        assert asked.said() is Answer.ABORT

    def test_answers_too_soon_to_have_meant_it(
        self, desktop: EmbeddedSession, platform: Platform, person: Person
    ) -> None:
        opened = Asked(desktop, platform, 1.5)
        person.click(opened.button(Answer.ALLOW))
        assert opened.said() is Answer.ABORT


class TestAProgram:
    """What comes by XTEST: all that an agent can do."""

    def test_its_clicks_count_for_nothing(self, asked: Asked, platform: Platform, person: Person) -> None:
        platform.pointer.move(asked.button(Answer.ALLOW))
        platform.pointer.click(Button.LEFT, 3)
        person.click(asked.button(Answer.DENY))
        assert asked.said() is Answer.DENY

    def test_its_keys_count_for_nothing(self, asked: Asked, platform: Platform, person: Person) -> None:
        from deskhand.desktop.keyboard import stroke
        from deskhand.model.keys import parse_chord

        platform.windows.activate(asked.window.id)
        for key in ("tab", "enter", "space", "escape"):
            stroke(platform, parse_chord(key))
        person.tap(RETURN)
        assert asked.said() is Answer.DENY

    def test_it_cannot_put_the_pointer_under_a_persons_finger(
        self, asked: Asked, platform: Platform, person: Person
    ) -> None:
        person.move(Point(5, 5))
        platform.pointer.move(asked.button(Answer.ALLOW))
        person.press_mouse()
        person.click(asked.button(Answer.DENY))
        assert asked.said() is Answer.DENY


class TestNobody:
    """No answer at all."""

    def test_it_ends_by_itself(self, desktop: EmbeddedSession, platform: Platform) -> None:
        assert Asked(desktop, platform, 0.5).said() is Answer.ABORT

    def test_it_goes_with_the_call(self, asked: Asked) -> None:
        asked.turn.cancel()
        assert isinstance(asked.said(), Cancelled)

    def test_the_window_has_gone_then(self, desktop: EmbeddedSession, platform: Platform) -> None:
        opened = Asked(desktop, platform, 0.3)
        opened.said()
        eventually(lambda: opened.window.id not in {one.id for one in platform.windows.all()}, what="its end")


def test_what_it_shows(asked: Asked, platform: Platform) -> None:
    shot = platform.screen.grab(asked.window.bounds)
    # The chosen button has a blue edge: so the window has been drawn.
    pixels = {tuple(shot.pixels[at : at + 3]) for at in range(0, len(shot.pixels), 4)}
    assert (170, 90, 30) in pixels
