"""Raw arguments become typed values or an error that names what is wrong; the schema promises exactly what is taken."""

import json
import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deskhand.model.errors import BadArguments, MissingArgument
from deskhand.surfaces.axi import Axi
from deskhand.tools import ABSENT, arg
from deskhand.tools.schema import Arguments, plain
from tests.support.wild import fitting, near_misses, nested

_TOOLS = {tool.name: tool.arguments for tool in Axi.tools}
_quick = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@dataclass(frozen=True, slots=True)
class Place:
    """Arguments that several tools share."""

    x: Annotated[int, arg(ge=0, le=9)]
    label: Annotated[str, arg(max_length=5)] | None = None


def sample(
    desk: object,
    place: Place,
    text: Annotated[str, arg("What to type", private=True, max_length=20_000)],
    kind: Literal["a", "b"] = "a",
    factor: float = 1.0,
    many: Annotated[list[Annotated[str, arg(max_length=3)]], arg(max_length=2)] | None = None,
    value: Annotated[str, arg(private=True)] | int | float | None = None,  # noqa: PYI041 - an integer stays exact
) -> None:
    """A handler with parameters of every kind."""


_sample = Arguments(sample)
_good: dict[str, Any] = {"x": 1, "text": "t"}


class TestOneTool:
    """Kinds of parameters, one by one."""

    def test_values_arrive_typed_with_defaults(self) -> None:
        assert _sample.parse(_good) == {
            "place": Place(1, None),
            "text": "t",
            "kind": "a",
            "factor": 1.0,
            "many": None,
            "value": None,
        }

    def test_null_stands_for_what_is_left_out(self) -> None:
        assert _sample.parse({**_good, "kind": None, "label": None}) == _sample.parse(_good)

    @pytest.mark.parametrize(("number", "arrives"), [(3.0, 3), (3, 3)])
    def test_a_whole_number_may_have_a_point(self, number: float, arrives: int) -> None:
        place = _sample.parse({**_good, "x": number})["place"]
        assert (place.x, type(place.x)) == (arrives, int)

    @pytest.mark.parametrize(
        ("raw", "complaint"),
        [
            ({"x": 1}, "Missing required parameter: text"),
            ({"text": "t"}, "Missing required parameter: x"),
            ({**_good, "x": None}, "Missing required parameter: x"),
            ({**_good, "y": 1}, "Unknown parameter: y"),
            ({**_good, "y": None}, "Unknown parameter: y"),
            ({**_good, "place": {"x": 1}}, "Unknown parameter: place"),
            ({**_good, "x": 1.5}, "x: Input should be a valid integer"),
            ({**_good, "x": "1"}, "x: Input should be a valid integer"),
            ({**_good, "x": True}, "x: Input should be a valid integer"),
            ({**_good, "x": 10}, "x: Input should be less than or equal to 9"),
            ({**_good, "x": -1}, "x: Input should be greater than or equal to 0"),
            ({**_good, "x": 10**400}, "x: Input should be less than or equal to 9"),
            ({**_good, "x": math.nan}, "x: Input should be a valid integer"),
            ({**_good, "factor": math.nan}, "factor: Input should be a finite number"),
            ({**_good, "factor": math.inf}, "factor: Input should be a finite number"),
            ({**_good, "factor": "1"}, "factor: Input should be a valid number"),
            ({**_good, "kind": "c"}, "kind: Input should be 'a' or 'b'"),
            ({**_good, "text": 5}, "text: Input should be a valid string"),
            ({**_good, "text": "\ud800"}, "text: Input should be a valid string"),
            ({**_good, "text": "x" * 20_001}, "text: String should have at most 20000 characters"),
            ({**_good, "label": "too long"}, "label: String should have at most 5 characters"),
            ({**_good, "many": "ab"}, "many: Input should be a valid list"),
            ({**_good, "many": ["a", "b", "c"]}, "many: List should have at most 2 items"),
            ({**_good, "many": ["a", 5]}, "many.1: Input should be a valid string"),
            ({**_good, "value": []}, "value: Input should be a valid string; Input should be a valid integer"),
        ],
    )
    def test_what_is_wrong_is_named(self, raw: dict[str, Any], complaint: str) -> None:
        with pytest.raises(BadArguments) as raised:
            _sample.parse(raw)
        assert str(raised.value).startswith(complaint)
        assert raised.value.recovery
        assert isinstance(raised.value, MissingArgument) == complaint.startswith("Missing")

    def test_a_limit_of_its_own_goes_before_the_general_one(self) -> None:
        assert len(_sample.parse({**_good, "text": "x" * 20_000})["text"]) == 20_000
        with pytest.raises(BadArguments, match="at most 10000"):
            _sample.parse({**_good, "value": "x" * 10_001})

    def test_an_error_quotes_nothing_that_was_sent(self) -> None:
        for wrong in ({"x": "secret"}, {"text": ["secret"]}, {"kind": "secret"}, {"value": ["secret"]}):
            with pytest.raises(BadArguments) as raised:
                _sample.parse({**_good, **wrong})
            assert "secret" not in str(raised.value)

    def test_the_schema_says_what_a_model_needs_and_no_more(self) -> None:
        assert _sample.schema == {
            "type": "object",
            "properties": {
                "x": {"type": "integer", "minimum": 0, "maximum": 9},
                "label": {"type": "string"},
                "text": {"type": "string", "description": "What to type"},
                "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
                "factor": {"type": "number", "default": 1},
                "many": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
                "value": {"anyOf": [{"type": "string"}, {"type": "number"}]},
            },
            "required": ["x", "text"],
            "additionalProperties": False,
        }

    def test_private_values_are_told_by_their_length(self) -> None:
        raw = {**_good, "text": "secret", "value": "geheim", "kind": "a", "label": "l"}
        assert _sample.tellable(raw) == {"x": 1, "label": "l", "text_length": 6, "value_length": 6}
        assert _sample.are_private(raw)
        assert not _sample.are_private({"x": 1, "value": None})


@pytest.mark.parametrize("name", _TOOLS)
class TestEveryTool:
    """What holds for the arguments of each."""

    def test_what_the_schema_allows_is_taken(self, name: str) -> None:
        @_quick
        @given(raw=fitting(_TOOLS[name].schema))
        def check(raw: dict[str, Any]) -> None:
            _TOOLS[name].parse(raw)
            told = _TOOLS[name].tellable(raw)
            assert not {"text", "value"} & set(told)
            json.dumps(told)

        check()

    def test_what_it_forbids_is_refused_in_words(self, name: str) -> None:
        schema = _TOOLS[name].schema
        validator = jsonschema.Draft202012Validator(schema)

        @_quick
        @given(raw=near_misses(schema))
        def check(raw: dict[str, Any]) -> None:
            plainly = {key: value for key, value in raw.items() if value is not None or key not in schema["properties"]}
            complaint = _complaint_of(_TOOLS[name], raw)
            if validator.is_valid(plainly):
                # Beyond the schema there are lengths of texts, and numbers that JSON does not have.
                assert complaint is None or _is_odd(raw), (raw, complaint)
            else:
                assert complaint, raw

        check()


def _complaint_of(arguments: Arguments, raw: dict[str, Any]) -> str | None:
    try:
        arguments.parse(raw)
    except BadArguments as error:
        return f"{error} ({error.recovery})"
    return None


def _is_odd(raw: dict[str, Any]) -> bool:
    """Whether there is an empty or long text, one that is no Unicode, or a number that is not finite."""
    texts = [str(item) for value in raw.values() for item in (value if isinstance(value, list) else [value])]
    numbers = [value for value in raw.values() if isinstance(value, float)]
    return any(
        not text or len(text) > 20 or any("\ud800" <= one <= "\udfff" for one in text) for text in texts
    ) or not all(map(math.isfinite, numbers))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=5))
def test_plain_values_stay_as_they_are(value: Any) -> None:
    assert plain(value) == value


def test_absent_fields_are_left_out() -> None:
    @dataclass(frozen=True, slots=True)
    class Result:
        a: int
        b: str = ABSENT

    assert plain(Result(1)) == {"a": 1}
    assert plain([Result(1, "x"), {"k": ABSENT}]) == [{"a": 1, "b": "x"}, {}]
    assert not ABSENT


def test_deep_nests_are_refused_like_any_other_junk() -> None:
    for depth in (10, 500, 5000):
        with pytest.raises(BadArguments):
            _sample.parse({**_good, "text": nested(depth)})
