"""Lines put together to JSON texts: those of the protocol, those that people write, and what is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.server.texts import Texts

_MESSAGE = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def texts_of(*lines: bytes) -> list[bytes]:
    texts = Texts()
    return [text for line in lines for text in texts.take(line)] + texts.end()


@given(st.dictionaries(st.text(), _JSON), st.integers(0, 4), st.booleans())
def test_a_message_over_several_lines_is_one_text(value: dict[str, object], indent: int, ascii_only: bool) -> None:
    written = json.dumps({"jsonrpc": "2.0", "params": value}, indent=indent, ensure_ascii=ascii_only)
    # Line ends that are none to JSON stay in their text.
    lines = written.encode("utf-8", "surrogatepass").split(b"\n")
    assert [json.loads(text) for text in texts_of(*lines, _MESSAGE)] == [json.loads(written), json.loads(_MESSAGE)]


@given(st.lists(_JSON))
def test_messages_on_lines_of_their_own_stay_apart(values: list[object]) -> None:
    lines = [json.dumps({"jsonrpc": "2.0", "params": {"value": value}}).encode() for value in values]
    assert texts_of(*lines) == lines


@pytest.mark.parametrize(
    ("lines", "texts"),
    [
        ((b"{", b"hello", _MESSAGE), [b"{", b"hello", _MESSAGE]),
        ((b'{"jsonrpc": "2.0",', _MESSAGE), [b'{"jsonrpc": "2.0",', _MESSAGE]),
        ((b'{"id": 7', b"\xff\xfe", _MESSAGE), [b'{"id": 7', b"\xff\xfe", _MESSAGE]),
        ((b'{"id": 7, "method": "cut', _MESSAGE), [b'{"id": 7, "method": "cut', _MESSAGE]),
        ((b'{"id": 7', b'"method": 1}', _MESSAGE), [b'{"id": 7', b'"method": 1}', _MESSAGE]),
        ((b"[" * 1000, b"]" * 1000), [b"[" * 1000, b"]" * 1000]),
        ((b"{", b'"a": "}"', b"", b"}", b"{}"), [b'{\n"a": "}"\n}', b"{}"]),
        ((b"}", b"]", b"{]"), [b"}", b"]", b"{]"]),
        ((b"{", b'"id": 1,'), [b'{\n"id": 1,']),
    ],
)
def test_what_is_cut_off_takes_nothing_else_with_it(lines: tuple[bytes, ...], texts: list[bytes]) -> None:
    assert texts_of(*lines) == texts
