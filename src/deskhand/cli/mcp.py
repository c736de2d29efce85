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
from deskhand.model.frame import Coordinates, Framing
from deskhand.model.geometry import Size
from deskhand.platforms import open_session
from deskhand.server.serve import Wishes, serve


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
    parser.add_argument("--tools", metavar="NAME,…", help="serve only these tools")
    parser.add_argument("--exclude-tools", metavar="NAME,…", help="serve all tools but these")
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
    parser.add_argument("--verbose", action="store_true", help="say more on standard error")


def run(options: argparse.Namespace) -> int:
    """Serve until the input ends."""
    level = logging.INFO if options.verbose else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="deskhand: %(levelname)s: %(message)s")
    wishes = Wishes(
        only=_names(options.tools),
        without=_names(options.exclude_tools) or (),
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
    asyncio.run(serve(lambda: open_session(kind, size=options.embedded), wishes))
    return 0


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


def _names(words: str | None) -> tuple[str, ...] | None:
    if words is None:
        return None
    return tuple(word.strip() for word in words.split(",") if word.strip())
