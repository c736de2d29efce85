"""The errors of an X server in deskhand's words: no exception of xcffib leaves a port."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import xcffib
import xcffib.xproto

from deskhand.model.errors import DeskError, DesktopLost, NotFound

T = TypeVar("T")


def translate_errors(port: type[T]) -> type[T]:
    """Class decorator: X errors that escape its public methods become DeskErrors."""
    for name, method in list(vars(port).items()):
        if callable(method) and not name.startswith("_"):
            setattr(port, name, _translated(method))
    return port


def _translated(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except DeskError:
            raise
        except xcffib.ConnectionException as error:
            raise DesktopLost(f"the X server has gone: {error}") from None
        except (xcffib.xproto.WindowError, xcffib.xproto.DrawableError) as error:
            raise NotFound(
                "that window has gone", recovery="call list_windows_tool to see the windows there are now"
            ) from error
        except xcffib.Error as error:
            raise DeskError(f"the X server refused: {type(error).__name__}") from error

    return call
