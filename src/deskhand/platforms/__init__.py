"""What each desktop can do. Only this file chooses one by its name; its libraries load when it is opened."""

import importlib
import os
from collections.abc import Mapping

from deskhand.model.errors import PermissionMissing, Unsupported
from deskhand.model.geometry import Size
from deskhand.platforms.base import Session
from deskhand.platforms.linux.around import session_environment

_SESSIONS = {"x11": "deskhand.platforms.x11.session", "embedded": "deskhand.platforms.embedded.session"}


def detect(environment: Mapping[str, str]) -> str:
    """The platform of the session around us. Raises Unsupported or PermissionMissing where there is none."""
    if environment.get("WAYLAND_DISPLAY") and environment.get("XDG_SESSION_TYPE") != "x11":
        raise Unsupported(
            "this is a Wayland session, which deskhand cannot act on yet",
            recovery="start it with --embedded for a desktop of its own, or in an X11 session",
        )
    if not environment.get("DISPLAY"):
        raise PermissionMissing(
            "there is no desktop session here: DISPLAY is not set",
            recovery="start it inside a desktop session, or with --embedded for a desktop of its own",
        )
    return "x11"


def open_session(name: str | None = None, *, size: Size | None = None) -> Session:
    """Open the desktop around us, or (`embedded`) start one of our own with a screen of `size` pixels."""
    environment = os.environ if name == "embedded" else session_environment(os.environ)
    module = importlib.import_module(_SESSIONS[name or detect(environment)])
    session: Session = module.open_session(environment, size)
    return session
