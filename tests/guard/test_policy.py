"""A policy says what it denies, and a file that cannot be used says which of its lines is at fault."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deskhand.guard.policy import Deed, Policy
from deskhand.guard.policy_file import load_policy
from deskhand.model.element import Element, NodeRef, State
from deskhand.model.errors import BadPolicy, Denied
from deskhand.surfaces.chosen import check_tools_of


def written(directory: Path, text: str) -> Path:
    path = directory / "policy.toml"
    path.write_text(text)
    return path


def policy(directory: Path, text: str) -> Policy:
    return load_policy(written(directory, "include_default = false\n" + text))


def is_denied(policy: Policy, *names: str) -> str:
    try:
        policy.check_app(frozenset(names), "It", Deed.CLICK)
    except Denied as error:
        return str(error)
    return ""


def element(role: str = "button", title: str = "", description: str = "", identifier: str = "") -> Element:
    return Element(NodeRef("", "/"), role, title, None, None, State(0), description=description, identifier=identifier)


class TestApps:
    """Which applications are denied."""

    @pytest.mark.parametrize(
        ("rule", "denied", "allowed"),
        [
            ('denied_apps = ["Mousepad"]', "mousepad", "mousepad2"),
            ('denied_apps = ["org.xfce.mousepad.desktop"]', "org.xfce.mousepad", "mousepad"),
            ('denied_apps = [{contains = "pad"}]', "mousepad", "xterm"),
            ('denied_apps = [{contains = ["pad", "term"]}]', "xterm", "calculator"),
            ("denied_apps = [{regex = '^x[a-z]+m$'}]", "xterm", "xterm2"),
            ('[[denied_apps]]\nexact = ["a", "b"]\nreason = "mine"', "b", "c"),
        ],
    )
    def test_the_ways_to_name_one(self, tmp_path: Path, rule: str, denied: str, allowed: str) -> None:
        found = policy(tmp_path, rule)
        assert is_denied(found, "other", denied)
        assert not is_denied(found, "other", allowed)

    def test_a_denial_names_the_rule_and_its_reason(self, tmp_path: Path) -> None:
        found = policy(tmp_path, 'denied_apps = ["a", {exact = "b", reason = "it is mine"}]')
        assert is_denied(found, "b") == "policy denied clicking on It: it is mine (denied_apps 2 of policy.toml)"

    @pytest.mark.parametrize(
        "name",
        ["gcr-prompter", "seahorse", "org.gnome.seahorse.application", "kwalletd6", "polkit-gnome-authentication-agent-1",
         "lxpolkit", "xfce-polkit", "polkit-kde-authentication-agent-1", "lxqt-policykit-agent", "pinentry-gtk-2",
         "ksshaskpass", "ssh-askpass", "org.keepassxc.keepassxc", "bitwarden", "org.gnome.world.secrets"],
    )  # fmt: skip
    def test_the_default_policy_protects_where_passwords_are_kept_and_asked_for(
        self, tmp_path: Path, name: str
    ) -> None:
        assert "the default policy" in is_denied(load_policy(), name)
        assert is_denied(load_policy(written(tmp_path, 'denied_apps = ["x"]')), name)
        assert not is_denied(policy(tmp_path, ""), name)

    @pytest.mark.parametrize("name", ["mousepad", "gnome-calculator", "firefox-esr", "xterm", "thunar", "code"])
    def test_the_default_policy_leaves_others_alone(self, name: str) -> None:
        assert not is_denied(load_policy(), name)


class TestElements:
    """Which elements are denied."""

    def fits(self, directory: Path, rule: str, found: Element, *titles: str, app: str = "app") -> bool:
        rules = policy(directory, f"[[denied_elements]]\n{rule}").rules_for({app})
        return any(rule.fits(found, titles) for rule in rules)

    def test_every_criterion_must_fit(self, tmp_path: Path) -> None:
        rule = 'role = "AXButton"\ntitle = {contains = "delete"}'
        assert self.fits(tmp_path, rule, element("button", "Delete all"))
        assert not self.fits(tmp_path, rule, element("link", "Delete all"))
        assert not self.fits(tmp_path, rule, element("button", "Remove all"))

    def test_the_title_it_is_shown_under_counts_too(self, tmp_path: Path) -> None:
        assert self.fits(tmp_path, 'title = "Pay"', element("button", ""), "Pay")
        assert self.fits(tmp_path, 'title = "Pay"', element("button", "Pay"), "Other")

    def test_description_and_identifier(self, tmp_path: Path) -> None:
        assert self.fits(tmp_path, "identifier = {regex = '^pay-[0-9]+$'}", element(identifier="pay-7"))
        assert self.fits(tmp_path, 'description = {contains = "erases"}', element(description="Erases the disk"))
        assert not self.fits(tmp_path, 'identifier = "pay"', element(title="pay"))

    def test_only_in_its_application(self, tmp_path: Path) -> None:
        rule = 'app = "calculator"\ntitle = "7"'
        assert self.fits(tmp_path, rule, element(title="7"), app="calculator")
        assert not self.fits(tmp_path, rule, element(title="7"), app="other")


class TestScriptsAndTools:
    """What scripts may not say, and tools that are denied."""

    def test_a_target_or_words_of_a_script(self, tmp_path: Path) -> None:
        found = policy(tmp_path, 'denied_apps = ["Vault"]\ndenied_scripts = ["Terminal", {contains = "empty trash"}]')
        for text, targets in (("", ["terminal"]), ("tell it to EMPTY Trash", []), ("", ["Vault"])):
            with pytest.raises(Denied):
                found.check_script(text, targets)
        found.check_script("activate", ["Mousepad"])

    def test_shell_scripts_are_denied_unless_allowed(self, tmp_path: Path) -> None:
        with pytest.raises(Denied):
            policy(tmp_path, "").check_shell_script()
        policy(tmp_path, "allow_shell_scripts = true").check_shell_script()

    def test_a_tool(self, tmp_path: Path) -> None:
        found = policy(tmp_path, 'denied_tools = ["key"]')
        found.check_tool("click_at")
        with pytest.raises(Denied, match="policy denied the tool key"):
            found.check_tool("key")


def test_no_expression_takes_long() -> None:
    # An engine that tries one way after the other would need longer than the world has been there.
    from deskhand.guard.policy_file import _words_of

    words = _words_of("regex", ["^(a+)+$"])
    start = time.monotonic()
    assert not words.fits("a" * 50_000 + "b")
    assert time.monotonic() - start < 5


_BAD = [
    ("denied_apps = [\n", 1, "invalid"),
    ('denied_apps = ["a"]\n\nx = = 1\n', 3, "invalid value"),
    ('include_default = false\n\ndenied_app = ["a"]\n', 3, "unknown key 'denied_app'"),
    ('allow_shell_scripts = "yes"\n', 1, "allow_shell_scripts must be true or false"),
    ('denied_apps = "a"\n', 1, "denied_apps must be a list"),
    ('denied_apps = [\n  "a",\n  {contain = "b"},\n]\n', 3, "denied_apps 2: unknown key 'contain'"),
    ('denied_apps = [{contains = "b", exact = "c"}]\n', 1, "denied_apps 1 must say one of"),
    ("denied_apps = [\n  'a',\n  7,\n]\n", 1, "denied_apps 2: exact must be a text"),
    ("[[denied_apps]]\nexact = 'a'\n[[denied_apps]]\nregex = '(x'\n", 4, "'(x' is no regular expression"),
    ("[[denied_apps]]\nexact = 'a'\n\n[[denied_apps]]\nreason = 'x'\n", 4, "denied_apps 2 must say one of"),
    ('[[denied_elements]]\ntitle = "7"\n\n[[denied_elements]]\napp = "x"\n', 4, "denied_elements 2 names no role"),
    ('[[denied_elements]]\ntitle = "7"\nrole = 3\n', 3, "denied_elements 1: role must be a text"),
    ('[[denied_elements]]\ntitle = "7"\ncolour = "red"\n', 3, "denied_elements 1: unknown key 'colour'"),
    ('[[denied_elements]]\nrole = "x"\ntitle = {regex = "[z-a]"}\n', 3, "is no regular expression"),
    ('denied_elements = ["x"]\n', 1, "denied_elements 1 must be a table"),
    ('[[denied_elements]]\nrole = "x"\ntitle = ""\n', 3, "title: exact must be a text"),
]


@pytest.mark.parametrize(("text", "line", "what"), _BAD)
def test_the_line_at_fault_is_named(tmp_path: Path, text: str, line: int, what: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadPolicy) as caught:
        load_policy(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}: "), message
    assert what in message


def test_the_example_of_the_documents_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "policy.md").read_text()
    found = load_policy(written(tmp_path, page.partition("```toml\n")[2].partition("```")[0]))
    check_tools_of(found)
    assert is_denied(found, "my bank")
    assert [rule.role for rule in found.elements] == ["button", None]


class TestTheFile:
    """Where it is, and whose it is."""

    def test_one_that_others_can_write_is_refused(self, tmp_path: Path) -> None:
        path = written(tmp_path, "")
        for mode in (0o620, 0o602):
            path.chmod(mode)
            with pytest.raises(BadPolicy, match="others than its owner can write"):
                load_policy(path)

    def test_what_counts_is_the_file_behind_a_link(self, tmp_path: Path) -> None:
        target = tmp_path / "target"
        target.write_text('denied_apps = ["a"]')
        (tmp_path / "policy.toml").symlink_to(target)
        assert is_denied(load_policy(tmp_path / "policy.toml"), "a")
        target.chmod(0o666)
        with pytest.raises(BadPolicy):
            load_policy(tmp_path / "policy.toml")

    @pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
    def test_one_of_another_user_is_refused(self, tmp_path: Path) -> None:
        os.chown(path := written(tmp_path, ""), 12345, 12345)
        with pytest.raises(BadPolicy, match="belongs to another user"):
            load_policy(path)

    def test_what_is_no_file_or_not_there_is_refused(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        for path in (tmp_path, tmp_path / "pipe", tmp_path / "none"):
            with pytest.raises(BadPolicy):
                load_policy(path)

    def test_what_is_no_text_is_refused_with_its_line(self, tmp_path: Path) -> None:
        (tmp_path / "policy.toml").write_bytes(b"\n\n# \xff\n")
        with pytest.raises(BadPolicy, match="line 3: this is not UTF-8"):
            load_policy(tmp_path / "policy.toml")

    def start(self, *words: str, config: Path) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"XDG_CONFIG_HOME": str(config)}
        command = [sys.executable, "-m", "deskhand", "mcp", *words]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=60, check=False, stdin=subprocess.DEVNULL
        )

    def test_a_bad_one_stops_the_start(self, tmp_path: Path) -> None:
        (tmp_path / "deskhand").mkdir()
        path = written(tmp_path / "deskhand", 'denied_apps = ["a"]\nnonsense = 1\n')
        for words, config in (([], tmp_path), (["--policy", str(path)], tmp_path / "none")):
            done = self.start(*words, config=config)
            assert done.returncode == 1
            assert re.search(rf"deskhand: {path}, line 2: unknown key 'nonsense'", done.stderr), done.stderr

    def test_a_tool_that_there_is_not_stops_the_start(self, tmp_path: Path) -> None:
        done = self.start("--policy", str(written(tmp_path, 'denied_tools = ["clik_at"]')), config=tmp_path)
        assert done.returncode == 1
        assert "denied_tools 1 of policy.toml: there is no tool called clik_at" in done.stderr
