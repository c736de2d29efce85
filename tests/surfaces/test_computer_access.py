"""Asking for access through the front door: the client's human is asked in both eras, else whoever sits at the desktop."""

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import mcp_types as types
import pytest
from mcp import Client as SdkClient
from mcp import StdioServerParameters

from deskhand.desktop.granting import ANSWER_SECONDS
from deskhand.model.clipboard import text_contents
from deskhand.model.geometry import Point
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, Applications, eventually
from tests.support.client import MODERN, Client, Reply, reply_of, session_of
from tests.support.listening import Caller
from tests.support.person import ESCAPE, Person

_NO_DISPLAY = ":4999"  # of that number there is none: without one, a session that runs here would be found
_ABORTED = "Computer Use permission dialog aborted"
_STOPPED = "The user pressed Esc: computer use has been stopped"
_META = MODERN | {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}


class Human:
    """Somebody at the client, who answers every question in one way."""

    def __init__(self, action: Literal["accept", "decline", "cancel"]) -> None:
        self.action = action
        self.asked: list[str] = []

    async def answer(self, context: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params.message)
        return types.ElicitResult(action=self.action, content={} if self.action == "accept" else None)


def converse(
    desktop: EmbeddedSession, mode: Any, human: Human, work: Callable[[Any], Awaitable[None]], *options: str
) -> None:
    """Let the SDK's client talk to a server."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("XDG_", "PYTHON"))}
    arguments = ["-m", "deskhand", "mcp", "--surface", "computer", *options]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=kept | session_of(desktop.environment))

    async def run() -> None:
        async with SdkClient(server, mode=mode, elicitation_callback=human.answer) as client:
            await work(client)

    asyncio.run(asyncio.wait_for(run(), 60))


async def call(client: Any, tool: str, **arguments: Any) -> Any:
    """What a tool answers; its error, where it has failed."""
    result = await client.call_tool(tool, arguments)
    text = str(result.content[0].text) if result.content[0].type == "text" else ""
    return text if result.is_error or not text.startswith("{") else json.loads(text)


async def stopped(client: Any) -> None:
    """Wait until a person's Esc has arrived."""
    for _ in range(200):
        if (await call(client, "wait", duration=0.02)).startswith(_STOPPED):
            return
    pytest.fail("Esc did not stop it")


async def request(client: Any, *apps: str, **more: Any) -> Any:
    return await call(client, "request_access", apps=list(apps), reason="to write a letter", **more)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
class TestTheClientsHuman:
    """Asked by elicitation."""

    def test_grants(self, desktop: EmbeddedSession, editor: Application, mode: str, kept: Path) -> None:
        human = Human("accept")
        editor.activate()

        async def work(client: Any) -> None:
            refused = await call(client, "key", text="a")
            assert "Mousepad is in front and is not granted" in refused
            answer = await request(client, "mousepad", "xterm", clipboardRead=True)
            assert {(one["id"], one["tier"]) for one in answer["granted"]} == {
                ("org.xfce.mousepad", "full"),
                ("debian-xterm", "click"),
            }
            assert answer["denied"] == []
            assert answer["flags"] == {"clipboardRead": True, "clipboardWrite": False, "systemKeyCombos": False}
            assert [one["works"] for one in answer["permissions"]] == [True] * 3
            assert "Pressed a" in await call(client, "key", text="a")
            listed = await call(client, "list_granted_applications")
            assert [one["displayName"] for one in listed["applications"]] == ["Mousepad", "XTerm"]
            again = await request(client, "Mousepad")
            assert again["granted"][0]["grantedAt"] == answer["granted"][0]["grantedAt"]

        converse(desktop, mode, human, work)
        assert len(human.asked) == 1
        assert (
            "- Mousepad: look, click and type\n- XTerm: look, left click and scroll\n- read the clipboard"
            in human.asked[0]
        )
        assert human.asked[0].endswith("Reason given by the agent: to write a letter")
        lines = [json.loads(line) for line in (kept / "state/deskhand/audit.jsonl").read_bytes().splitlines()]
        noted = [line for line in lines if line["tool"] == "request_access"][-2]
        assert noted["detail"]["granted"] == {"org.xfce.mousepad": "full", "debian-xterm": "click"}
        assert (noted["outcome"], noted["detail"]["asked"]) == ("ok", True)

    def test_denies(self, desktop: EmbeddedSession, editor: Application, mode: str) -> None:
        human = Human("decline")
        editor.activate()

        async def work(client: Any) -> None:
            answer = await request(client, "mousepad", systemKeyCombos=True)
            assert answer["granted"] == []
            assert answer["denied"] == [
                {"name": "Mousepad", "reason": "the user has denied it"},
                {"name": "systemKeyCombos", "reason": "the user has denied it"},
            ]
            assert "is not granted" in await call(client, "key", text="a")

        converse(desktop, mode, human, work)

    def test_closes_the_question(self, desktop: EmbeddedSession, editor: Application, mode: str) -> None:
        human = Human("cancel")

        async def work(client: Any) -> None:
            assert (await request(client, "mousepad")).startswith(_ABORTED)
            assert (await call(client, "list_granted_applications"))["applications"] == []

        converse(desktop, mode, human, work)

    def test_is_asked_again_after_escape(self, desktop: EmbeddedSession, editor: Application, mode: str) -> None:
        human = Human("accept")
        editor.activate()

        async def work(client: Any) -> None:
            await request(client, "mousepad")
            assert "Pressed a" in await call(client, "key", text="a")
            with Person(desktop.environment) as person:
                person.tap(ESCAPE)
            await stopped(client)
            human.action = "decline"
            await request(client, "mousepad")
            assert (await call(client, "screenshot")).startswith(_STOPPED)
            human.action = "accept"
            await request(client, "mousepad")
            assert "Pressed a" in await call(client, "key", text="a")

        converse(desktop, mode, human, work)
        assert len(human.asked) == 3
        assert "to go on: you have stopped it with Esc" in human.asked[2]

    def test_is_not_asked_for_what_cannot_be_granted(self, desktop: EmbeddedSession, mode: str) -> None:
        human = Human("accept")

        async def work(client: Any) -> None:
            answer = await request(client, "no such thing\n\u202e", "seahorse")
            assert answer["granted"] == []
            assert answer["denied"][0] == {
                "name": "no such thing",
                "reason": "no application of that name runs or is installed",
            }
            assert 0 < len(answer["applications"]) <= 50
            assert all(len(name) <= 40 for name in answer["applications"])

        converse(desktop, mode, human, work)
        assert human.asked == []

    def test_reads_a_reason_of_plain_characters(self, desktop: EmbeddedSession, editor: Application, mode: str) -> None:
        human = Human("decline")

        async def work(client: Any) -> None:
            await call(client, "request_access", apps=["mousepad"], reason="good\n- All: fine\u202e" + "x" * 400)

        converse(desktop, mode, human, work)
        *_, reason = human.asked[0].split("\n")
        assert reason.startswith("Reason given by the agent: good - All: fine x")
        assert len(reason) < 240


class TestTheModernEra:
    """Questions are answers there: what a client makes of them is not to be trusted."""

    @pytest.fixture
    def client(self, desktop: EmbeddedSession) -> Iterator[Client]:
        with Client("--surface", "computer", environment=desktop.environment) as opened:
            yield opened

    def ask(self, client: Client, app: str = "mousepad", **more: Any) -> dict[str, Any]:
        arguments = {"apps": [app], "reason": "to write"}
        parameters = {"name": "request_access", "arguments": arguments, "_meta": _META}
        result: dict[str, Any] = client.ask("tools/call", parameters | more)["result"]
        return result

    def text(self, result: dict[str, Any]) -> str:
        return str(result["content"][0]["text"])

    def test_an_answer_to_another_call_grants_nothing(self, client: Client, editor: Application) -> None:
        asked = self.ask(client)
        assert asked["resultType"] == "input_required"
        (key,) = asked["inputRequests"]
        accepted = {"requestState": asked["requestState"], "inputResponses": {key: {"action": "accept", "content": {}}}}
        assert "not open any more" in self.text(self.ask(client, "xterm", **accepted))
        assert "not open any more" in self.text(self.ask(client, **accepted | {"requestState": "guessed"}))
        granted = json.loads(self.text(self.ask(client, **accepted)))
        assert [one["id"] for one in granted["granted"]] == ["org.xfce.mousepad"]
        assert "not open any more" in self.text(self.ask(client, **accepted))

    def test_no_answer_is_none(self, client: Client, editor: Application) -> None:
        asked = self.ask(client)
        assert self.text(self.ask(client, requestState=asked["requestState"])).startswith(_ABORTED)

    def test_it_ends_with_a_question_open(self, client: Client, editor: Application) -> None:
        assert self.ask(client)["resultType"] == "input_required"
        assert client.close() == 0


@pytest.fixture
def agent(desktop: EmbeddedSession) -> Iterator[Callable[..., Client]]:
    """Makes agents whose client cannot ask anybody."""
    opened: list[Client] = []

    def make(*options: str) -> Client:
        client = Client("--surface", "computer", *options, environment=desktop.environment)
        opened.append(client)
        client.initialize()
        return client

    yield make
    for one in opened:
        one.close()


class TestWhoSitsAtTheDesktop:
    """Asked in a window, where the client cannot ask."""

    @pytest.fixture
    def person(self, desktop: EmbeddedSession) -> Iterator[Person]:
        with Person(desktop.environment) as somebody:
            yield somebody

    def dialog(self, platform: Platform) -> Any:
        found = eventually(
            lambda: next((one for one in platform.windows.all() if one.app == "Deskhand"), None), what="the question"
        )
        assert found is not None
        # Whoever answers in the first moment has not meant it.
        threading.Event().wait(0.7)
        return found

    def is_open(self, platform: Platform) -> bool:
        return any(one.app == "Deskhand" for one in platform.windows.all())

    def test_allows(self, agent: Any, editor: Application, platform: Platform, person: Person) -> None:
        client = agent()
        waiting = client.start_call("request_access", apps=["mousepad"], reason="to write")
        place = self.dialog(platform).bounds
        person.click(Point(place.x + place.width - 84, place.y + place.height - 43))
        answer = json.loads(reply_of(client.answer(waiting)))
        assert [one["id"] for one in answer["granted"]] == ["org.xfce.mousepad"]

    def test_closes_it(self, agent: Any, editor: Application, platform: Platform, person: Person) -> None:
        client = agent()
        waiting = client.start_call("request_access", apps=["mousepad"], reason="to write")
        platform.windows.activate(self.dialog(platform).id)
        person.tap(ESCAPE)
        reply = reply_of(client.answer(waiting))
        assert reply.is_error
        assert reply.startswith(_ABORTED)

    def test_another_agent_cannot_press_it(
        self, agent: Any, editor: Application, platform: Platform, person: Person
    ) -> None:
        client, other = agent(), agent("--grant-all", "--coordinates", "absolute")
        waiting = client.start_call("request_access", apps=["mousepad"], reason="to write")
        window = self.dialog(platform)
        place = window.bounds
        for _ in range(2):
            at = [place.x + place.width - 84, place.y + place.height - 43]
            assert "May the agent use this" in other.do("left_click", coordinate=at)
        platform.windows.activate(window.id)
        for key in ("Tab", "Return", "space"):
            other.do("key", text=key)
        person.click(Point(place.x + place.width - 228, place.y + place.height - 43))
        assert json.loads(reply_of(client.answer(waiting)))["granted"] == []

    def test_the_question_goes_when_the_client_says_no_more(
        self, agent: Any, editor: Application, platform: Platform
    ) -> None:
        """It has closed its end, and still reads."""
        client = agent()
        waiting = client.start_call("request_access", apps=["mousepad"], reason="to write")
        self.dialog(platform)
        client.process.stdin.close()
        eventually(lambda: not self.is_open(platform), seconds=5, what="the end of the question")
        assert reply_of(client.answer(waiting, 5)).startswith(_ABORTED)
        assert client.process.wait(10) == 0

    def test_the_question_goes_with_a_client_at_a_socket(
        self, desktop: EmbeddedSession, editor: Application, platform: Platform, tmp_path: Path
    ) -> None:
        path = tmp_path / "socket"
        with Client("--surface", "computer", "--socket", str(path), environment=desktop.environment) as server:
            eventually(path.exists, what="the socket")
            with Caller(path) as caller:
                caller.initialize()
                caller.start_call("request_access", apps=["mousepad"], reason="to write")
                self.dialog(platform)
            eventually(lambda: not self.is_open(platform), seconds=5, what="the end of the question")
            server.process.terminate()

    def test_one_question_at_a_time(self, agent: Any, editor: Application, platform: Platform, person: Person) -> None:
        client, other = agent(), agent()
        waiting = client.start_call("request_access", apps=["mousepad"], reason="to write")
        self.dialog(platform)
        for asker, app in ((other, "xterm"), (client, "xterm")):
            refused = asker.call("request_access", apps=[app], reason="to look")
            assert refused.is_error
            assert "asked by another agent at this moment" in refused
        assert len([one for one in platform.windows.all() if one.app == "Deskhand"]) == 1
        client.process.kill()
        client.process.wait(10)
        again = other.start_call("request_access", apps=["xterm"], reason="to look")
        platform.windows.activate(self.dialog(platform).id)
        person.tap(ESCAPE)
        assert reply_of(other.answer(again)).startswith(_ABORTED)
        assert waiting

    def test_the_question_goes_with_the_client(self, agent: Any, editor: Application, platform: Platform) -> None:
        client = agent()
        client.start_call("request_access", apps=["mousepad"], reason="to write")
        self.dialog(platform)
        client.process.kill()
        client.process.wait(10)
        eventually(lambda: all(one.app != "Deskhand" for one in platform.windows.all()), what="its end")


class TestNobody:
    """Neither can be asked."""

    def test_on_a_desktop_of_its_own_it_is_denied_at_once(self) -> None:
        with Client("--surface", "computer", "--embedded", "800x600", "--grant", "xterm") as client:
            client.initialize()
            began = time.monotonic()
            answer = json.loads(client.do("request_access", apps=["xterm"], reason="x", clipboardRead=True))
            assert time.monotonic() - began < ANSWER_SECONDS / 2
        assert [one["displayName"] for one in answer["granted"]] == ["XTerm"]
        (denied,) = answer["denied"]
        assert denied["name"] == "clipboardRead"
        assert "nobody sits at a desktop of the agent's own" in denied["reason"]
        assert "--grant" in denied["reason"]

    def test_it_is_denied_with_the_reason(self, kept: Path) -> None:
        with Client("--surface", "computer", environment={"DISPLAY": _NO_DISPLAY}) as client:
            client.initialize()
            answer = json.loads(client.do("request_access", apps=["mousepad"], reason="to write"))
        assert answer["granted"] == []
        assert _NO_DISPLAY in answer["denied"][0]["reason"]
        assert [one["works"] for one in answer["permissions"]] == [False] * 3
        assert all(one["remedy"] for one in answer["permissions"])

    def test_the_time_for_an_answer_is_limited(self) -> None:
        assert ANSWER_SECONDS == 120


class TestAheadOfTime:
    """On the command line, and in the policy."""

    def listed(self, client: Client) -> Any:
        return json.loads(client.do("list_granted_applications"))

    def test_applications(self, agent: Any, editor: Application) -> None:
        editor.activate()
        client = agent("--grant", "mousepad", "--grant", "Firefox ESR=full", "--grant-system-keys")
        found = self.listed(client)
        assert {one["displayName"]: one["tier"] for one in found["applications"]} == {
            "Mousepad": "full",
            "Firefox ESR": "full",
        }
        assert found["flags"] == {"clipboardRead": False, "clipboardWrite": False, "systemKeyCombos": True}
        assert "Pressed" in client.do("key", text="b")

    def test_keys_that_it_ends_on_the_way_are_counted(self, agent: Any, editor: Application) -> None:
        editor.activate()
        client = agent("--grant", "mousepad")
        reply = client.call("key", text="Right Left alt+Tab", repeat=50)
        assert reply.is_error
        assert "systemKeyCombos is not granted (after 2 of 150 key presses); " in reply
        assert "key presses" not in client.call("key", text="alt+Tab", repeat=50)

    def test_one_that_is_named_twice_is_answered_once(self, agent: Any, editor: Application) -> None:
        client = agent("--grant", "mousepad")
        answer = json.loads(client.do("request_access", apps=["mousepad", "Mousepad"], reason="x"))
        assert [one["displayName"] for one in answer["granted"]] == ["Mousepad"]

    def test_what_would_be_many_is_told(self, desktop: EmbeddedSession) -> None:
        with Client("--surface", "computer", "--grant", "bash", environment=desktop.environment) as client:
            assert client.process.wait(20) == 2
            eventually(lambda: "would be every APP that bash runs" in client.stderr, what="the complaint")

    def test_everything_and_that_is_told(self, agent: Any, editor: Application) -> None:
        editor.activate()
        client = agent("--grant-all")
        assert self.listed(client)["everything"] is True
        assert "Pressed" in client.do("key", text="b")
        assert "every application is granted in full" in client.stderr

    def test_the_policy_grants(self, agent: Any, editor: Application, tmp_path: Path) -> None:
        policy = tmp_path / "policy.toml"
        policy.write_text('[grants]\napps = ["mousepad=view"]\nclipboard_write = true\n')
        editor.activate()
        client = agent("--policy", str(policy))
        assert "needs the tier full; it is granted with the tier view" in client.call("key", text="b")
        assert "4 characters" in client.do("write_clipboard", text="abcd")
        assert client.call("read_clipboard").is_error

    def test_what_is_no_grant_is_told(self, desktop: EmbeddedSession) -> None:
        with Client("--surface", "computer", "--grant", "firefox=all", environment=desktop.environment) as client:
            assert client.process.wait(20) == 2
            eventually(lambda: "is not APP or APP=TIER" in client.stderr, what="the complaint")

    def test_an_embedded_desktop_grants_everything_unless_something_is_named(self) -> None:
        for options, everything in ((), True), (("--grant", "mousepad"), False):
            with Client("--surface", "computer", "--embedded", "800x600", *options) as client:
                client.initialize()
                assert self.listed(client)["everything"] is everything

    def test_axi_alone_asks_nobody(self, desktop: EmbeddedSession, editor: Application, client: Client) -> None:
        client.acquire()
        client.do("app_activate", app_name=str(editor.pid))
        client.do("key", keys="c")
        assert "granted" not in client.stderr

    def test_axi_beside_it_does_not_go_round(self, desktop: EmbeddedSession, editor: Application) -> None:
        editor.activate()
        with Client("--surface", "all", environment=desktop.environment) as client:
            client.initialize()
            client.acquire()
            assert "is not granted" in client.call("type_text_tool", text="d")
            assert "is not granted" in client.call("clipboard_read")


class TestTheClipboard:
    """Each way has its grant."""

    def test_it_is_read_and_written_where_granted(self, agent: Any) -> None:
        client = agent("--grant-clipboard")
        client.do("write_clipboard", text="für dich")
        assert client.do("read_clipboard") == "für dich"

    @pytest.mark.parametrize(
        ("forms", "said"),
        [
            ({}, "The clipboard is empty."),
            ({"text/html": b"<b>x</b>"}, "What is on the clipboard is no text: paste it to see what it is."),
            ({"image/png": b"x"}, "There is an image on the clipboard, and no text."),
            (
                {"text/uri-list": b"file:///a%20b\r\nfile:///c\r\n", "image/png": b"x"},
                "There is no text on the clipboard, but copied files:\nfile:///a%20b\nfile:///c",
            ),
        ],
    )
    def test_what_is_no_text_is_told(self, agent: Any, platform: Platform, forms: dict[str, bytes], said: str) -> None:
        platform.clipboard.write(forms)
        assert agent("--grant-clipboard").do("read_clipboard") == said

    def test_it_is_refused_where_not(self, agent: Any) -> None:
        client = agent()
        for reply in (client.call("read_clipboard"), client.call("write_clipboard", text="x")):
            assert reply.is_error
            assert "is not granted" in reply
            assert "call request_access with clipboard" in reply

    def test_no_other_tool_goes_round(self, desktop: EmbeddedSession, platform: Platform) -> None:
        """A script of the axi surface, where both are served."""
        platform.clipboard.write(text_contents("the user's own"))
        with Client("--surface", "all", environment=desktop.environment) as client:
            client.initialize()
            client.acquire()
            for script in ('set the clipboard to "x"', "return the clipboard"):
                reply = client.call("run_applescript_tool", script=script)
                assert reply.is_error
                assert "is not granted" in reply
        assert platform.clipboard.read().text == "the user's own"

    def test_a_script_writes_to_it_where_only_that_is_granted(
        self, desktop: EmbeddedSession, platform: Platform, tmp_path: Path
    ) -> None:
        policy = tmp_path / "policy.toml"
        policy.write_text("[grants]\nclipboard_write = true\n")
        with Client("--surface", "all", "--policy", str(policy), environment=desktop.environment) as client:
            client.initialize()
            client.acquire()
            client.do("run_applescript_tool", script='set the clipboard to "from a script"')
        assert platform.clipboard.read().text == "from a script"

    def test_a_long_text_is_typed_without_it(self, agent: Any, editor: Application) -> None:
        client = agent("--grant", "mousepad")
        editor.focus()
        client.do("type", text="long " * 60)
        assert "long long" in editor.text()


class TestOpenApplication:
    """Brings forward, or starts, what is granted."""

    def test_what_runs(self, agent: Any, editor: Application, form: Application, platform: Platform) -> None:
        form.activate()
        client: Client = agent("--grant", "mousepad")
        assert client.do("open_application", app="Mousepad") == "Mousepad is in front."
        assert editor.running.app.active

    def test_what_does_not_run(self, agent: Any, applications: Applications, platform: Platform) -> None:
        from deskhand.desktop import apps

        client: Client = agent("--grant", "mousepad")
        assert client.do("open_application", app="org.xfce.mousepad") == "Mousepad was started and is in front."
        applications.started += [one.app.pid for one in apps.running(platform) if "mousepad" in one.names]

    def test_what_is_not_granted(self, agent: Any, editor: Application) -> None:
        client = agent()
        for app in ("mousepad", "xterm"):
            reply: Reply = client.call("open_application", app=app)
            assert reply.is_error
            assert "is not granted" in reply
        refused = client.call("open_application", app="no such thing")
        assert refused.startswith("no application of that name runs or is installed; name one of ")
        assert "Mousepad" in refused
