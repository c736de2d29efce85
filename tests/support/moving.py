"""Moving and resizing the windows of applications, as a user would."""

from deskhand.model.geometry import Rect
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.x11.connection import XServer
from tests.support.applications import Application, eventually

_X, _Y, _WIDTH, _HEIGHT = 1, 2, 4, 8


def move(desktop: EmbeddedSession, application: Application, x: int, y: int) -> Rect:
    """Put an application's window somewhere else; where its contents are then."""
    return _configure(desktop, application, _X | _Y, [x, y])


def resize(desktop: EmbeddedSession, application: Application, width: int, height: int) -> Rect:
    """Make an application's window another size; where its contents are then."""
    return _configure(desktop, application, _WIDTH | _HEIGHT, [width, height])


def _configure(desktop: EmbeddedSession, application: Application, mask: int, values: list[int]) -> Rect:
    window = application.running.windows[0]
    server = XServer(desktop.environment)
    try:
        server.core.ConfigureWindow(window.id, mask, values)
        server.sync()
    finally:
        server.close()

    def now() -> Rect:
        return next(one.bounds for one in application.running.windows if one.id == window.id)

    eventually(lambda: now() != window.bounds, what="another place of the window")
    last = [window.bounds]

    def at_rest() -> bool:
        last.append(now())
        return last[-1] == last[-2]

    eventually(at_rest, what="the window at rest")
    return now()
