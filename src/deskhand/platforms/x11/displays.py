"""The displays of an X screen (RandR 1.5), and how large their interface is drawn."""

from collections.abc import Sequence
from typing import Any, Final

import xcffib
import xcffib.randr

from deskhand.model.display import Display
from deskhand.model.geometry import Rect
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.errors import translate_errors

_USUAL_DPI: Final = 96.0
_LOWEST_DPI, _HIGHEST_DPI = 48.0, 960.0
"""What lies outside is no resolution that somebody has chosen."""


@translate_errors
class X11Displays:
    """The monitors of an X screen."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        self._randr: Any = None
        if server.has_extension(xcffib.randr):
            self._randr = server.extension(xcffib.randr)
            version = self._randr.QueryVersion(1, 5).reply()
            if (version.major_version, version.minor_version) < (1, 5):
                self._randr = None

    def all(self) -> Sequence[Display]:
        """Every active display, the main one first, then from left to right."""
        resources = self._server.ask_property(self._server.root, "RESOURCE_MANAGER")
        asked = self._randr.GetMonitors(self._server.root, True) if self._randr else None
        scale = _scale_in(resources.text())
        monitors = list(asked.reply().monitors) if asked else []
        if not monitors:
            return (Display(0, "screen", Rect(0, 0, *self._server.screen_size()), scale, main=True),)
        monitors.sort(key=lambda one: (not one.primary, one.x, one.y))
        return tuple(
            Display(
                id=number,
                name=self._server.atom_name(one.name),
                bounds=Rect(one.x, one.y, one.width, one.height),
                scale=scale,
                main=number == 0,
            )
            for number, one in enumerate(monitors)
        )


def _scale_in(resources: str) -> float:
    """Pixels per point: X has one for all displays, which desktops write as a resolution (Xft.dpi)."""
    for line in resources.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "Xft.dpi":
            return _scale_of(value)
    return 1.0


def _scale_of(resolution: str) -> float:
    try:
        dots = float(resolution)
    except ValueError:
        return 1.0
    return round(dots / _USUAL_DPI, 2) if _LOWEST_DPI <= dots <= _HIGHEST_DPI else 1.0
