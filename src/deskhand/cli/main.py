"""The command line: its verbs, each in a file of its own that loads when it is called."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Final

from deskhand import __version__
from deskhand.model.errors import DeskError

_VERBS: Final = {
    "mcp": "serve the tools over MCP, on standard input and output, a port or a socket",
    "install": "add deskhand to an MCP client",
    "desktop": "start a desktop of our own and keep it until Ctrl+C",
    "doctor": "say what works here, what is missing, and what to do about it",
    "tools": "list the tools",
    "audit": "say whether the record of acts is whole, and show its last lines",
}

_COMPUTER_USE: Final = "--computer-use-mcp"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code."""
    parser = argparse.ArgumentParser(
        prog="deskhand",
        description="A desktop for AI agents: see it, act on it, safely, over MCP.",
        epilog="deskhand VERB --help tells more about a verb.",
    )
    parser.add_argument("--version", action="version", version=f"deskhand {__version__}")
    parser.add_argument(_COMPUTER_USE, action="store_true", help="the same as: mcp --surface computer")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    given = list(sys.argv[1:] if argv is None else argv)
    if given[:1] == [_COMPUTER_USE]:
        given[:1] = ["mcp", "--surface", "computer"]
    passed_on: list[str] = []
    if given[:1] == ["install"] and "--" in given:  # argparse would take words after it for unknown options of its own
        at = given.index("--")
        given, passed_on = given[:at], given[at + 1 :]
    for name, help_text in _VERBS.items():
        verb = verbs.add_parser(name, help=help_text, description=help_text.capitalize() + ".")
        if name in given[:1]:
            importlib.import_module(f"deskhand.cli.{name}").add_arguments(verb)
    options = parser.parse_args(given, argparse.Namespace(passed_on=passed_on))
    try:
        return int(importlib.import_module(f"deskhand.cli.{options.verb}").run(options))
    except DeskError as error:
        print(f"deskhand: {error}\n{error.recovery}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
