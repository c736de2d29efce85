"""Scripts that agents write for Macs, run through a client on a GTK 3, a GTK 4 and a Qt application.

What they may do of what the policy speaks of is in `test_axi_scripts_allowed.py`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Application, Applications, eventually
from tests.support.client import Client, Reply


@pytest.fixture
def agent(new_client: Callable[..., Client]) -> Iterator[Client]:
    """A client that holds the seat."""
    client = new_client()
    client.acquire()
    yield client
    client.close()


def run(agent: Client, script: str) -> Reply:
    return agent.do("run_applescript_tool", script=script)


def refused(agent: Client, script: str) -> Reply:
    reply = agent.call("run_applescript_tool", script=script)
    assert reply.is_error, reply
    assert "recovery: " in reply
    return reply


def test_quitting_what_does_not_run_says_that_nothing_has_changed(agent: Client) -> None:
    reply = run(agent, 'tell application "no such application" to quit')
    assert reply.fields["effect"] == "no_change"


class TestTheLanguage:
    """What needs no application."""

    @pytest.mark.parametrize(
        ("script", "result"),
        [
            ('return "a" & "b"', "ab"),
            ("1 + 2 * 3", "7"),
            ("set x to 0\nrepeat with i from 1 to 4\n  set x to x + i\nend repeat\nreturn x", "10"),
            ('if 1 < 2 and not false then\n  return "yes"\nelse\n  return "no"\nend if', "yes"),
            ('try\n  error "bad"\non error message\n  return message\nend try', "bad"),
            ("repeat\n  exit repeat\nend repeat\nreturn {1, true}", "{1, true}"),
            ("-- a comment\n(* another *)\nreturn 5 # and one more", "5"),
            ('(* ---- 5" wide, (* nested *) ---- *)\nreturn 6', "6"),
            ("set x to {}\nrepeat 3 times\n  set x to x & {1}\nend repeat\nreturn count of x", "3"),
            ("set x to 9\nrepeat with i from 5 to 1 by -2\n  set x to x * 10 + i\nend repeat\nreturn x", "9531"),
            ("set x to 0\nrepeat with i in {4, 5}\n  set x to x * 10 + i\nend repeat\nreturn x", "45"),
            ("set x to 0\nrepeat while x < 5\n  set x to x + 2\nend repeat\nreturn x", "6"),
            ("set x to 0\nrepeat until x > 5\n  set x to x + 4\nend repeat\nreturn x", "8"),
            ("set x to 0\nrepeat with i from 1 to 0\n  set x to 1\nend repeat\nreturn x", "0"),
            ('try\n  error "bad" number 7\non error m number n\n  return m & n\nend try', "bad7"),
            ("try\n  return item 3 of {1}\non error number n\n  return n\nend try", "-2700"),
            ('try\n  error "bad"\nend try\nreturn 8', "8"),
            ('return quoted form of "it\'s"', "'it'\\\\''s'"),
        ],
    )
    def test_a_script_gives_its_result(self, agent: Client, script: str, result: str) -> None:
        assert run(agent, script).fields["result"].strip('"') == result

    def test_the_clipboard_is_set_and_read(self, agent: Client) -> None:
        assert run(agent, 'set the clipboard to "über"\nreturn the clipboard').fields["result"].strip('"') == "über"
        assert "über" in agent.do("clipboard_read")

    def test_what_is_not_understood_is_named_with_its_line_before_anything_is_done(self, agent: Client) -> None:
        agent.do("run_applescript_tool", script='set the clipboard to "before"')
        reply = refused(agent, 'set the clipboard to "after"\nfrobnicate the window')
        assert "line 2" in reply
        assert "before" in agent.do("clipboard_read")

    def test_shell_commands_are_refused(self, agent: Client, tmp_path: Path) -> None:
        made = tmp_path / "made"
        assert "policy" in refused(agent, f'do shell script "touch {made}"')
        assert not made.exists()

    def test_a_policy_may_allow_shell_commands_and_deny_scripts_and_what_they_tell(
        self, new_client: Callable[..., Client], tmp_path: Path
    ) -> None:
        policy = tmp_path / "policy.toml"
        policy.write_text(
            'allow_shell_scripts = true\n[[denied_apps]]\nexact = "mousepad"\n[[denied_scripts]]\ncontains = "secret"\n'
        )
        policy.chmod(0o600)
        client = new_client("--policy", str(policy))
        client.acquire()
        assert run(client, 'return do shell script "printf hello"').fields["result"].strip('"') == "hello"
        assert "denied" in refused(client, 'tell application "Mousepad" to activate')
        assert "denied" in refused(client, 'set the clipboard to "a secret"')

    def test_a_loop_without_end_ends(self, agent: Client) -> None:
        assert "10,000" in refused(agent, "set x to 0\nrepeat\n  set x to x + 1\nend repeat")


class TestApplications:
    """The same few sentences drive every toolkit."""

    def test_a_gtk_3_editor_is_typed_into_and_its_menus_chosen_from(self, agent: Client, editor: Application) -> None:
        run(
            agent,
            'tell application "mousepad" to activate\n'
            'tell application "System Events"\n'
            '  tell process "mousepad"\n'
            '    keystroke "grüße"\n'
            '    keystroke "a" using command down\n'
            '    click menu item "To Uppercase" of menu 1 of menu item "Convert" of menu "Edit" of menu bar 1\n'
            "  end tell\n"
            "end tell",
        )
        eventually(lambda: editor.text() == "GRÜSSE", what="upper case")

    def test_a_gtk_4_calculator_is_pressed(self, agent: Client, applications: Applications) -> None:
        applications.start("gnome-calculator")
        reply = run(
            agent,
            'tell application "System Events" to tell process "gnome-calculator"\n'
            '  repeat with k in {"6", "×", "7", "="}\n'
            "    click button k of window 1\n"
            "  end repeat\n"
            "  return value of text field 1 of window 1\n"
            "end tell",
        )
        assert reply.fields["result"].strip('"') == "42"

    def test_a_qt_field_is_set_and_read(self, agent: Client, applications: Applications) -> None:
        applications.start("featherpad")
        reply = run(
            agent,
            'tell application "System Events" to tell process "featherpad"\n'
            "  set frontmost to true\n"
            '  keystroke "typed"\n'
            "  delay 0.2\n"
            '  return exists menu bar item "File" of menu bar 1\n'
            "end tell",
        )
        assert reply.fields["result"].strip('"') == "true"
        assert "typed" in agent.do("ax_focused")

    def test_what_is_not_there_is_told_with_its_line(self, agent: Client, editor: Application) -> None:
        reply = refused(
            agent,
            'tell application "System Events" to tell process "mousepad"\nclick button "Nowhere" of window 1\nend tell',
        )
        assert "line 2" in reply
        assert "Nowhere" in reply


def test_nothing_stays_pressed(agent: Client, desktop: EmbeddedSession, platform: Platform) -> None:
    refused(agent, 'tell application "System Events" to keystroke "a" using {command down, shift down, nonsense down}')
    assert platform.keyboard.held_modifiers() == []
