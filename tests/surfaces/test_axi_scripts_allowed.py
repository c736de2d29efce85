"""What scripts may do: under the policy whichever way they put it, no longer than they are wanted, and told honestly."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, eventually
from tests.support.client import Client, Reply
from tests.support.notices import shown_on

FORM = "A form"


@pytest.fixture
def ruled(new_client: Callable[..., Client], tmp_path: Path) -> Callable[[str], Client]:
    """Makes clients that hold the seat, of servers with a policy."""

    def make(policy: str) -> Client:
        file = tmp_path / "policy.toml"
        file.write_text(policy)
        file.chmod(0o600)
        client = new_client("--policy", str(file))
        client.acquire()
        return client

    return make


@pytest.fixture
def shell(ruled: Callable[[str], Client]) -> Client:
    """A client that may run commands of the shell."""
    return ruled("allow_shell_scripts = true")


@pytest.fixture
def agent(client: Client) -> Client:
    """A client that holds the seat."""
    client.acquire()
    return client


def run(agent: Client, script: str) -> Reply:
    return agent.do("run_applescript_tool", script=script)


def refused(agent: Client, script: str) -> Reply:
    reply = agent.call("run_applescript_tool", script=script)
    assert reply.is_error, reply
    return reply


def to_form(form: Application, *lines: str) -> str:
    """A script that is told to the form."""
    told = "\n".join(lines)
    return f'tell application "System Events" to tell process "{form.name}"\n{told}\nend tell'


class TestCommandsOfTheShell:
    """Where the policy allows them."""

    @pytest.mark.parametrize(
        ("script", "result"),
        [
            ("return do shell script \"printf 'a\\\\nb\\\\n\\\\n'\"", '"a\\nb\\n"'),
            ('return do shell script "echo out; echo complaint >&2"', "out"),
            ('return do shell script "cat"', '""'),
            ('return (do shell script "echo 4" without altering line endings) + 1', "5"),
            ('try\n  do shell script "echo why >&2; exit 3"\non error m number n\n  return n\nend try', '"3"'),
            ('set x to "it\'s; exit 1"\nreturn do shell script "printf %s " & quoted form of x', "it's; exit 1"),
            ("return length of (do shell script \"head -c 90000 /dev/zero | tr '\\\\\\\\0' a\")", '"90000"'),
        ],
    )
    def test_what_a_command_says_is_a_value(self, shell: Client, script: str, result: str) -> None:
        assert run(shell, script).fields["result"].strip('"') == result.strip('"')

    def test_a_failure_says_the_status_and_why(self, shell: Client) -> None:
        reply = refused(shell, 'do shell script "echo why >&2; exit 3"\nreturn 2')
        assert "line 1" in reply
        assert "status 3: why" in reply

    def test_too_much_is_refused_in_words(self, shell: Client) -> None:
        assert "more than" in refused(shell, 'do shell script "yes"')
        assert "more than" in refused(shell, 'do shell script "head -c 200000 /dev/zero"')

    def test_it_ends_with_its_call(self, shell: Client, tmp_path: Path) -> None:
        begun, ended = tmp_path / "begun", tmp_path / "ended"
        number = shell.start_call(
            "run_applescript_tool",
            script=f'do shell script "(sleep 300; touch {ended}) & echo $! > {begun}; wait"',
        )
        child = eventually(lambda: begun.exists() and begun.read_text().strip(), what="the command")
        shell.notify("notifications/cancelled", {"requestId": number})
        eventually(lambda: not Path(f"/proc/{child}/stat").exists() or _is_corpse(str(child)), what="its end")
        assert run(shell, "return 1").fields["result"].strip('"') == "1"

    def test_it_counts_as_an_act(self, shell: Client, form: Application) -> None:
        handle = shell.do("find_element", app_name=str(form.pid), title="Note").handle
        reply = run(shell, 'if (do shell script "echo yes") is "yes" then return 1')
        assert "1,do shell script,unverified,null" in reply
        assert "STALE_REF" in shell.call("ax_focus", handle_id=handle)


def _is_corpse(pid: str) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


class TestHandles:
    def test_a_script_that_only_looks_leaves_them_good(self, agent: Client, form: Application) -> None:
        handle = agent.do("find_element", app_name=str(form.pid), title="Note").handle
        reply = run(agent, to_form(form, "set n to name of every button of window 1", "log n", "return count of n"))
        assert reply.fields["result"].strip('"') == "2"
        agent.do("ax_focus", handle_id=handle)

    def test_one_that_acts_makes_them_stale_also_where_it_fails_later(self, agent: Client, form: Application) -> None:
        handle = agent.do("find_element", app_name=str(form.pid), title="Note").handle
        reply = refused(agent, to_form(form, 'click button "Press me" of window 1', 'error "enough"'))
        assert "1 act done before" in reply
        assert "STALE_REF" in agent.call("ax_focus", handle_id=handle)

    def test_one_that_fails_before_it_acts_leaves_them_good(self, agent: Client, form: Application) -> None:
        handle = agent.do("find_element", app_name=str(form.pid), title="Note").handle
        refused(agent, to_form(form, 'error "at once"'))
        agent.do("ax_focus", handle_id=handle)


class TestItsEnd:
    """When its call is cancelled, and when it has run for too long."""

    @pytest.mark.parametrize(
        "endless",
        [
            "delay 100",
            "repeat\n  delay 0.01\nend repeat",
            "repeat 100 times\n  try\n    delay 60\n  end try\nend repeat",
        ],
    )
    def test_a_cancelled_script_stops(self, agent: Client, endless: str) -> None:
        number = agent.start_call("run_applescript_tool", script=f'set the clipboard to "runs"\n{endless}')
        eventually(lambda: "runs" in agent.do("clipboard_read"), what="the script")
        agent.notify("notifications/cancelled", {"requestId": number})
        assert "result: " in run(agent, 'set the clipboard to "over"\nreturn 1')

    def test_a_loop_without_end_ends_also_where_its_errors_are_held_back(self, agent: Client) -> None:
        reply = refused(agent, 'repeat\n  try\n    error "x"\n  end try\nend repeat')
        assert "10,000 statements" in reply


class TestOnTheScreen:
    def test_a_choice_is_made_from_a_pop_up_button(self, agent: Client, form: Application) -> None:
        run(
            agent,
            to_form(
                form,
                'click pop up button "Colour" of window 1',
                'click menu item "green" of menu 1 of pop up button "Colour" of window 1',
            ),
        )
        assert form.find("combobox").value == "green"
        run(agent, to_form(form, 'click menu item "blue" of menu 1 of pop up button 1 of window 1'))
        assert form.find("combobox").value == "blue"

    def test_what_a_pop_up_button_has_not_is_refused(self, agent: Client, form: Application) -> None:
        reply = refused(agent, to_form(form, 'click menu item "pink" of menu 1 of pop up button 1 of window 1'))
        assert "line 2" in reply
        assert "red" in reply
        assert form.find("combobox").value == "red"

    def test_a_click_at_a_place(self, agent: Client, form: Application) -> None:
        form.activate()
        bounds = form.find(title="Pad").bounds
        assert bounds is not None
        reply = run(agent, f"click at {{{bounds.x + 20}, {bounds.y + 10}}}")
        assert "1,click,unverified,pointer" in reply
        eventually(lambda: form.find("label", "said").title.startswith("said: left"), what="the click")

    @pytest.mark.parametrize("place", ["{1, 2, 3}", "{9999, 5}", '{"a", 1}', "5", "{1e300, -1e300}"])
    def test_a_place_that_is_none(self, agent: Client, place: str) -> None:
        assert "line 1" in refused(agent, f"click at {place}")

    def test_a_condition_is_for_what_is_looked_for(self, agent: Client, form: Application) -> None:
        run(agent, to_form(form, 'click (first button of window 1 whose name contains "ress")'))
        eventually(lambda: form.find("label", "said").title == "said: pressed", what="the press")
        assert 'whose name is "Zzz"' in refused(
            agent, to_form(form, 'click (first button of window 1 whose name is "Zzz")')
        )

    def test_a_notification(self, new_client: Callable[..., Client], desktop: EmbeddedSession, tmp_path: Path) -> None:
        with (
            shown_on(desktop.environment, tmp_path) as notices,
            Client(environment=notices.environment) as client,
        ):
            client.initialize()
            client.acquire()
            run(client, 'display notification "done" with title "Job" subtitle "today"')
            assert notices.taken_down() == [("Job", "today\ndone")]


class TestThePolicy:
    """There is no way round it by putting things another way."""

    RULES = (
        'denied_scripts = ["form", { contains = "empty trash" }, { contains = "rm -rf" }]\nallow_shell_scripts = true'
    )

    @pytest.mark.parametrize(
        "script",
        [
            'tell application "form" to activate',
            'tell application "FORM" to quit',
            'tell app "fo" & "rm" to activate',
            'tell application ("fo" & "rm") to activate',
            'set x to "fo"\ntell application (x & "rm") to activate',
            'set x to "fo"\ntell application "System Events" to tell process (x & "rm") to click button 1 of window 1',
            'tell application "System Events" to click button 1 of window 1 of process "form"',
            'tell application "System Events" to tell process "PID" to click button 1 of window 1',
            'tell application "PID" to quit',
            'tell application "System Events" to click button 1 of window 1 of process 1',
            'tell application "System Events"\n  tell process 1\n    click button 1 of window 1\n  end tell\nend tell',
            'tell application "System Events" to tell (first process whose frontmost is true) to set frontmost to true',
            'tell application "System Events" to set frontmost of (first process whose name contains "or") to true',
            'tell application "System Events"\nrepeat with p in every process\nclick button 1 of window 1 of p\nend\nend',
            'tell application "System Events"\n  set w to window 1 of process 1\n  close w\nend tell',
            'tell application "System Events" to tell process "mousepad" to tell process "form" to click button 1 of window 1',
            'set p to application "fo" & ""\ntell application "f" & "orm" to launch',
            "empty trash",
            'log "empty  trash"',
            'log "empty" (* x *)\n-- empty ¬\n trash',
            'do shell script "rm " & "-rf /nowhere"',
        ],
    )
    def test_a_denied_target_or_word(self, ruled: Callable[[str], Client], form: Application, script: str) -> None:
        client = ruled(self.RULES)
        form.activate()
        reply = client.call("run_applescript_tool", script=script.replace("PID", str(form.pid)))
        assert reply.is_error, reply
        assert form.find("label", "said").title == "said: nothing"
        assert form.running

    def test_a_denied_application_is_acted_on_in_no_other_words(
        self, ruled: Callable[[str], Client], form: Application
    ) -> None:
        client = ruled('denied_apps = ["form"]')
        form.activate()
        place = form.find(title="Pad").bounds
        assert place is not None
        for script in (
            'keystroke "a"',
            "key code 36",
            f"click at {{{place.x + 5}, {place.y + 5}}}",
            'tell application "System Events" to tell (first process whose frontmost is true) to click button 1 of window 1',
            'set n to "fo" & "rm"\ntell application n to quit',
        ):
            assert "policy denied" in refused(client, script), script
        assert form.find("label", "said").title == "said: nothing"

    def test_try_does_not_hold_a_denial_back(self, ruled: Callable[[str], Client], form: Application) -> None:
        client = ruled('denied_apps = ["form"]')
        form.activate()
        reply = refused(client, 'try\n  keystroke "a"\nend try\nset the clipboard to "went on"')
        assert "policy denied" in reply

    def test_the_audit_has_none_of_what_was_to_be_typed(
        self, ruled: Callable[[str], Client], form: Application, kept: Path
    ) -> None:
        client = ruled('denied_apps = ["form"]')
        form.activate()
        reply = refused(client, 'keystroke "my hidden words"')
        assert "policy denied" in reply
        lines = [line for file in (kept / "state").rglob("*.jsonl") for line in file.read_text().splitlines()]
        denied = [json.loads(line) for line in lines if "policy denied typing" in line]
        assert any(one["tool"] == "run_applescript_tool" for one in denied)
        assert not any("hidden words" in line for line in lines)
