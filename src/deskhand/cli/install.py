"""`deskhand install`: add deskhand to an MCP client."""

import argparse
import os
import shutil
import sys
from pathlib import Path

from deskhand.cli.clients.known import CLIENTS, NAME, KnownClient
from deskhand.cli.clients.rewriting import Change, content_of
from deskhand.model.errors import BadArguments, BadConfiguration


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.usage = "deskhand install [--dry-run] [--yes] CLIENT [-- WORD …]"
    parser.add_argument("client", choices=CLIENTS, metavar="CLIENT", help=f"one of {', '.join(CLIENTS)}")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    parser.add_argument("--yes", action="store_true", help="change it without asking")
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="after --: arguments of `deskhand mcp`, like --embedded"
    )


def run(options: argparse.Namespace) -> int:
    """Show the difference, ask, and write; 1 where the answer is no."""
    client = CLIENTS[options.client]
    change = _change(client, options.passed_on)
    if change.before == change.after:
        print(f"deskhand is already there, in {change.path}")
        return 0
    sys.stdout.writelines(change.difference())
    if options.dry_run:
        return 0
    if not options.yes and not _is_wanted(change.path):
        print("Nothing is changed.")
        return 1
    backup = change.make()
    print(f"deskhand is added to {change.path}" + (f"; it was {backup} before" if backup else ""))
    print(f"Start {client.title} again to see it there.")
    return 0


def _change(client: KnownClient, words: list[str]) -> Change:
    """What is to become of a client's file. Raises BadConfiguration, naming it and the line."""
    path = client.file(os.environ)
    before = content_of(path)
    _check_words(words)
    try:
        after = client.added(before or "", client.table, NAME, client.entry(_command(), words))
    except BadConfiguration as error:
        raise BadConfiguration(f"{path}: {error}; nothing is changed", recovery=error.recovery) from None
    return Change(path, Path(os.path.realpath(path)), before, after)


def _check_words(words: list[str]) -> None:
    """Find now what the client would find at its start. Ends the process as argparse does, or raises BadArguments."""
    from deskhand.cli import mcp

    if any("\ud800" <= one < "\ue000" for word in words for one in word):
        raise BadArguments("a word after -- is not UTF-8, which no client's file could hold", recovery="rename it")
    parser = argparse.ArgumentParser(prog="deskhand mcp", add_help=False)
    mcp.add_arguments(parser)
    options = parser.parse_args(words)
    if options.port is not None or options.socket is not None:
        raise BadArguments(
            "a client talks to the deskhand that it starts, not at a port or a socket",
            recovery="leave --port and --socket out",
        )


def _command() -> str:
    """What starts deskhand: its name where that is found, else where this very one is."""
    this = os.path.realpath(sys.argv[0])
    found = shutil.which(NAME)
    if found is not None and (os.path.realpath(found) == this or os.path.basename(this) != NAME):
        return NAME
    beside = os.path.join(os.path.dirname(sys.executable), NAME)
    return this if os.path.basename(this) == NAME else beside if os.path.exists(beside) else NAME


def _is_wanted(path: Path) -> bool:
    """Ask on the terminal. Raises BadConfiguration where there is none."""
    if not sys.stdin.isatty():
        raise BadConfiguration("nobody can be asked here: there is no terminal", recovery="add --yes, or --dry-run")
    try:
        return input(f"Write this to {path}? [y/n] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
