"""The command line: its verbs, each in a file of its own that loads when it is called."""

import argparse
import contextlib
import errno
import importlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
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
    try:
        with _ending_quietly():
            options = _read(list(sys.argv[1:] if argv is None else argv))
            verb = importlib.import_module(f"deskhand.cli.{options.verb}")
        code = int(verb.run(options))
        if sys.stdout is not None:
            sys.stdout.flush()
    except DeskError as error:
        print(f"deskhand: {error}\n{error.recovery}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except OSError as error:
        return _without_output(error)
    return code


def _read(given: list[str]) -> argparse.Namespace:
    """What a command line says. Ends the process where it makes no sense, or asks for help."""
    parser = argparse.ArgumentParser(
        prog="deskhand",
        description="A desktop for AI agents: see it, act on it, safely, over MCP.",
        epilog="deskhand VERB --help tells more about a verb.",
    )
    parser.add_argument("--version", action="version", version=f"deskhand {__version__}")
    parser.add_argument(_COMPUTER_USE, action="store_true", help="the same as: mcp --surface computer")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
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
    return parser.parse_args(given, argparse.Namespace(passed_on=passed_on))


@contextlib.contextmanager
def _ending_quietly() -> Iterator[None]:
    """Have Ctrl+C end the process on the spot: while modules load, nothing has begun that would have to be ended."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # whoever started us has it ignored
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _without_output(error: OSError) -> int:
    """The exit code where nobody reads what is printed any more (`deskhand tools | head`), or the disk is full."""
    if error.errno not in (errno.EPIPE, errno.ENOSPC) or sys.stdout is None:
        raise error
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter writes what is left at its end
    if error.errno == errno.EPIPE:
        return 128 + signal.SIGPIPE
    print(f"deskhand: the output cannot be written: {error.strerror}", file=sys.stderr)
    return 1
