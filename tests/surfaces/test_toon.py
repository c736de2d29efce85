"""What the encoder writes is the format, by its own examples, and any decoder reads it back."""

import json
import math
import string
from pathlib import Path
from typing import Any

import pytest
import toon_format
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from deskhand.surfaces.axi.toon import encode

_FIXTURES = Path(__file__).parent / "toon_fixtures"


_OURS: dict[str, Any] = {"delimiter": ",", "indent": 2, "keyFolding": "off"}


def examples() -> list[Any]:
    """The examples. Some ask for another form than the one that the axi surface writes, which offers no choice."""
    found = []
    for file in sorted(_FIXTURES.glob("*.json")):
        for test in json.loads(file.read_text())["tests"]:
            asked = test.get("options", {}).items()
            wanted = ", ".join(f"{name} {value!r}" for name, value in asked if _OURS.get(name) != value)
            marks = [pytest.mark.skip(reason=f"asks for {wanted}, which is not offered")] if wanted else []
            found.append(pytest.param(test, id=f"{file.stem}: {test['name']}", marks=marks))
    return found


@pytest.mark.parametrize("test", examples())
def test_the_examples_of_the_format_are_written_as_they_stand(test: dict[str, Any]) -> None:
    assert encode(test["input"]) == test["expected"]


def test_only_examples_that_ask_for_another_form_are_left_out() -> None:
    assert len(examples()) == 153
    assert sum(bool(one.marks) for one in examples()) == 32


_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.text(max_size=30)
    | st.sampled_from(
        ["", " ", "-", "- a", "#", "# a", "null", "true", "1", "1e5", "-0", "[1]", "a: b", "a,b", '"', "\\"]
    )
)
_keys = st.text(max_size=12) | st.sampled_from(
    ["a", "a.b", "a b", "", "-", "#", "_gen", "help", "error", "[1]", "1", "é"]
)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_keys, inner, max_size=4),
    max_leaves=20,
)


def as_written(value: Any) -> Any:
    """A value as the format has it."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value == int(value) and abs(value) < 1e21 else value
    if isinstance(value, dict):
        return {key: as_written(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_written(item) for item in value]
    return value


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=_values | st.dictionaries(_keys, _values, max_size=5))
@example(value=[[]])
@example(value=[[{"a": 1}, {"a": 2}]])
@example(value={"k": [[{"a": 1}], [{"a": 2}]]})
@example(value=[{}])
@example(value=[{"a": [{"b": 1}]}])
@example(value=[{"a": {}}])
@example(value={"a": {"b": {}}})
@example(value=[[[1, 2], []], {"x": [[]]}])
@example(value=[{"a": [1], "b": 2}, {"a": [1], "b": 2}])
@example(value=[{"": 1}, {"": 2}])
def test_a_decoder_reads_back_what_is_written(value: Any) -> None:
    assert toon_format.decode(encode(value)) == as_written(value)


@settings(max_examples=200, deadline=None)
@given(rows=st.integers(1, 5), columns=st.lists(_keys, min_size=1, max_size=5, unique=True), data=st.data())
def test_a_table_is_written_as_one_and_read_back(rows: int, columns: list[str], data: st.DataObject) -> None:
    table = [{column: data.draw(_scalars) for column in columns} for _ in range(rows)]
    text = encode({"t": table})
    assert text.startswith(f"t[{rows}]{{")
    assert len(text.splitlines()) >= rows + 1
    assert text.count("\n") == rows
    assert toon_format.decode(text) == {"t": as_written(table)}


_ODD = [*map(chr, range(0xA1)), "\u2028", "\u2029", "\ufeff", "\u200b", "\u202e", "\U0001f600", "\ud7ff", "\ue000"]


@pytest.mark.parametrize("place", ["{}", "a{}", "{}b", "a{}b", "{0}{0}"])
def test_every_odd_character_comes_back_wherever_it_stands(place: str) -> None:
    for character in _ODD:
        text = place.format(character)
        for value in (text, {"key": text}, {text: 1}, {"list": [text, text]}, {"table": [{text: text}]}):
            written = encode(value)
            assert toon_format.decode(written) == value, (value, written)


def test_no_text_ever_breaks_its_line() -> None:
    for character in _ODD:
        for text in (f"a{character}b", f"{character}error: no", f"a{character}_gen: 5"):
            assert "\n" not in encode({"key": text})
            assert "\r" not in encode({"key": text})
            assert encode({"rows": [{"cell": text}]}).count("\n") == 1


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e16, "10000000000000000"),
        (1e20, "100000000000000000000"),
        (1e-5, "0.00001"),
        (1.5e-6, "0.0000015"),
        (1.2345678901234568e-05, "0.000012345678901234568"),
        (math.pi, "3.141592653589793"),
        (2**53, "9007199254740992"),
        (-(2**70), "-1180591620717411303424"),
        (math.nan, "null"),
        (math.inf, "null"),
        (-math.inf, "null"),
        (True, "true"),
    ],
)
def test_numbers_are_written_shortest(number: float, written: str) -> None:
    assert encode(number) == written


@settings(max_examples=400, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_comes_back_as_it_was(number: float) -> None:
    written = encode({"n": number}).removeprefix("n: ")
    assert float(written) == number
    if number and 1e-6 <= abs(number) < 1e21:
        assert "e" not in written
        assert not written.endswith(".0")


@pytest.mark.parametrize("text", ["05", "+1", "1e5", "1E+5", "-3", "1.50", "-", "-x", "- x", "null", "True", "none"])
def test_text_that_could_be_taken_for_something_else_is_quoted(text: str) -> None:
    could_be = text not in ("True", "none")
    assert encode({"t": text}) == (f't: "{text}"' if could_be else f"t: {text}")


def test_plain_keys_are_not_quoted() -> None:
    for key in ("a", "_a", "A.b", "x1", "_gen"):
        assert encode({key: 1}) == f"{key}: 1"
    for key in ("1a", "a-b", "a b", "", "é", ".a", *string.punctuation.replace("_", "")):
        assert encode({key: 1}).startswith('"')
