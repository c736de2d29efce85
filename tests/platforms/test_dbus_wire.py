"""D-Bus values come back from their bytes as they went in, and bytes that make no sense are named as such."""

import contextlib
import math
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskhand.platforms.linux.dbus import message, wire
from deskhand.platforms.linux.dbus.wire import MalformedMessage, read_body, split_signature, write_body

_INTEGERS = {"y": (0, 8), "n": (1, 16), "q": (0, 16), "i": (1, 32), "u": (0, 32), "x": (1, 64), "t": (0, 64)}
_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)


def _values_of(kind: str) -> st.SearchStrategy[Any]:
    """Any value of one complete type, as `read_body` gives it."""
    code = kind[0]
    if code in _INTEGERS:
        signed, bits = _INTEGERS[code]
        return st.integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else st.integers(0, (1 << bits) - 1)
    if code == "d":
        return st.floats(allow_nan=False)
    if code == "b":
        return st.booleans()
    if code in "so":
        return _TEXT
    if code == "g":
        return st.sampled_from(["", "s", "a{sv}", "(ii)u"])
    if code == "(":
        return st.tuples(*map(_values_of, split_signature(kind[1:-1])))
    if kind.startswith("a{"):
        key, value = split_signature(kind[2:-1])
        return st.dictionaries(_values_of(key), _values_of(value), max_size=4)
    assert code == "a", kind
    return st.lists(_values_of(kind[1:]), max_size=5)


_KEYS = st.sampled_from([*_INTEGERS, "d", "b", "s", "o", "g"])
_KINDS = st.recursive(
    _KEYS,
    lambda inner: st.one_of(
        inner.map(lambda kind: f"a{kind}"),
        st.lists(inner, min_size=1, max_size=4).map(lambda kinds: f"({''.join(kinds)})"),
        st.tuples(_KEYS, inner).map(lambda pair: f"a{{{pair[0]}{pair[1]}}}"),
    ),
    max_leaves=8,
)


@st.composite
def _bodies(draw: st.DrawFn) -> tuple[str, tuple[Any, ...]]:
    kinds = draw(st.lists(_KINDS, max_size=5))
    return "".join(kinds), tuple(draw(_values_of(kind)) for kind in kinds)


@given(_bodies())
def test_values_come_back_as_they_were_written(body: tuple[str, tuple[Any, ...]]) -> None:
    signature, values = body
    assert read_body(signature, write_body(signature, values)) == values


@given(_KINDS.flatmap(lambda kind: st.tuples(st.just(kind), _values_of(kind))))
def test_a_variant_comes_back_as_the_value_in_it(variant: tuple[str, Any]) -> None:
    assert read_body("v", write_body("v", [variant])) == (variant[1],)
    assert read_body("a{sv}", write_body("a{sv}", [{"key": variant}])) == ({"key": variant[1]},)


@given(st.lists(_KINDS, max_size=6))
def test_a_signature_splits_into_its_complete_types(kinds: list[str]) -> None:
    assert split_signature("".join(kinds)) == tuple(kinds)


@pytest.mark.parametrize(
    "signature",
    ["a", "(", ")", "()", "(i", "i)", "{", "{sv}", "a{s}", "a{sss}", "a{vs}", "a{(i)s}", "z", "a()", "((i)", "aaa",
     "v" * 256, "a" * 100 + "i", "(" * 70 + "i" + ")" * 70],
)  # fmt: skip
def test_what_is_no_signature_is_refused(signature: str) -> None:
    with pytest.raises(MalformedMessage):
        split_signature(signature)
    with pytest.raises(MalformedMessage):
        read_body(signature, bytes(64))
    with pytest.raises(MalformedMessage):
        read_body("v", write_body("g", [signature]) + bytes(64) if len(signature) < 256 else b"\xff")


def _text(words: bytes, length: int | None = None) -> bytes:
    return struct.pack("<I", len(words) if length is None else length) + words + b"\0"


@pytest.mark.parametrize(
    ("signature", "body"),
    [
        ("s", _text(b"hello")[:-3]),
        ("s", _text(b"hello", 4)),
        ("s", _text(b"hello", 0xFFFFFFFF)),
        ("s", b""),
        ("i", b"\1\2"),
        ("(ii)", bytes(7)),
        ("ai", struct.pack("<Ii", 400, 1)),
        ("ai", struct.pack("<Ii", 3, 1)),
        ("as", struct.pack("<I", 6) + _text(b"hello")),
        ("as", struct.pack("<I", 0x7FFFFFFF) + _text(b"hello")),
        ("a(so)", struct.pack("<I", 100)),
        ("g", b"\5s\0"),
        ("g", b"\2\xff\xff\0"),
        ("v", b"\1"),
        ("v", b"\2ii\0" + bytes(8)),
        ("v", b"\0\0"),
        ("a{sv}", struct.pack("<II", 60, 0) + _text(b"key") + b"\1(\0"),
    ],
)
def test_a_body_that_does_not_hold_what_its_signature_says_is_malformed(signature: str, body: bytes) -> None:
    with pytest.raises(MalformedMessage):
        read_body(signature, body)


def test_values_nested_without_end_are_malformed() -> None:
    with pytest.raises(MalformedMessage):
        read_body("v", b"\1v\0" * 20_000)


_SIGNATURES = st.one_of(
    st.lists(_KINDS, max_size=4).map("".join), st.text("ybnqiuxtdsogav(){}z", max_size=24), st.just("v")
)


@settings(max_examples=400)
@given(_SIGNATURES, st.binary(max_size=200))
def test_any_bytes_are_read_or_malformed_and_nothing_else(signature: str, body: bytes) -> None:
    with contextlib.suppress(MalformedMessage):
        read_body(signature, body)


@settings(max_examples=200)
@given(_bodies(), st.data())
def test_a_damaged_body_is_read_or_malformed_and_nothing_else(
    body: tuple[str, tuple[Any, ...]], data: st.DataObject
) -> None:
    signature, values = body
    damaged = bytearray(write_body(signature, values))
    for at in data.draw(st.lists(st.integers(0, max(0, len(damaged) - 1)), max_size=4)):
        if damaged:
            damaged[at] = data.draw(st.integers(0, 255))
    with contextlib.suppress(MalformedMessage):
        read_body(signature, bytes(damaged))


@given(st.binary(max_size=120))
def test_any_head_is_read_or_malformed_and_nothing_else(fields: bytes) -> None:
    with contextlib.suppress(MalformedMessage):
        message.read_fields(fields)


@pytest.mark.parametrize("body_signature", ["", "s", "sa{sv}"])
@pytest.mark.parametrize("destination", ["", ":1.42", "org.a11y.Bus"])
@pytest.mark.parametrize("path", ["/", "/a", "/org/a11y/atspi/accessible/1234567"])
def test_a_call_says_in_its_head_where_it_goes(destination: str, path: str, body_signature: str) -> None:
    body = b"x" * 13
    fields = message.call_fields(destination, "org.example.Face", "Do", body_signature)
    whole = message.call_message(77, path, fields, body)
    order, kind, flags, version, length, serial, fields_length = message.FIXED_HEADER.unpack_from(whole)
    assert (order, kind, flags, version, length, serial) == (message.LITTLE_ENDIAN, message.METHOD_CALL, 0, 1, 13, 77)
    assert whole[16 + fields_length + -fields_length % 8 :] == body
    found = message.read_fields(whole[16 : 16 + fields_length])
    expected = {message.PATH: path, message.INTERFACE: "org.example.Face", message.MEMBER: "Do"}
    expected |= {message.DESTINATION: destination} if destination else {}
    expected |= {message.SIGNATURE: body_signature} if body_signature else {}
    assert found == expected


def test_a_call_nobody_waits_for_says_so() -> None:
    fields = message.call_fields("", "org.example.Face", "Do", "")
    assert message.call_message(1, "/", fields, b"", expects_reply=False)[2] == 1


def test_special_numbers_come_back() -> None:
    (numbers,) = read_body("ad", write_body("ad", [[math.inf, -math.inf, math.nan, -0.0]]))
    assert numbers[:2] == [math.inf, -math.inf]
    assert math.isnan(numbers[2])
    assert math.copysign(1, numbers[3]) == -1


def test_text_that_is_no_utf_8_is_shown_as_far_as_it_goes() -> None:
    assert read_body("s", _text(b"caf\xe9")) == ("caf\N{REPLACEMENT CHARACTER}",)


def test_the_number_of_values_must_be_that_of_the_types() -> None:
    with pytest.raises(ValueError, match="zip"):
        wire.write_body("ss", ["one"])
