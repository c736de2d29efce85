"""`deskhand desktop`: an embedded desktop alone, for programs and servers to join."""

import argparse
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from deskhand.cli.sizes import size
from deskhand.model.errors import BadArguments, Unsupported
from deskhand.model.geometry import Size
from deskhand.platforms.embedded.session import EmbeddedSession

_TO_JOIN = (
    "DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "AT_SPI_BUS_ADDRESS",
    "PULSE_SERVER",
    "XDG_RUNTIME_DIR",
    "HOME",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.add_argument("size", nargs="?", type=size, default=Size(1920, 1080), metavar="WIDTHxHEIGHT")
    parser.add_argument("--home", type=Path, metavar="FOLDER", help="the home of its programs (an empty one without)")
    parser.add_argument(
        "--run",
        type=_command,
        metavar="COMMAND",
        help="run this on it and end with it, instead of staying until Ctrl+C",
    )


def run(options: argparse.Namespace) -> int:
    """Start it and stay, or run a command on it; the command's exit code."""
    home = options.home.resolve() if options.home else None
    if home is not None and home.exists() and not home.is_dir():
        raise BadArguments(
            f"--home: {home} is not a folder", recovery="name a folder, or leave it out for an empty one"
        )
    signal.signal(signal.SIGTERM, _end)
    desktop = EmbeddedSession(options.size, home=home, for_agents=home is None)
    try:
        environment = desktop.environment
        if options.run:
            return _run(options.run, environment)
        _print_how_to_join(environment)
        while desktop.is_alive():
            signal.sigtimedwait([signal.SIGCHLD], 1.0)
        print("deskhand: the desktop has died", file=sys.stderr)
        return 1
    finally:
        desktop.close()


def _command(text: str) -> list[str]:
    """The words of a command line; raises ArgumentTypeError where it has none, or a quote that does not end."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a command: {error}") from None
    if not words:
        raise argparse.ArgumentTypeError("the command is empty")
    return words


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command to its end; its exit code, as a shell tells it. Raises Unsupported where it cannot be started."""
    try:
        code = subprocess.run(command, env=dict(environment), check=False).returncode
        return code if code >= 0 else 128 - code  # ended by a signal
    except OSError as error:
        raise Unsupported(
            f"{command[0]} did not start: {error.strerror}", recovery="name a program that is installed"
        ) from None


def _end(*_: object) -> None:
    raise KeyboardInterrupt


def _print_how_to_join(environment: Mapping[str, str]) -> None:
    print("# A desktop of its own. In another shell, paste these lines to start programs on it:")
    for name in _TO_JOIN:
        if name in environment:
            print(f"export {name}={shlex.quote(environment[name])}")
    print("# Then `mousepad &` shows there, and `deskhand mcp` serves it. Ctrl+C here ends it.", flush=True)
