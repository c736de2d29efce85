"""The input devices of an X server: which of them programs use (XTEST), and which are a person's (XInput 2)."""

from collections.abc import Sequence
from typing import Any, Final

import xcffib.xinput

from deskhand.model.errors import Unsupported
from deskhand.platforms.x11.connection import XServer

_ALL: Final = xcffib.xinput.Device.All
_MARK: Final = "XTEST Device"


def xinput_of(server: XServer, lack: str, recovery: str) -> Any:
    """The requests of XInput 2. Raises Unsupported, saying what is lacking without it, where the server has none."""
    if server.has_extension(xcffib.xinput):
        xinput: Any = server.extension(xcffib.xinput)
        if xinput.XIQueryVersion(2, 3).reply().major_version >= 2:
            return xinput
    raise Unsupported(f"this X server has no XInput 2, which tells {lack}", recovery=recovery)


def devices(xinput: Any) -> Sequence[Any]:
    """Every device, as XInput describes it."""
    described: Sequence[Any] = xinput.XIQueryDevice(_ALL).reply().infos
    return described


def is_of_programs(server: XServer, xinput: Any, device: int) -> bool:
    """Whether programs press and move with a device: the server marks it. One that has been pulled out is nobody's."""
    try:
        found = xinput.XIListProperties(device).reply()
    except xcffib.xinput.DeviceError:
        return True
    return server.atom(_MARK) in list(found.properties)
