"""What is granted on the command line, so that nobody has to be asked."""

import argparse

from deskhand.guard.given import Flag, Given, GivenApp, given_app


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options by which something is granted to the computer surface."""
    group = parser.add_argument_group("granted to the computer surface without asking")
    group.add_argument(
        "--grant",
        action="append",
        default=[],
        type=_app,
        metavar="APP[=TIER]",
        help="an application, by its name or id; tiers: view, click, full (that of the lists, where none is named)",
    )
    group.add_argument("--grant-clipboard", action="store_true", help="reading and writing the clipboard")
    group.add_argument("--grant-system-keys", action="store_true", help="key combinations of the desktop itself")
    group.add_argument(
        "--grant-all",
        action="store_true",
        help="every application in full, the clipboard and all keys; this is so with --embedded where nothing is named",
    )


def given_by(options: argparse.Namespace) -> Given:
    """What the options grant."""
    clipboard = {Flag.CLIPBOARD_READ, Flag.CLIPBOARD_WRITE} if options.grant_clipboard else set()
    keys = {Flag.SYSTEM_KEYS} if options.grant_system_keys else set()
    return Given(tuple(options.grant), frozenset(clipboard | keys), options.grant_all)


def _app(written: str) -> GivenApp:
    try:
        return given_app(written)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
