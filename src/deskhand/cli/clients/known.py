"""Each client's file and format, as its documentation has them."""

import os
import pwd
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from deskhand.cli.clients import jsonc, toml

NAME: Final = "deskhand"
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class KnownClient:
    """Where a client keeps its servers. `table` is what holds them there."""

    title: str
    file: Callable[[Mapping[str, str]], Path]
    table: str
    added: Callable[[str, str, str, Entry], str]
    """The file's text with an entry in it; raises BadConfiguration, without a file name, where that cannot be."""
    has_type: bool = False
    """Its entries say `"type": "stdio"`."""

    def entry(self, command: str, arguments: list[str]) -> Entry:
        """What starts deskhand, in this client's words."""
        kind = {"type": "stdio"} if self.has_type else {}
        return kind | {"command": command, "args": ["mcp", *arguments]}


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir)


def _configuration(environment: Mapping[str, str]) -> Path:
    """Where programs built on Electron keep theirs."""
    return Path(environment.get("XDG_CONFIG_HOME") or _home(environment) / ".config")


def _claude_code(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("CLAUDE_CONFIG_DIR") or _home(environment)) / ".claude.json"


def _claude_desktop(environment: Mapping[str, str]) -> Path:
    return _configuration(environment) / "Claude" / "claude_desktop_config.json"


def _codex(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("CODEX_HOME") or _home(environment) / ".codex") / "config.toml"


def _cursor(environment: Mapping[str, str]) -> Path:
    return _home(environment) / ".cursor" / "mcp.json"


def _vscode(environment: Mapping[str, str]) -> Path:
    return _configuration(environment) / "Code" / "User" / "mcp.json"


CLIENTS: Final = {
    "claude-code": KnownClient("Claude Code", _claude_code, "mcpServers", jsonc.added, has_type=True),
    "claude-desktop": KnownClient("Claude Desktop", _claude_desktop, "mcpServers", jsonc.added),
    "codex": KnownClient("Codex", _codex, "mcp_servers", toml.added),
    "cursor": KnownClient("Cursor", _cursor, "mcpServers", jsonc.added, has_type=True),
    "vscode": KnownClient("VS Code", _vscode, "servers", jsonc.added, has_type=True),
}
