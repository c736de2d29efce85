"""Which tools are served: all of the surfaces that were named, or those that somebody chose."""

from collections.abc import Collection, Sequence
from typing import Final

from deskhand.guard.policy import Policy
from deskhand.model.errors import BadPolicy, UnknownTool
from deskhand.surfaces.axi import Axi
from deskhand.surfaces.computer import Computer
from deskhand.surfaces.joined import Joined
from deskhand.surfaces.surface import Choice, Surface

_SURFACES: Final = {one.name: one for one in (Axi, Computer)}


def chosen_surface(
    only: Collection[str] | None = None,
    without: Collection[str] = (),
    *,
    read_only: bool = False,
    strict: bool = False,
    names: Sequence[str] = ("axi",),
) -> Surface:
    """The surfaces of these names, with the tools that are wished for.

    Raises UnknownTool for a name of a tool that none of them has.
    """
    members = [Axi(strict=strict) if name == Axi.name else _SURFACES[name]() for name in names]
    surface = members[0] if len(members) == 1 else Joined(members)
    for name in (*(only or ()), *without):
        if name not in surface.tools:
            raise UnknownTool(f"there is no tool called {name!r}", recovery="run `deskhand tools` to see them all")
    surface.choose(Choice(only, without, read_only))
    return surface


def check_tools_of(policy: Policy) -> None:
    """Raise BadPolicy where a policy denies a tool that there is not: it is misspelt, and would deny nothing."""
    for rule in policy.tools:
        if not any(rule.words.fits(tool.name) for surface in _SURFACES.values() for tool in surface.tools):
            raise BadPolicy(f"{rule.place}: there is no tool called {rule.words.said}")
