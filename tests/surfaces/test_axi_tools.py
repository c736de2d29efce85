"""What all tools have in common: the seat, handles and generations, the pace."""

import re
import time
from collections.abc import Callable
from pathlib import Path

from deskhand.surfaces.axi import Axi
from tests.support.applications import Application, eventually
from tests.support.client import Client
from tests.support.world import rows


class TestSessions:
    """Taking the seat and giving it back."""

    def test_acquiring_again_extends(self, client: Client) -> None:
        first = client.do("acquire_session", agent_id="ann", purpose="shopping", ttl=50)
        assert (first.fields["granted"], first.fields["expires_in"]) == ("true", "50")
        again = client.do("acquire_session", agent_id="ann", ttl=70)
        assert again.fields["session_id"] == first.fields["session_id"]
        assert again.fields["expires_in"] == "70"

    def test_status_tells_who_holds_it_and_who_waits(self, client: Client, new_client: Callable[..., Client]) -> None:
        other = new_client()
        mine = client.do("acquire_session", agent_id="ann", purpose="shopping", ttl=50).fields["session_id"]
        waits = []
        for name in ("bob", "carol", "dora", "eve"):
            waits.append(other.start_call("acquire_session", agent_id=name, purpose=f"{name}'s", timeout=20))
            eventually(lambda: f"queue_length: {len(waits)}" in client.do("session_status"), what="a place in line")
        status = client.do("session_status")
        assert status.fields["session_id"].strip('"') == mine.strip('"')
        assert (status.fields["agent_id"], status.fields["purpose"]) == ("ann", "shopping")
        assert 0 < float(status.fields["ttl_remaining"]) <= 50
        assert [row["agent_id"] for row in rows(status, "queue")] == ["bob", "carol", "dora"]
        # The id is a key to the seat.
        assert mine.strip('"') not in other.do("session_status")
        client.do("release_session", agent_id="ann", session_id=mine.strip('"'))
        assert [reply.fields["granted"] for reply in other.replies(waits)] == ["true"] * 4

    def test_who_waits_in_vain_is_told_why(self, client: Client, new_client: Callable[..., Client]) -> None:
        client.acquire("ann")
        reply = new_client().do("acquire_session", agent_id="bob", timeout=0.2)
        assert reply.fields["granted"] == "false"
        assert "the seat did not come free within 0.2 s: agent 'ann' holds it" in reply

    def test_a_session_can_be_used_by_its_id(self, client: Client, new_client: Callable[..., Client]) -> None:
        other = new_client()
        session_id = client.acquire("ann").strip('"')
        assert "agent 'ann' holds the seat" in other.call("click_at", x=5, y=5)
        other.do("click_at", x=5, y=5, session_id=session_id)
        assert "does not hold the seat" in client.call("click_at", x=5, y=5, session_id="0" * 16)

    def test_extending_and_releasing(self, client: Client) -> None:
        session_id = client.acquire("ann", ttl=20).strip('"')
        assert client.do("extend_session", session_id=session_id, ttl=90).fields["expires_in"] == "90"
        assert client.do("extend_session", session_id=session_id, agent_id="ann").fields["expires_in"] == "90"
        assert "another agent holds this session" in client.call(
            "extend_session", session_id=session_id, agent_id="bob"
        )
        assert "another agent holds this session" in client.call(
            "release_session", session_id=session_id, agent_id="bob"
        )
        assert client.do("release_session", session_id=session_id, agent_id="ann").fields["released"] == "true"
        assert client.call("release_session", session_id=session_id, agent_id="ann").is_error
        assert client.call("extend_session", session_id=session_id).is_error
        assert client.call("key", keys="escape").is_error

    def test_a_session_runs_out(self, client: Client) -> None:
        client.acquire(ttl=1)
        client.do("click_at", x=5, y=5)
        eventually(lambda: "current_session: null" in client.do("session_status"), what="the end")
        assert client.call("click_at", x=5, y=5).is_error

    def test_every_act_needs_the_seat_and_no_look_does(self, client: Client) -> None:
        needing = [tool for tool in Axi.tools if tool.session]
        assert len(needing) == 23
        samples = {
            "text": "x",
            "value": "x",
            "keys": "a",
            "key": "a",
            "script": "return 1",
            "action": "press",
            "app_name": "x",
            "x": 1,
            "y": 1,
        }
        for tool in needing:
            wanted = tool.arguments.schema.get("required", ())
            reply = client.call(tool.name, **{name: samples[name] for name in wanted})
            assert reply.startswith("error: no agent holds the seat"), tool.name
        for name in ("app_list", "screenshot", "get_screen_info", "session_status", "capabilities", "clipboard_read"):
            client.do(name)


class TestHandles:
    """What an agent calls an element by."""

    def test_an_act_makes_older_handles_stale_and_its_reply_holds_a_fresh_one(
        self, client: Client, form: Application
    ) -> None:
        client.acquire()
        app = {"app_name": str(form.pid)}
        old = client.do("find_element", **app, title="Note").handle
        pressed = client.do("ax_press", **app, title="Press me")
        stale = client.call("ax_focus", handle_id=old)
        assert stale.startswith(f"error: STALE_REF: handle {old} is from a previous generation (current: g2).")
        assert client.do("ax_press", handle_id=pressed.handle).fields["_gen"] == "3"

    def test_the_generation_advances_with_each_act_that_succeeds_and_nothing_else(
        self, client: Client, form: Application
    ) -> None:
        client.acquire()
        app = {"app_name": str(form.pid)}
        assert client.do("click_at", x=5, y=5).fields["_gen"] == "2"
        for name, arguments in (
            ("click_at", {"x": 5000, "y": 5}),
            ("click_at", {"x": "left"}),
            ("ax_press", {**app, "title": "Disabled"}),
            ("ax_press", {**app, "title": "no such"}),
            ("key", {"keys": "hyper+x"}),
            ("type_text_tool", {"text": "\x07"}),
            ("navigate", {"key": "no.such"}),
        ):
            assert client.call(name, **arguments).is_error
        client.do("inspect_ui", **app)
        client.do("screenshot")
        client.do("ax_cache", **app, title="Note")
        client.do("ax_actions", **app, title="Note")
        client.do("acquire_session", agent_id="tester")
        assert client.do("key", keys="escape").fields["_gen"] == "3"

    def test_the_end_of_a_session_clears_its_handles(self, client: Client, form: Application) -> None:
        app = {"app_name": str(form.pid), "title": "Note"}
        session_id = client.acquire("ann").strip('"')
        handle = client.do("ax_cache", **app).handle
        client.do("release_session", session_id=session_id, agent_id="ann")
        client.acquire("ann")
        gone = client.call("ax_focus", handle_id=handle)
        assert gone.split("\n") == [
            f"error: Handle not found: {handle}",
            "recovery: call find_element or ax_cache for a fresh handle",
        ]
        client.acquire("ann", ttl=1)
        handle = client.do("ax_cache", **app).handle
        eventually(lambda: "current_session: null" in client.do("session_status"), what="the end")
        client.acquire("ann")
        assert "Handle not found" in client.call("ax_focus", handle_id=handle)

    def test_handles_of_another_connection_are_none(self, client: Client, new_client: Callable[..., Client]) -> None:
        session_id = client.acquire().strip('"')
        other = new_client()
        reply = other.call("ax_press", handle_id="g1:1", session_id=session_id)
        assert reply.startswith("error: Handle not found: g1:1")

    def test_an_element_that_has_become_another_is_not_acted_on(self, client: Client, form: Application) -> None:
        client.acquire()
        words = client.do("find_element", app_name=str(form.pid), role="label", title="said").handle
        # Something else than an act of ours changes it.
        form.platform.accessibility.perform(form.find("button", "Press me").node, 0)
        eventually(lambda: form.find("label", "said").title == "said: pressed", what="the press")
        reply = client.call("ax_press", handle_id=words)
        assert reply.is_error
        assert "said: nothing" in reply
        assert "said: pressed" in reply


class TestThePace:
    """Clicks come no faster than they may."""

    def test_the_eleventh_click_in_a_second_is_refused_with_the_time_to_wait(self, client: Client) -> None:
        client.acquire()
        numbers = [client.start_call("click_at", x=5, y=5) for _ in range(11)]
        *done, refused = client.replies(numbers)
        assert not any(reply.is_error for reply in done)
        told = re.fullmatch(
            r"error: more than 10 clicks in one second\nrecovery: wait (\d+) ms, then click again", refused
        )
        assert told is not None
        assert "more than 10 clicks" in client.call("double_click_at", x=5, y=5)
        client.do("key", keys="escape")  # only clicks are counted
        time.sleep(int(told[1]) / 1000 + 0.01)
        client.do("double_click_at", x=5, y=5)

    def test_the_limit_is_chosen_at_the_start(self, new_client: Callable[..., Client]) -> None:
        client = new_client("--clicks-per-second", "2")
        client.acquire()
        replies = client.replies([client.start_call("click_at", x=5, y=5) for _ in range(3)])
        assert [reply.is_error for reply in replies] == [False, False, True]

    def test_clicks_that_are_refused_anyhow_do_not_count(self, client: Client) -> None:
        client.acquire()
        for _ in range(15):
            assert "outside every display" in client.call("click_at", x=5000, y=5)
        client.do("click_at", x=5, y=5)


def test_no_tool_and_no_parameter_is_left_out_of_these_tests() -> None:
    written = "".join(file.read_text() for file in Path(__file__).parent.glob("test_axi_*.py"))
    for entry in Axi().listing():
        assert f'"{entry["name"]}"' in written, entry["name"]
        for name in entry["inputSchema"]["properties"]:
            assert re.search(rf"\b{name}=|\"{name}\"", written), name
