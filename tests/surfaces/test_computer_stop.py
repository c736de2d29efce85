"""The seat of computer use, and the Esc that a person stops it with: through the real server, on a real desktop.

How a person presses Esc here: see tests/support/person.py.
"""

import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from deskhand.model.geometry import Rect
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import eventually
from tests.support.client import Client, Reply, reply_of
from tests.support.person import ESCAPE, Person
from tests.support.x_window import XWindow

STOPPED = "The user pressed Esc: computer use has been stopped"
IN_USE = "Computer use is in use by another session"
_A = 38
_SOON_SECONDS = 3.0
"""Far more than the 0.1 s it may take: how fast it is, the bench says; a test must not fail on a busy machine."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A window that has the keyboard, an agent of the computer surface, and a person."""

    window: XWindow
    agent: Client
    person: Person

    def all_up(self) -> bool:
        """Whether no key and no button is down."""
        return not self.person.down and not self.person.buttons_down

    def aborted(self, number: int) -> Reply:
        """What a call says that Esc has stopped, and soon."""
        self.person.tap(ESCAPE)
        reply = reply_of(self.agent.answer(number, 20))
        assert reply.startswith(STOPPED)
        assert reply.is_error
        eventually(self.all_up, seconds=_SOON_SECONDS, what="the release of every key and button")
        return reply


@pytest.fixture
def scene(
    desktop: EmbeddedSession, new_client: Callable[..., Client], request: pytest.FixtureRequest
) -> Iterator[Scene]:
    """`pings` as a parameter: the window promises to say when it has handled its keys, and never does."""
    pings = getattr(request, "param", False)
    with (
        Person(desktop.environment) as person,
        XWindow(desktop.environment, Rect(300, 250, 600, 400), title="target", pings=pings) as window,
    ):
        window.focus()
        agent = computer(new_client)
        yield Scene(window, agent, person)


def computer(new_client: Callable[..., Client], *arguments: str) -> Client:
    """An agent that has seen the screen."""
    agent = new_client(
        "--surface", "computer", "--coordinates", "absolute", "--clicks-per-second", "0", "--grant-all", *arguments
    )
    agent.do("screenshot")
    return agent


# ---------------------------------------------------------------- Esc


def test_escape_ends_keys_that_are_held(scene: Scene) -> None:
    number = scene.agent.start_call("hold_key", text="ctrl+a", duration=120)
    eventually(lambda: _A in scene.person.down, what="the key")
    scene.aborted(number)


def test_escape_ends_a_wait(scene: Scene) -> None:
    scene.agent.do("mouse_move", coordinate=[500, 400])
    number = scene.agent.start_call("wait", duration=120)
    # Nothing tells from outside that a wait has begun: Esc before it stops it too, which is the same to the agent.
    scene.aborted(number)


@pytest.mark.parametrize("scene", [True], indirect=True)
def test_escape_ends_a_text_that_the_application_does_not_take(scene: Scene) -> None:
    number = scene.agent.start_call("type", text="words and " * 500)
    eventually(lambda: scene.window.listen().keys, what="the first keys")
    reply = scene.aborted(number)
    said = re.search(r"typed (\d+) of 5000 characters: nothing from position (\d+) on", reply)
    assert said, reply
    assert 0 < int(said[1]) == int(said[2]) < 5000


@pytest.mark.parametrize("scene", [True], indirect=True)
def test_escape_ends_a_drag_whose_application_hangs(scene: Scene) -> None:
    number = scene.agent.start_call("left_click_drag", start_coordinate=[400, 400], coordinate=[700, 500], text="shift")
    eventually(lambda: scene.person.buttons_down, what="the button")
    scene.aborted(number)


def test_escape_ends_a_key_that_is_pressed_again_and_again(scene: Scene) -> None:
    number = scene.agent.start_call("key", text=" ".join(["ctrl+a"] * 20), repeat=100)
    eventually(lambda: scene.window.listen().keys, what="the first keys")
    scene.aborted(number)
    pressed = sum(1 for is_press, keycode, _ in scene.window.listen().keys if is_press and keycode == _A)
    assert pressed < 2000


def test_escape_lets_go_of_a_button_that_is_held_between_two_calls(scene: Scene) -> None:
    scene.agent.do("mouse_move", coordinate=[500, 400])
    scene.agent.do("left_mouse_down")
    assert scene.person.buttons_down
    scene.person.tap(ESCAPE)
    eventually(scene.all_up, seconds=_SOON_SECONDS, what="the release of the button")
    assert scene.agent.call("left_mouse_up").startswith(STOPPED)


def test_nothing_is_done_or_shown_after_escape(scene: Scene) -> None:
    """Also what had been asked for before it, and by the other spelling."""
    number = scene.agent.start_call("hold_key", text="a", duration=120)
    eventually(lambda: _A in scene.person.down, what="the key")
    queued = [
        scene.agent.start_call("mouse_move", coordinate=[10, 10]),
        scene.agent.start_call("screenshot"),
        scene.agent.start_call("computer", action="type", text="bbb"),
    ]
    scene.aborted(number)
    later = [
        *scene.agent.replies(queued),
        scene.agent.call("screenshot"),
        scene.agent.call("zoom", region=[0, 0, 100, 100]),
        scene.agent.call("computer", action="left_click"),
        scene.agent.call("wait", duration=0),
        scene.agent.call("cursor_position"),
    ]
    assert all(reply.startswith(STOPPED) and reply.is_error for reply in later), later
    assert not any(block["type"] == "image" for reply in later for block in reply.blocks)
    assert {keycode for _, keycode, _ in scene.window.listen().keys} <= {_A, ESCAPE}


def test_escape_ends_a_batch_and_what_is_left_of_it_is_not_done(scene: Scene) -> None:
    steps = [{"action": "key", "text": "a"}, {"action": "hold_key", "text": "a", "duration": 120}]
    number = scene.agent.start_call("computer_batch", actions=[*steps, {"action": "key", "text": "b"}])
    eventually(lambda: len([key for key in scene.window.listen().keys if key[0]]) > 1, what="the second action")
    reply = scene.aborted(number)
    assert not any(block["type"] == "image" for block in reply.blocks)
    assert {keycode for _, keycode, _ in scene.window.listen().keys} <= {_A, ESCAPE}


def test_request_access_is_how_an_agent_starts_again(scene: Scene) -> None:
    """What it was granted before and may still use can be asked for meanwhile."""
    scene.agent.do("mouse_move", coordinate=[500, 400])
    scene.person.tap(ESCAPE)
    eventually(lambda: scene.agent.call("screenshot").startswith(STOPPED), what="the stop")
    scene.agent.do("list_granted_applications")
    assert "request_access" in scene.agent.call("mouse_move", coordinate=[500, 401])
    scene.agent.do("request_access", apps=["xterm"], reason="the user wants it to go on")
    scene.agent.do("screenshot")
    number = scene.agent.start_call("hold_key", text="a", duration=120)
    eventually(lambda: _A in scene.person.down, what="the key")
    scene.aborted(number)


def test_after_escape_the_seat_is_free_for_others(scene: Scene, new_client: Callable[..., Client]) -> None:
    scene.agent.do("mouse_move", coordinate=[500, 400])
    other = computer(new_client)
    assert other.call("mouse_move", coordinate=[500, 401]).startswith(IN_USE)
    scene.person.tap(ESCAPE)
    eventually(lambda: not other.call("mouse_move", coordinate=[500, 402]).is_error, what="the seat")
    assert scene.agent.call("mouse_move", coordinate=[500, 403]).startswith(STOPPED)


def test_the_agents_own_escape_stops_nothing(scene: Scene) -> None:
    scene.agent.do("key", text="Escape", repeat=20)
    scene.agent.do("key", text="ctrl+Escape")
    scene.agent.do("hold_key", text="Escape", duration=0.1)
    eventually(lambda: (True, ESCAPE, 0) in scene.window.listen().keys, what="the agent's Escape")
    scene.agent.do("screenshot")
    scene.agent.do("mouse_move", coordinate=[500, 400])


def test_a_persons_other_keys_stop_nothing(scene: Scene) -> None:
    scene.agent.do("mouse_move", coordinate=[500, 400])
    scene.person.tap(_A)
    eventually(lambda: scene.window.listen().keys, what="the person's key")
    scene.agent.do("mouse_move", coordinate=[500, 401])


def test_escape_is_anybodys_while_no_agent_has_the_seat(scene: Scene) -> None:
    """A screenshot takes no seat; and a seat that has been idle for long is free."""
    scene.person.tap(ESCAPE)
    eventually(lambda: (True, ESCAPE, 0) in scene.window.listen().keys, what="the person's Escape")
    scene.agent.do("screenshot")
    scene.agent.do("mouse_move", coordinate=[500, 400])


# ---------------------------------------------------------------- Esc, and the tools of axi


@pytest.fixture
def both(new_client: Callable[..., Client], scene: Scene) -> Client:
    """An agent that has both surfaces."""
    return new_client("--surface", "axi,computer", "--grant-all", "--clicks-per-second", "0")


@pytest.mark.parametrize("scene", [True], indirect=True)
def test_escape_stops_an_act_of_axi_beside_computer(scene: Scene, both: Client) -> None:
    both.acquire()
    number = both.start_call("type_text_tool", text="words and " * 500)
    eventually(lambda: scene.window.listen().keys, what="the first keys")
    scene.person.tap(ESCAPE)
    assert STOPPED in reply_of(both.answer(number, 20))
    eventually(scene.all_up, seconds=_SOON_SECONDS, what="the release of every key and button")


def test_escape_between_two_acts_of_axi_stops_all_that_comes(scene: Scene, both: Client) -> None:
    session = both.acquire()
    scene.person.tap(ESCAPE)
    eventually(lambda: STOPPED in both.call("key", keys="a"), what="the stop")
    later = [
        both.call("key", keys="a", session_id=session),
        both.call("acquire_session", agent_id="tester", timeout=0),
        both.call("app_list"),
        both.call("computer", action="mouse_move", coordinate=[500, 400]),
    ]
    assert all(reply.is_error and STOPPED in reply for reply in later), later
    assert both.do("session_status").fields["queue_length"] == "0"
    scene.agent.do("mouse_move", coordinate=[500, 401])  # the seat is free
    both.do("request_access", apps=["xterm"], reason="the user wants it to go on")
    scene.agent.close()
    both.acquire()
    both.do("key", keys="a")


def test_escape_stops_nothing_where_axi_is_alone(scene: Scene, client: Client) -> None:
    client.acquire()
    client.do("key", keys="a")
    scene.person.tap(ESCAPE)
    eventually(lambda: (True, ESCAPE, 0) in scene.window.listen().keys, what="the person's Escape")
    client.do("key", keys="a")


# ---------------------------------------------------------------- the seat


def test_only_acts_take_the_seat(scene: Scene, new_client: Callable[..., Client]) -> None:
    for look in ("screenshot", "cursor_position"):
        scene.agent.do(look)
    scene.agent.do("wait", duration=0)
    other = computer(new_client)
    other.do("mouse_move", coordinate=[500, 400])
    for look in ("screenshot", "cursor_position"):
        scene.agent.do(look)
    assert scene.agent.call("mouse_move", coordinate=[500, 401]).startswith(IN_USE)


def test_who_has_the_seat_is_named_by_eight_characters(client: Client, scene: Scene) -> None:
    """An axi session of another server holds it here."""
    session = client.acquire()
    refused = scene.agent.call("left_click")
    assert refused.is_error
    assert refused.startswith(f"{IN_USE} ({session[:8]}…)")
    client.do("release_session", agent_id="tester", session_id=session)
    scene.agent.do("mouse_move", coordinate=[500, 400])
    assert client.do("acquire_session", agent_id="tester", timeout=0).fields["granted"] == "false"


def test_a_connection_that_closes_frees_the_seat(scene: Scene, new_client: Callable[..., Client]) -> None:
    scene.agent.do("left_mouse_down")
    other = computer(new_client)
    assert other.call("left_click").startswith(IN_USE)
    scene.agent.close()
    assert scene.all_up()
    other.do("mouse_move", coordinate=[500, 400])


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_server_that_is_ended_frees_the_seat(
    scene: Scene, new_client: Callable[..., Client], how: signal.Signals
) -> None:
    scene.agent.do("mouse_move", coordinate=[500, 400])
    other = computer(new_client)
    assert other.call("left_click").startswith(IN_USE)
    scene.agent.process.send_signal(how)
    scene.agent.process.wait(20)
    other.do("mouse_move", coordinate=[500, 401])


def test_a_seat_that_is_not_used_is_free_after_its_idle_time(scene: Scene, new_client: Callable[..., Client]) -> None:
    idle, other = computer(new_client, "--seat-idle", "1"), scene.agent
    idle.do("left_mouse_down")
    assert other.call("mouse_move", coordinate=[500, 400]).startswith(IN_USE)
    eventually(lambda: not other.call("mouse_move", coordinate=[500, 400]).is_error, what="the seat")
    eventually(scene.all_up, what="the release of what the idle session held")
    assert idle.call("mouse_move", coordinate=[500, 402]).startswith(IN_USE)


def test_an_act_that_takes_longer_than_the_idle_time_keeps_the_seat(
    scene: Scene, new_client: Callable[..., Client]
) -> None:
    busy, other = computer(new_client, "--seat-idle", "1"), scene.agent
    number = busy.start_call("hold_key", text="a", duration=3)
    eventually(lambda: _A in scene.person.down, what="the key")
    refused = 0
    while _A in scene.person.down:
        assert other.call("mouse_move", coordinate=[500, 400]).startswith(IN_USE) or _A not in scene.person.down
        refused += 1
    assert refused > 0
    assert not reply_of(busy.answer(number)).is_error
