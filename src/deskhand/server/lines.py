"""JSON-RPC messages as lines, and lines as messages."""

import contextlib
import json
from typing import Any, Final

import mcp_types as types
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
_MESSAGE: Final = types.jsonrpc_message_adapter


class Unreadable(Exception):
    """A line that is no message; the error's line to answer with."""

    def __init__(self, request: str | int | None, code: int, message: str) -> None:
        super().__init__(message)
        self.answer = error_line(request, code, message)


def parsed(line: bytes) -> Any:
    """The JSON of a line. Raises Unreadable."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise Unreadable(None, PARSE_ERROR, "Parse error: the line is not JSON") from None


def message_of(raw: Any) -> types.JSONRPCMessage:
    """The message that some JSON is. Raises Unreadable."""
    request = raw.get("id") if isinstance(raw, dict) else None
    known = request if isinstance(request, str | int) and not isinstance(request, bool) else None
    # The SDK would take a request whose number is none for a notification, and never answer it.
    is_wrong = known is None and isinstance(raw, dict) and "id" in raw and "method" in raw
    with contextlib.suppress(ValidationError, RecursionError):
        if not is_wrong:
            return _MESSAGE.validate_python(raw, by_name=False)
    raise Unreadable(known, INVALID_REQUEST, "Invalid Request: the line is not a JSON-RPC 2.0 message")


def error_line(request: str | int | None, code: int, message: str) -> bytes:
    """The line that refuses a request; None for one whose number nobody could read."""
    return line_of({"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}})


def result_line(request: str | int | None, result: dict[str, Any]) -> bytes:
    """The line that answers a request."""
    return line_of({"jsonrpc": "2.0", "id": request, "result": result})


def notification_line(method: str, parameters: dict[str, Any]) -> bytes:
    """The line that tells something."""
    return line_of({"jsonrpc": "2.0", "method": method, "params": parameters})


def line_of(message: Any) -> bytes:
    """The line of a message."""
    try:
        return to_json(message, inf_nan_mode="null") + b"\n"
    except PydanticSerializationError:
        # What is no Unicode (half a surrogate pair, which a client can send, and hear again) cannot be written.
        return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def line_of_sdk(message: types.JSONRPCMessage) -> bytes:
    """The line of a message of the SDK's."""
    try:
        return _MESSAGE.dump_json(message, by_alias=True, exclude_unset=True) + b"\n"
    except PydanticSerializationError:
        return line_of(_MESSAGE.dump_python(message, by_alias=True, exclude_unset=True))


def plain(request: str | int) -> str | int:
    """A request's number, which the SDK takes for the same in quotes."""
    try:
        return int(request)
    except ValueError:
        return request
