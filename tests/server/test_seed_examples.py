"""The examples of the reference document of the computer surface, piped into the server as they stand there."""

import base64
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from PIL import Image

from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.client import session_of

_INITIALIZE = """{
  "jsonrpc": "2.0",
  "id": 1,
  "method": "initialize",
  "params": {
    "protocolVersion": "2024-11-05",
    "capabilities": {},
    "clientInfo": { "name": "allternit-client", "version": "1.0.0" }
  }
}"""
_LIST = """{
  "jsonrpc": "2.0",
  "id": 2,
  "method": "tools/list",
  "params": {}
}"""
_CALL = """{
  "jsonrpc": "2.0",
  "id": 3,
  "method": "tools/call",
  "params": {
    "name": "computer",
    "arguments": {
      "action": "screenshot"
    }
  }
}"""


@pytest.fixture(scope="module")
def surroundings(desktop: EmbeddedSession) -> dict[str, str]:
    return session_of(desktop.environment)


def piped(text: str, surroundings: Mapping[str, str]) -> list[dict[str, Any]]:
    """What `echo TEXT | deskhand --computer-use-mcp` answers, a message a line."""
    ended = subprocess.run(
        [sys.executable, "-m", "deskhand", "--computer-use-mcp"],
        input=f"{text}\n".encode(),
        capture_output=True,
        check=False,
        env={**os.environ, **surroundings},
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_initialize(surroundings: dict[str, str]) -> None:
    (answer,) = piped(_INITIALIZE, surroundings)
    assert answer["id"] == 1
    assert answer["result"]["protocolVersion"] == "2024-11-05"
    assert "tools" in answer["result"]["capabilities"]
    assert answer["result"]["serverInfo"]["name"] == "deskhand"


def test_tools_list_without_a_handshake(surroundings: dict[str, str]) -> None:
    (answer,) = piped(_LIST, surroundings)
    assert answer["id"] == 2
    computer = answer["result"]["tools"][0]
    assert computer["name"] == "computer"
    schema = computer["inputSchema"]
    assert schema["type"] == "object"
    assert schema["required"] == ["action"]
    promised = "screenshot mouse_move left_click right_click double_click triple_click scroll type key hold_key wait"
    assert set(f"{promised} cursor_position".split()) <= set(schema["properties"]["action"]["enum"])
    coordinate = {key: value for key, value in schema["properties"]["coordinate"].items() if key != "description"}
    assert coordinate == {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    assert schema["properties"]["text"]["type"] == "string"


def test_a_call_without_a_handshake(surroundings: dict[str, str]) -> None:
    (answer,) = piped(_CALL, surroundings)
    assert set(answer) == {"jsonrpc", "id", "result"}
    assert answer["id"] == 3
    assert answer["result"]["isError"] is False
    (block,) = answer["result"]["content"]
    assert (block["type"], block["mimeType"]) == ("image", "image/jpeg")
    assert block["data"].startswith("/9j/4AAQ")
    with Image.open(io.BytesIO(base64.b64decode(block["data"]))) as image:
        assert image.size == (1366, 768)


def test_all_three_in_one_conversation(surroundings: dict[str, str]) -> None:
    answers = piped(f"{_INITIALIZE}\n{_LIST}\n{_CALL}", surroundings)
    assert [one["id"] for one in answers] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "number", "code"),
    [
        ('{\n  "jsonrpc": "2.0",\n  "id": 4,\n  "method": "no/such"\n}', 4, -32601),
        ('{\n  "jsonrpc": "2.0",\n  "id": 4,\n', None, -32700),
        ("{\nhello\n}", None, -32700),
        ('{\n  "id": 5,\n  "method": "tools/list"\n}', 5, -32600),
    ],
)
def test_what_is_wrong_is_told(text: str, number: Any, code: int, surroundings: dict[str, str]) -> None:
    answers = piped(text, surroundings)
    assert {(one["id"], one["error"]["code"]) for one in answers} == {(number, code)}
