"""ax_watch, ax_unwatch and ax_events through the front door."""

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.applications import Application, eventually
from tests.support.client import Client
from tests.support.world import rows


def text_event(client: Client) -> dict[str, str]:
    """The next event of text; others may come before it."""

    def look() -> dict[str, str] | None:
        reply = client.do("ax_events", wait_ms=500)
        found = [] if "count: 0" in reply else rows(reply, "events")
        return next((row for row in found if row["type"] == "text"), None)

    found = eventually(look, what="an event of text")
    assert found is not None
    return found


def bells(client: Client) -> int:
    """How many descriptors a server's calls wait at."""
    opened = Path(f"/proc/{client.process.pid}/fd").iterdir()
    return sum("eventfd" in os.readlink(one) for one in opened if os.path.islink(one))


class TestWatching:
    """What an agent does with it."""

    def test_an_agent_types_and_is_told_with_a_handle_to_go_on_with(self, client: Client, editor: Application) -> None:
        client.acquire()
        reply = client.do("ax_watch", app_name="mousepad")
        assert "watching: true" in reply
        assert "focus,text,value" in reply
        client.do("fill", app_name="mousepad", role="textbox", text="hello")
        text = text_event(client)
        assert (text["role"], text["value"], text["app"]) == ("textbox", "hello", "Mousepad")
        assert "value: hello" in client.do("interact", handle_id=text["handle_id"], action="focus")

    def test_reading_takes_away(self, client: Client, editor: Application) -> None:
        client.do("ax_watch", app_name="mousepad")
        assert client.do("ax_events", app_name="mousepad").startswith("count: 0\nempty: No new events in mousepad\n")

    def test_without_any_watch_it_says_so_at_once(self, client: Client) -> None:
        start = time.monotonic()
        assert "empty: No app is watched: call ax_watch first" in client.do("ax_events", wait_ms=60_000)
        assert time.monotonic() - start < 5
        assert client.call("ax_events", app_name="mousepad") == (
            "error: mousepad is not watched\nrecovery: call ax_watch with its app_name first"
        )
        assert "empty: mousepad was not watched" in client.do("ax_unwatch", app_name="mousepad")
        assert client.call("ax_watch", app_name="no such app").startswith("error: App not found: no such app")

    def test_an_ended_watch_tells_what_nobody_has_read(self, client: Client, editor: Application) -> None:
        client.do("ax_watch", app_name="mousepad")
        assert client.do("ax_unwatch", app_name="mousepad") == "watching: false\napp: Mousepad\nunread: 0"

    def test_an_app_that_has_ended_is_watched_no_more_by_the_number_it_had(
        self, client: Client, editor: Application
    ) -> None:
        client.do("ax_watch", app_name=str(editor.pid))
        os.kill(editor.pid, signal.SIGKILL)
        eventually(lambda: "app_ended" in client.do("ax_events", wait_ms=1000), what="its end")
        assert "app: Mousepad" in client.do("ax_unwatch", app_name=str(editor.pid))
        assert client.do("ax_events").startswith("count: 0\nempty: No app is watched")


class TestWaiting:
    """A wait keeps nobody from anything."""

    def test_an_act_of_the_same_client_ends_its_wait(self, client: Client, editor: Application) -> None:
        editor.focus()
        client.acquire()
        client.do("ax_watch", app_name="mousepad")
        waiting = client.start_call("ax_events", wait_ms=60_000)
        client.do("app_list")
        client.do("type_text_tool", text="x")
        assert "count:" in client.replies([waiting])[0]

    def test_a_wait_is_given_up_when_its_caller_does_not_want_it_any_more(
        self, client: Client, editor: Application
    ) -> None:
        client.do("ax_watch", app_name="mousepad")
        eventually(lambda: "count: 0" in client.do("ax_events", wait_ms=300), what="quiet")
        before = bells(client)
        waiting = client.start_call("ax_events", wait_ms=60_000)
        eventually(lambda: bells(client) > before, what="waiting")
        client.notify("notifications/cancelled", {"requestId": waiting})
        eventually(lambda: bells(client) == before, what="the end of the wait")

    def test_what_is_written_behind_a_watch_is_seen_by_it(self, client: Client, editor: Application) -> None:
        editor.focus()
        client.acquire()
        numbers = [client.start_call("ax_watch", app_name="mousepad"), client.start_call("type_text_tool", text="abc")]
        assert not any(reply.is_error for reply in client.replies(numbers))
        assert text_event(client)["value"] == "abc"

    def test_a_server_is_ended_while_somebody_waits(
        self, new_client: Callable[..., Client], editor: Application
    ) -> None:
        client = new_client()
        client.do("ax_watch", app_name="mousepad")
        client.start_call("ax_events", wait_ms=60_000)
        client.do("session_status")
        start = time.monotonic()
        client.process.terminate()
        assert client.process.wait(20) == 0
        assert time.monotonic() - start < 5
        assert not re.search("Traceback|error", client.stderr)

    def test_bad_arguments_are_named(self, client: Client) -> None:
        assert client.call("ax_events", wait_ms=60_001).startswith("error: wait_ms:")
        assert client.call("ax_events", limit=0).startswith("error: limit:")
        assert client.call("ax_watch") == (
            "error: Missing required parameter: app_name\n"
            "recovery: check the tool schema and provide the missing parameter"
        )
