"""`deskhand tools`: what there is to call."""

import argparse
import json

from deskhand.cli.surfaces import surfaces
from deskhand.surfaces.chosen import chosen_surface
from deskhand.tools import Effect


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.add_argument("name", nargs="?", help="tell all about this tool")
    parser.add_argument("--surface", type=surfaces, default=("axi",), metavar="NAME,…", help="axi, computer, or all")
    parser.add_argument("--json", action="store_true", help="print what tools/list answers")


def run(options: argparse.Namespace) -> int:
    """Print the tools."""
    surface = chosen_surface([options.name] if options.name else None, names=options.surface)
    if options.json or options.name:
        listing = surface.listing()
        print(json.dumps(listing[0] if options.name else listing, indent=2, ensure_ascii=False))
        return 0
    width = max(len(tool.name) for tool in surface.tools)
    for tool in surface.tools:
        mark = "*" if tool.session else " "
        print(f"{mark} {tool.name:{width}}  {tool.description}")
    acts = sum(tool.effect is Effect.ACTS for tool in surface.tools)
    print(f"\n{len(surface.tools)} tools; those with * need the seat (acquire_session), {acts} change the screen.")
    return 0
