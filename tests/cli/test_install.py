"""Adding deskhand to clients: what is written is what they read, and nothing else of their files is lost."""

import json
import os
import pty
import re
import select
import shlex
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskhand.cli.clients.known import CLIENTS

Install = Callable[..., "subprocess.CompletedProcess[str]"]
_README = (Path(__file__).parents[2] / "README.md").read_text()
_FILES = {
    "claude-code": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "codex": ".codex/config.toml",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
}
_JSON = [name for name in _FILES if name != "codex"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def environment(home: Path, tmp_path: Path) -> dict[str, str]:
    """A user who has deskhand on the path, and no configuration."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "deskhand"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m deskhand "$@"\n')
    command.chmod(0o755)
    left_out = ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return kept | {"HOME": str(home), "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}


@pytest.fixture
def install(environment: dict[str, str]) -> Install:
    def run(*words: str, code: int = 0, **more: str) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            ["deskhand", "install", *words],
            env=environment | more,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done

    return run


def parsed(path: Path) -> dict[str, Any]:
    text = path.read_text()
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def servers(client: str, home: Path) -> dict[str, Any]:
    found = parsed(home / _FILES[client])[CLIENTS[client].table]
    assert isinstance(found, dict)
    return found


class TestEachClient:
    """What its documentation says."""

    @pytest.mark.parametrize("client", _FILES)
    def test_it_is_written_and_then_is_there(self, client: str, home: Path, install: Install) -> None:
        first = install(client, "--yes", "--", "--embedded", "800x600")
        assert f"+++ {home / _FILES[client]}" in first.stdout
        entry = servers(client, home)["deskhand"]
        assert (entry["command"], entry["args"]) == ("deskhand", ["mcp", "--embedded", "800x600"])
        before = (home / _FILES[client]).read_bytes()
        again = install(client, "--", "--embedded", "800x600")
        assert "already there" in again.stdout
        assert (home / _FILES[client]).read_bytes() == before
        assert [one.name for one in (home / _FILES[client]).parent.iterdir() if one.is_file()] == [
            Path(_FILES[client]).name
        ]

    @pytest.mark.parametrize("client", _FILES)
    def test_it_is_what_the_readme_shows(self, client: str, home: Path, install: Install) -> None:
        install(client, "--yes", "--", "--embedded")
        title = CLIENTS[client].title
        (section,) = re.findall(rf"^\*\*{title}\*\*(.*?)(?=^\*\*|^Without)", _README, re.DOTALL | re.MULTILINE)
        if client == "claude-code":
            (command,) = re.findall(r"^    claude mcp add --scope user deskhand -- (.*)$", section, re.MULTILINE)
            entry = servers(client, home)["deskhand"]
            assert shlex.split(command) == [entry["command"], *entry["args"]]
            assert entry["type"] == "stdio"
            return
        assert f"`~/{_FILES[client]}`" in section
        ((kind, shown),) = re.findall(r"^```(\w+)\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
        assert (tomllib.loads(shown) if kind == "toml" else json.loads(shown)) == parsed(home / _FILES[client])

    def test_where_a_client_has_been_moved_it_is_found(self, tmp_path: Path, install: Install) -> None:
        moved = str(tmp_path / "moved")
        install("claude-code", "--yes", CLAUDE_CONFIG_DIR=moved)
        install("codex", "--yes", CODEX_HOME=moved)
        install("vscode", "--yes", XDG_CONFIG_HOME=moved)
        install("claude-desktop", "--yes", XDG_CONFIG_HOME=moved)
        found = sorted(str(one.relative_to(moved)) for one in Path(moved).rglob("*") if one.is_file())
        assert found == [".claude.json", "Claude/claude_desktop_config.json", "Code/User/mcp.json", "config.toml"]


class TestWhatIsThere:
    """It stays."""

    @pytest.mark.parametrize("client", _JSON)
    def test_all_else_is_kept_and_a_copy_too(self, client: str, home: Path, install: Install) -> None:
        path, table = home / _FILES[client], CLIENTS[client].table
        path.parent.mkdir(parents=True, exist_ok=True)
        old = {"z": [1, 2.5, "Grüße 😀"], table: {"other": {"command": "x"}}, "a": {"b": None}}
        path.write_text(json.dumps(old, indent=4))
        path.chmod(0o640)
        done = install(client, "--yes")
        new = parsed(path)
        assert new[table].pop("deskhand")["args"] == ["mcp"]
        assert new == old
        assert list(new) == list(old)
        assert '\n    "z"' in path.read_text()
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        copy = path.with_name(path.name + ".before-deskhand")
        assert json.loads(copy.read_text()) == old
        assert str(copy) in done.stdout

    def test_toml_keeps_its_comments(self, home: Path, install: Install) -> None:
        path = home / _FILES["codex"]
        path.parent.mkdir(parents=True)
        old = '# mine\nmodel = "o9" # the good one\n\n[mcp_servers.other] # x\ncommand = "y"'
        path.write_text(old)
        install("codex", "--yes")
        assert path.read_text().startswith(old + "\n")
        assert set(servers("codex", home)) == {"other", "deskhand"}

    def test_a_second_copy_does_not_replace_the_first(self, home: Path, install: Install) -> None:
        path = home / _FILES["cursor"]
        path.parent.mkdir(parents=True)
        path.write_text("{}\n")
        install("cursor", "--yes")
        install("cursor", "--yes", "--", "--read-only")
        assert path.with_name("mcp.json.before-deskhand").read_text() == "{}\n"
        assert "deskhand" in path.with_name("mcp.json.before-deskhand2").read_text()
        assert servers("cursor", home)["deskhand"]["args"] == ["mcp", "--read-only"]

    def test_a_link_stays_one(self, home: Path, tmp_path: Path, install: Install) -> None:
        (tmp_path / "dotfiles").mkdir()
        real = tmp_path / "dotfiles" / "claude.json"
        real.write_text('{"a": 1}')
        home.mkdir()
        (home / ".claude.json").symlink_to(real)
        install("claude-code", "--yes")
        assert (home / ".claude.json").is_symlink()
        assert set(json.loads(real.read_text())) == {"a", "mcpServers"}


_ENTRY = '{"type": "stdio", "command": "deskhand", "args": ["mcp"]}'
_LONG = """"deskhand": {
    "type": "stdio",
    "command": "deskhand",
    "args": [
      "mcp"
    ]
  }""".replace("\n  ", "\n    ")
_TIGHT = '{"type":"stdio","command":"deskhand","args":["mcp"]}'


class TestTheRestOfTheFile:
    """It stays as its owner has written it, to the letter."""

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ('{"a":1}', f'{{"a":1,"servers":{{"deskhand":{_TIGHT}}}}}'),
            ('{"a": 1.50, "b": 1e999}', f'{{"a": 1.50, "b": 1e999, "servers": {{"deskhand": {_ENTRY}}}}}'),
            ('{"n":' + "9" * 5000 + "}", '{"n":' + "9" * 5000 + f',"servers":{{"deskhand":{_TIGHT}}}}}'),
            ('{"x": [1,2], "servers": {}}', f'{{"x": [1,2], "servers": {{"deskhand": {_ENTRY}}}}}'),
            ('\ufeff{"a":1}\n', f'\ufeff{{"a":1,"servers":{{"deskhand":{_TIGHT}}}}}\n'),
            ('{\n  "x": [1,2],\n  "servers": {}\n}', f'{{\n  "x": [1,2],\n  "servers": {{\n    {_LONG}\n  }}\n}}'),
            (
                '{\n  // mine\n  "servers": {\n    "a": {"u": "\\u00e9"}, // ours\n  },\n}\n',
                f'{{\n  // mine\n  "servers": {{\n    "a": {{"u": "\\u00e9"}}, // ours\n    {_LONG}\n  }},\n}}\n',
            ),
            (
                '{\n  "servers": {\n    "a": {"b": 1} /* x */ // ours\n  }\n}\n',
                f'{{\n  "servers": {{\n    "a": {{"b": 1}}, /* x */ // ours\n    {_LONG}\n  }}\n}}\n',
            ),
            ('{\n  "servers": { // none\n  }\n}', f'{{\n  "servers": {{ // none\n    {_LONG}\n  }}\n}}'),
            (
                '{\n  "servers": {"deskhand": {"args": [ "old" ], "env": {"A": "1"}}}\n}',
                '{\n  "servers": {"deskhand": {"args": ["mcp"], "env": {"A": "1"}, "type": "stdio", "command": "deskhand"}}\n}',
            ),
        ],
    )
    def test_json(self, before: str, after: str, home: Path, install: Install) -> None:
        path = home / _FILES["vscode"]
        path.parent.mkdir(parents=True)
        for ends in ("\n", "\r\n"):
            path.write_bytes(before.replace("\n", ends).encode())
            install("vscode", "--yes")
            assert path.read_bytes().decode() == after.replace("\n", ends)
            assert "already there" in install("vscode", "--yes").stdout

    @pytest.mark.parametrize("before", ["# mine\r\nmodel = 'x'\r\n", "\ufeff# mine\nmodel = 'x'\n"])
    def test_toml(self, before: str, home: Path, install: Install) -> None:
        path = home / _FILES["codex"]
        path.parent.mkdir(parents=True)
        path.write_bytes(before.encode())
        install("codex", "--yes")
        after = path.read_bytes().decode()
        assert after.startswith(before)
        assert after.count("\r\n") in (0, after.count("\n"))
        assert set(tomllib.loads(after.removeprefix("\ufeff"))["mcp_servers"]) == {"deskhand"}

    def test_root_writes_for_its_owner(self, home: Path, install: Install) -> None:
        if os.getuid() != 0:
            pytest.skip("only root can write for another user")
        path = home / _FILES["cursor"]
        path.parent.mkdir(parents=True)
        path.write_text("{}")
        os.chown(path, 65534, 65534)
        install("cursor", "--yes")
        owners = {(one.stat().st_uid, one.stat().st_gid) for one in path.parent.iterdir()}
        assert owners == {(65534, 65534)}


class TestWhatCannotBeChanged:
    """It is left alone, and said."""

    @pytest.mark.parametrize(
        ("client", "text", "complaint"),
        [
            ("cursor", '{\n  "a": 1,\n  "b" 2\n}', "line 3, column 7"),
            ("cursor", '{"a": 1, "a": 2}', 'the name "a" stands twice'),
            ("cursor", "[]", "line 1: it is no object"),
            ("cursor", '{"mcpServers": []}', "mcpServers is no object"),
            ("codex", "a = 1\nb = \n", "line 2: Invalid value"),
            ("codex", "mcp_servers = 5\n", "mcp_servers is no table"),
            ("codex", 'mcp_servers = { other = { command = "x" } }\n', "a form that cannot be added to"),
            ("codex", '[mcp_servers.deskhand]\ncommand = "other" # mine\n', "starts differently"),
            ("vscode", '{"servers": {"deskhand": {"command": "x", "args": [/* mine */]}}}', "add this to it yourself"),
            ("cursor", '{"mcpServers": null}', "mcpServers is no object"),
            ("cursor", '{"a": ' + "[" * 9000 + "]" * 9000 + "}", "nested too deeply"),
            ("codex", "a = " + "[" * 9000 + "]" * 9000, "nested too deeply"),
            ("vscode", '{\n/* a\n b */\n"servers": {\n}', "line 5, column 2"),
        ],
    )
    def test_a_file_that_is_not_understood(
        self, client: str, text: str, complaint: str, home: Path, install: Install
    ) -> None:
        path = home / _FILES[client]
        path.parent.mkdir(parents=True)
        path.write_text(text)
        done = install(client, "--yes", code=1)
        assert complaint in done.stderr
        assert str(path) in done.stderr
        assert path.read_text() == text
        assert list(path.parent.iterdir()) == [path]

    def test_a_file_that_its_owner_has_made_read_only(self, home: Path, install: Install) -> None:
        path = home / _FILES["cursor"]
        path.parent.mkdir(parents=True)
        path.write_text("{}")
        path.chmod(0o444)
        assert "is read-only" in install("cursor", "--yes", code=1).stderr
        assert path.read_text() == "{}"
        assert list(path.parent.iterdir()) == [path]

    def test_what_is_no_file(self, home: Path, install: Install) -> None:
        path = home / _FILES["cursor"]
        path.parent.mkdir(parents=True)
        os.mkfifo(path)
        assert "is not a file" in install("cursor", "--yes", code=1).stderr

    def test_what_looks_like_a_comment_in_a_text_is_none(self, home: Path, install: Install) -> None:
        path = home / _FILES["vscode"]
        path.parent.mkdir(parents=True)
        path.write_text('{"servers": {"a": {"url": "http://x/*y*/", "x": ",]"}}}')
        install("vscode", "--yes")
        assert servers("vscode", home)["a"] == {"url": "http://x/*y*/", "x": ",]"}

    def test_comments_do_not_hide_that_it_is_there(self, home: Path, install: Install) -> None:
        install("vscode", "--yes")
        path = home / _FILES["vscode"]
        path.write_text("// mine\n" + path.read_text())
        assert "already there" in install("vscode", "--yes").stdout

    @pytest.mark.parametrize("words", [("--no-such-option",), ("--port", "9781"), ("--embedded", "nonsense")])
    def test_words_that_deskhand_would_not_take(self, words: tuple[str, ...], home: Path, install: Install) -> None:
        install("cursor", "--yes", "--", *words, code=1 if "--port" in words else 2)
        assert not home.exists()


class TestAsking:
    """Nothing is written that nobody wanted."""

    def test_a_dry_run_writes_nothing(self, home: Path, install: Install) -> None:
        assert '+    "deskhand": {' in install("cursor", "--dry-run").stdout
        assert not home.exists()

    def test_without_a_terminal_it_must_be_told(self, home: Path, install: Install) -> None:
        assert "add --yes" in install("cursor", code=1).stderr
        assert not home.exists()

    @pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 1), (b"\n", 1), (b"\x04", 1)])
    def test_on_a_terminal_it_asks(self, home: Path, environment: dict[str, str], answer: bytes, code: int) -> None:
        ours, theirs = pty.openpty()
        command = ["deskhand", "install", "cursor"]
        with subprocess.Popen(command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as it:
            try:
                os.close(theirs)
                said = b""
                while b"[y/n]" not in said:
                    assert select.select([ours], [], [], 30)[0], said
                    said += os.read(ours, 4096)
                os.write(ours, answer)
                assert it.wait(30) == code
            finally:
                it.kill()
        os.close(ours)
        assert (home / _FILES["cursor"]).exists() == (code == 0)
