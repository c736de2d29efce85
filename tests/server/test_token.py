"""The token: whoever does not show it first learns nothing, and does nothing."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand.model.errors import BadToken
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.server.token import load_token
from tests.support.applications import eventually
from tests.support.lines import call, line_of, opened, request
from tests.support.listening import Caller, Listening, Where, connected, said_to

SECRET = "correct horse battery staple"


@pytest.fixture(scope="module")
def token_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("token") / "token"
    path.write_text(SECRET + "\n")
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def where(desktop: EmbeddedSession, token_file: Path) -> Iterator[Where]:
    """A server that every machine reaches, and that wants the token."""
    arguments = ("--host", "0.0.0.0", "--port", "0", "--token-file", str(token_file), "--verbose")
    with Listening(*arguments, environment=desktop.environment) as server:
        assert isinstance(server.where, tuple)
        assert server.where[0] == "0.0.0.0"
        yield "127.0.0.1", server.where[1]
        assert SECRET not in server.stderr
        assert "Traceback" not in server.stderr


def shown(token: Any, number: Any = 0) -> dict[str, Any]:
    return request(number, "deskhand/authenticate", {"token": token})


def answers(where: Where, *messages: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said_to(where, b"".join(map(line_of, messages)))]


def test_who_shows_it_is_served(where: Where) -> None:
    with Caller(where) as caller:
        assert caller.show(SECRET)["result"] == {}
        caller.initialize()
        caller.acquire()
        assert not caller.do("click_at", x=5, y=5).is_error


def test_it_can_be_shown_with_all_else_in_one_breath(where: Where) -> None:
    heard = answers(where, shown(SECRET, "t"), *opened(call(1, "get_screen_info")))
    assert [answer["id"] for answer in heard] == ["t", 0, 1]
    assert "result" in heard[2]


@pytest.mark.parametrize(
    "wrong", ["", SECRET[:-1], SECRET + " ", SECRET.upper(), "ü" * 20, None, 5, [SECRET], {"token": SECRET}]
)
def test_another_one_is_refused_after_a_while_and_nothing_else_is_heard(where: Where, wrong: Any) -> None:
    start = time.monotonic()
    heard = answers(where, shown(wrong, 7), shown(SECRET, 8), *opened(call(1, "get_screen_info")))
    assert time.monotonic() - start > 0.9
    assert [(answer["id"], answer["error"]["code"]) for answer in heard] == [(7, -32010)]
    assert SECRET not in str(heard)


@pytest.mark.parametrize("first", [*opened(call(1, "get_screen_info")), b"{", b"[]", b"GET / HTTP/1.1\r"])
def test_nothing_is_answered_before_it(where: Where, first: Any) -> None:
    heard = answers(where, first, shown(SECRET), *opened())
    assert len(heard) == 1
    assert heard[0]["error"]["code"] in (-32010, -32700, -32600)


def test_a_long_first_line_is_not_waited_for(where: Where) -> None:
    (line,) = said_to(where, b'"' + b"x" * 200_000, half=False)
    assert json.loads(line)["error"]["code"] == -32600


def test_who_says_nothing_is_shown_out_and_others_come_in_meanwhile(where: Where) -> None:
    silent = [connected(where) for _ in range(16)]
    try:
        eventually(lambda: b"others have not shown their token" in b"".join(said_to(where, b"", half=False)[:1]))
        for one in silent:
            one.settimeout(30)
            assert b"no token came in time" in one.recv(1000)
            assert one.recv(1000) == b""
    finally:
        for one in silent:
            one.close()
    with Caller(where) as caller:
        assert caller.show(SECRET)["result"] == {}


class TestTheFile:
    """It is looked at before anything is served."""

    def test_white_space_around_it_does_not_count(self, token_file: Path) -> None:
        assert load_token(token_file).is_shown_by(SECRET)
        assert SECRET not in repr(load_token(token_file))

    @pytest.mark.parametrize(
        ("content", "complaint"),
        [
            (b"", "is empty"),
            (b" \n", "is empty"),
            (b"short", "has 5 bytes; at least 16"),
            (b"x" * 5000, "longer than 4096"),
            (b"one line here\nand another one", "is not one line of text"),
            (b"\xff" * 20, "is not one line of text"),
        ],
    )
    def test_what_is_no_token_is_told(self, tmp_path: Path, content: bytes, complaint: str) -> None:
        path = tmp_path / "token"
        path.write_bytes(content)
        path.chmod(0o600)
        with pytest.raises(BadToken, match=complaint):
            load_token(path)

    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
    def test_others_may_not_read_or_write_it(self, tmp_path: Path, mode: int) -> None:
        path = tmp_path / "token"
        path.write_text(SECRET)
        path.chmod(mode)
        with pytest.raises(BadToken, match="others can read or write"):
            load_token(path)

    def test_what_is_no_file_is_told_and_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe", 0o600)
        for path, complaint in (("pipe", "is not a file"), (".", "is not a file"), ("none", "No such file")):
            with pytest.raises(BadToken, match=complaint):
                load_token(tmp_path / path)

    def test_another_users_is_refused(self, tmp_path: Path) -> None:
        if os.getuid() != 0:
            pytest.skip("only root can give a file away")
        path = tmp_path / "token"
        path.write_text(SECRET)
        path.chmod(0o600)
        os.chown(path, 65534, 65534)
        with pytest.raises(BadToken, match="belongs to another user"):
            load_token(path)
