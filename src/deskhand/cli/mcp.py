"""`deskhand mcp`: serve the tools."""

import argparse
import asyncio
import logging
import re
import sys
from pathlib import Path

from deskhand.cli import granting
from deskhand.cli.sizes import size
from deskhand.cli.surfaces import surfaces
from deskhand.model.errors import BadArguments
from deskhand.model.frame import Coordinates, Framing
from deskhand.model.geometry import Size
from deskhand.platforms import open_session
from deskhand.platforms.base import Session
from deskhand.server.serve import Places, Wishes, listen, serve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.add_argument(
        "--embedded",
        nargs="?",
        const=Size(1920, 1080),
        type=size,
        metavar="WIDTHxHEIGHT",
        help="start a desktop of its own (1920x1080 without a size) instead of using the one around it",
    )
    parser.add_argument(
        "--surface",
        type=surfaces,
        default=("axi",),
        metavar="NAME,…",
        help="the sets of tools to serve: axi (as without this), computer, several, or all; of two tools of one name "
        "the first is served",
    )
    parser.add_argument(
        "--coordinates",
        choices=[one.value for one in Coordinates],
        default=Coordinates.SCALED.value,
        help="of the computer surface: scaled (the screenshots may be smaller than the screen) or absolute",
    )
    parser.add_argument(
        "--screenshot-size", type=size, metavar="WIDTHxHEIGHT", help="how large its screenshots are, where scaled"
    )
    granting.add_arguments(parser)
    parser.add_argument("--tools", type=_names, metavar="NAME,…", help="serve only these tools")
    parser.add_argument("--exclude-tools", type=_names, metavar="NAME,…", help="serve all tools but these")
    parser.add_argument("--read-only", action="store_true", help="serve only tools that change nothing")
    parser.add_argument(
        "--toon", choices=("axi", "strict"), default="axi", help="strict: replies any TOON decoder reads"
    )
    parser.add_argument(
        "--clicks-per-second", type=_limit, default=10, metavar="N", help="the limit of the pace (10; 0 for none)"
    )
    parser.add_argument(
        "--seat-idle",
        type=_idle,
        default=60.0,
        metavar="SECONDS",
        help="how long computer use is kept from other sessions while it does nothing (60)",
    )
    parser.add_argument(
        "--policy",
        type=Path,
        metavar="FILE",
        help="what may not be touched (policy.toml in the configuration directory)",
    )
    _add_places(parser)
    parser.add_argument("--verbose", action="store_true", help="say more on standard error")


def _add_places(parser: argparse.ArgumentParser) -> None:
    places = parser.add_argument_group("many clients at once", "by newline-delimited JSON-RPC, until Ctrl+C")
    places.add_argument("--port", type=_port, metavar="N", help="listen on this TCP port (0: a free one)")
    places.add_argument("--host", metavar="ADDRESS", help="for other machines too; needs --token-file (127.0.0.1)")
    places.add_argument("--socket", type=Path, metavar="PATH", help="listen on this Unix socket")
    places.add_argument("--token-file", type=Path, metavar="FILE", help="its token must be shown by every client")


def run(options: argparse.Namespace) -> int:
    """Serve until the input ends, or, at a port or socket, until Ctrl+C."""
    level = logging.INFO if options.verbose else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="deskhand: %(levelname)s: %(message)s")
    wishes = Wishes(
        only=options.tools,
        without=options.exclude_tools or (),
        read_only=options.read_only,
        strict=options.toon == "strict",
        clicks_per_second=options.clicks_per_second,
        policy=options.policy,
        seat_idle=options.seat_idle,
        surfaces=options.surface,
        framing=Framing(Coordinates(options.coordinates), options.screenshot_size),
        given=granting.given_by(options),
        own_desktop=options.embedded is not None,
    )
    kind = "embedded" if options.embedded else None
    places = _places(options)

    def open_desktop() -> Session:
        return open_session(kind, size=options.embedded)

    asyncio.run(listen(open_desktop, wishes, places, _announce) if places else serve(open_desktop, wishes))
    return 0


def _places(options: argparse.Namespace) -> Places | None:
    """Where to listen; None for standard input and output. Raises BadArguments for words that make no sense."""
    if options.port is None and options.host is not None:
        raise BadArguments("--host is for --port", recovery="add --port 9781")
    if options.port is None and options.socket is None:
        if options.token_file is not None:
            raise BadArguments("--token-file is for --port and --socket", recovery="add --port 9781, or leave it out")
        return None
    return Places(options.port, options.host or "127.0.0.1", options.socket, options.token_file)


def _announce(address: str) -> None:
    print(f"deskhand: listening on {address}", file=sys.stderr, flush=True)


def _port(text: str) -> int:
    """The number of a port; raises ArgumentTypeError for what is none."""
    if not re.fullmatch(r"\d{1,5}", text, re.ASCII) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, like 9781 (0 for a free one)")
    return int(text)


def _limit(text: str) -> int:
    """A number of clicks; raises ArgumentTypeError for what is none."""
    if not re.fullmatch(r"\d{1,6}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of clicks, like 10 (0 for no limit)")
    return int(text)


def _idle(text: str) -> float:
    """A number of seconds; raises ArgumentTypeError for what is none."""
    if not re.fullmatch(r"\d{1,5}(\.\d{1,3})?", text, re.ASCII) or not 1 <= float(text) <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 1 to 86400, like 60")
    return float(text)


def _names(words: str) -> tuple[str, ...]:
    """Names of tools; raises ArgumentTypeError where there is none: a server without tools is nobody's wish."""
    names = tuple(word.strip() for word in words.split(",") if word.strip())
    if not names:
        raise argparse.ArgumentTypeError(f"{words!r} names no tool; names stand with commas between them")
    return names
