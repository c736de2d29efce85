"""Which tools are served: all of a surface, or those that somebody chose."""

from collections.abc import Collection

from deskhand.guard.policy import Policy
from deskhand.model.errors import BadPolicy, UnknownTool
from deskhand.surfaces.axi import Axi
from deskhand.surfaces.surface import Surface
from deskhand.tools import AnyTool, Effect


def chosen_surface(
    only: Collection[str] | None = None, without: Collection[str] = (), *, read_only: bool = False, strict: bool = False
) -> Surface:
    """The surface with the tools that are wished for. Raises UnknownTool for a name that no tool has."""
    surface = Axi(strict=strict)
    for name in (*(only or ()), *without):
        if name not in surface.tools:
            raise UnknownTool(f"there is no tool called {name!r}", recovery="run `deskhand tools` to see them all")

    def is_kept(tool: AnyTool) -> bool:
        # What needs the seat is not read-only: taking it keeps others from acting.
        harmless = tool.effect is Effect.READS and not tool.session
        wanted = only is None or tool.name in only
        return wanted and tool.name not in without and (harmless or not read_only)

    surface.tools = surface.tools.only(is_kept)
    return surface


def check_tools_of(policy: Policy) -> None:
    """Raise BadPolicy where a policy denies a tool that there is not: it is misspelt, and would deny nothing."""
    for rule in policy.tools:
        if not any(rule.words.fits(tool.name) for tool in Axi.tools):
            raise BadPolicy(f"{rule.place}: there is no tool called {rule.words.said}")
