"""What a client that comes by a socket must say first, before anything else it says is looked at."""

import json
from dataclasses import dataclass
from typing import Final

from deskhand.server.lines import INVALID_REQUEST, PARSE_ERROR, error_line, result_line
from deskhand.server.token import Token

METHOD: Final = "deskhand/authenticate"
NOT_ADMITTED: Final = -32010


@dataclass(frozen=True, slots=True)
class Verdict:
    """What comes of a client's first line."""

    is_in: bool
    answer: bytes = b""
    """What the client is told, if anything."""
    is_guess: bool = False
    """It has shown another token than ours: its answer may wait."""
    is_first_message: bool = False
    """The line belongs to the conversation."""


def judge(line: bytes, token: Token | None) -> Verdict:
    """Admit or refuse whoever begins with this line.

    Whoever begins with no JSON object is refused, token or not: a web page can make a browser send our port anything
    that begins as an HTTP request does, and its body would be lines like any others.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _refused(None, PARSE_ERROR, "Parse error: the first line is not JSON; this is no HTTP server")
    if not isinstance(message, dict):
        return _refused(None, INVALID_REQUEST, "Invalid Request: the first line is not a JSON-RPC 2.0 message")
    number = message.get("id")
    if not isinstance(number, str | int) or isinstance(number, bool):
        number = None
    if message.get("method") != METHOD:
        if token is None:
            return Verdict(is_in=True, is_first_message=True)
        return _refused(number, NOT_ADMITTED, f"this server wants a token: begin with {METHOD}")
    parameters = message.get("params")
    shown = parameters.get("token") if isinstance(parameters, dict) else None
    if token is not None and not token.is_shown_by(shown):
        return _refused(number, NOT_ADMITTED, "this is not the token of this server", is_guess=True)
    return Verdict(is_in=True, answer=result_line(number, {}))


def refusal(message: str) -> bytes:
    """The line for somebody who is not let in, whatever they would say."""
    return error_line(None, NOT_ADMITTED, message)


def _refused(number: str | int | None, code: int, message: str, *, is_guess: bool = False) -> Verdict:
    return Verdict(is_in=False, answer=error_line(number, code, message), is_guess=is_guess)
