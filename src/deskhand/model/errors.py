"""Everything that can go wrong in a way the caller can act on.

Each error says what happened (its message) and what to do next (`recovery`). Anything else that escapes a handler is
a bug: it is logged in full and the caller is told no more than its number.
"""

import contextlib
from collections.abc import Callable, Iterator


class DeskError(Exception):
    """Raised when a call cannot do what it was asked; the kinds below say why."""

    code = "error"
    recovery = "call capabilities to see the state of the server, then try again"
    acted = False
    """Whether something had been done before it went wrong: what was known of the screen is out of date."""

    typed: int | None = None
    """Of what has stopped a text: how many of its characters had been typed."""

    def __init__(self, message: str, *, recovery: str | None = None) -> None:
        super().__init__(message)
        if recovery is not None:
            self.recovery = recovery


@contextlib.contextmanager
def after_acting(note: Callable[[], str] = str) -> Iterator[None]:
    """What goes wrong in the block has already done something; `note` says what, as the end of a sentence."""
    try:
        yield
    except DeskError as error:
        error.acted = True
        error.args = (f"{error}{note()}",)
        raise


class BadArguments(DeskError):
    """Raised when an argument is unknown, of the wrong type, or outside its range."""

    code = "bad_arguments"
    recovery = "check the tool schema and correct the argument"


class MissingArgument(BadArguments):
    """Raised when an argument that the tool cannot do without is absent."""

    code = "missing_argument"
    recovery = "check the tool schema and provide the missing parameter"


class UnknownTool(DeskError):
    """Raised when no tool has the name that was called."""

    code = "unknown_tool"
    recovery = "call tools/list to see available tools"


class AppNotFound(DeskError):
    """Raised when no running or installed app is meant by a name."""

    code = "app_not_found"
    recovery = "call app_list to see running apps"


class AmbiguousApp(AppNotFound):
    """Raised when a name means several running apps; the message lists them."""

    code = "ambiguous_app"
    recovery = "name one of them by its pid"


class NotFound(DeskError):
    """Raised when a window, element or display is not there."""

    code = "not_found"
    recovery = "call inspect_ui to see what is there now"


class HandleNotFound(DeskError):
    """Raised when a handle was never given out, or its session has ended."""

    code = "handle_not_found"
    recovery = "call find_element or ax_cache for a fresh handle"


class StaleRef(DeskError):
    """Raised when a handle is from before the last act."""

    code = "stale_ref"
    recovery = "call inspect_ui or find_element to get fresh handles for the current UI state"


class ElementGone(DeskError):
    """Raised when the element behind a handle has vanished or become another."""

    code = "element_gone"
    recovery = "call inspect_ui or find_element to get fresh handles for the current UI state"


class NotPossible(DeskError):
    """Raised when the element or window is there but cannot do what was asked."""

    code = "not_possible"
    recovery = "call ax_actions to see what this element can do"


class SessionRequired(DeskError):
    """Raised when an act comes without the seat."""

    code = "session_required"
    recovery = "call acquire_session first"


class SeatTaken(SessionRequired):
    """Raised when an act comes while another session has the seat; the message names it."""

    code = "seat_taken"
    recovery = "wait until it is done, then try again; looking is possible meanwhile"


class StoppedByUser(DeskError):
    """Raised when the person at the desktop has stopped this agent."""

    code = "stopped_by_user"
    recovery = (
        "do not go on by yourself: tell the user what is done and what is not, and call request_access once they want "
        "you to go on"
    )


class Denied(DeskError):
    """Raised when the local policy forbids the target."""

    code = "policy_denied"
    recovery = "choose a different app or element"


class NotGranted(Denied):
    """Raised when the human has not granted what is to be used, or not so far."""

    code = "not_granted"
    recovery = "call request_access, and say what it is for"


class Aborted(Denied):
    """Raised when a human was asked, and has closed the question, or not answered in time."""

    code = "aborted"
    recovery = "ask the user in words what they wish; call again only when they agree"


class BadPolicy(DeskError):
    """Raised at the start when the policy cannot be used as it is written; the message names the file and the line."""

    code = "bad_policy"
    recovery = "correct the file, then start again; docs/policy.md tells what may stand in it"


class BadToken(DeskError):
    """Raised at the start when the file of the token cannot be used as it is."""

    code = "bad_token"
    recovery = "make one: (umask 077; openssl rand -hex 32 > FILE)"


class CannotListen(DeskError):
    """Raised at the start when a port or a socket cannot be listened on; the message says why."""

    code = "cannot_listen"
    recovery = "choose another port or path"


class BadConfiguration(DeskError):
    """Raised when another program's configuration cannot be changed; the message names the file and the line."""

    code = "bad_configuration"
    recovery = "correct the file, then try again"


class PermissionMissing(DeskError):
    """Raised when the system does not let this process see or act."""

    code = "permission_denied"
    recovery = "run `deskhand doctor` to see which permission is missing"


class TooFast(DeskError):
    """Raised when acts come faster than the local limit; the message says how long to wait."""

    code = "too_fast"
    recovery = "wait as long as the message says, then try again"

    def __init__(self, message: str, *, seconds: float, recovery: str | None = None) -> None:
        super().__init__(message, recovery=recovery)
        self.seconds = seconds
        """After so long it would not be."""


class NotAnswering(DeskError):
    """Raised when an app does not answer in time."""

    code = "not_answering"
    recovery = "wait for the app, or end it; other apps are not affected"


class OffScreen(DeskError):
    """Raised when a point or region lies outside every display."""

    code = "off_screen"
    recovery = "call get_screen_info to see the displays"


class DesktopLost(DeskError):
    """Raised when the X server, or another part of the desktop, has gone."""

    code = "desktop_lost"
    recovery = "start the desktop again; the server reconnects by itself at the next call"


class Unsupported(DeskError):
    """Raised when this desktop cannot do a thing at all; the message says why."""

    code = "unsupported"
    recovery = "run `deskhand doctor` to see what this desktop offers"


class Cancelled(DeskError):
    """Raised inside an act when its caller no longer wants it."""

    code = "cancelled"
    recovery = "call again when you want it after all"
