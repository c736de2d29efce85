"""Scripts of values alone, run: each comes to a result or to an error in words, however its values grow and nest."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskhand.automation.applescript import Context, play
from deskhand.automation.applescript.values import WrongValue
from deskhand.model.errors import DeskError
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform

_ATOMS = st.one_of(
    st.sampled_from(
        ["x", "y", "0", "-1", "1.5", "1e308", "1e15", '"a"', '"5"', '""', '"é"', "true", "missing value", "{}"]
    ),
    st.integers(-(10**20), 10**20).map(lambda number: f"({number})"),
)
_BETWEEN = st.sampled_from(
    [
        "+", "-", "*", "/", "div", "mod", "^", "&", "=", "≠", "<", ">=", "and", "or", "contains", "is in", "starts with",
        "does not contain", "is not",
    ]
)  # fmt: skip
_AROUND = st.sampled_from(
    [
        "({})", "{{{}}}", "{{{0}, {0}}}", "not ({})", "-({})", "({}) as text", "({}) as integer", "({}) as list",
        "({}) as number", "({}) as boolean", "count of ({})", "length of ({})", "item 1 of ({})", "item -1 of ({})",
        "character 1 of ({})", "characters of ({})", "items of ({})", "quoted form of ({})", "name of ({})",
        "item ({}) of {{1, 2}}",
    ]
)  # fmt: skip


def _grown(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    around = st.tuples(_AROUND, smaller).map(lambda pair: pair[0].format(pair[1]))
    between = st.tuples(smaller, _BETWEEN, smaller).map(lambda parts: f"({' '.join(parts)})")
    return st.one_of(around, between)


_EXPRESSIONS = st.recursive(_ATOMS, _grown, max_leaves=8)
_STATEMENTS = st.one_of(
    st.tuples(st.sampled_from("xy"), _EXPRESSIONS).map(lambda pair: f"set {pair[0]} to {pair[1]}"),
    _EXPRESSIONS.map(lambda one: f"if {one} then set x to 1"),
    _EXPRESSIONS.map(lambda one: f"repeat with y in {one}\nset x to y\nend repeat"),
    _EXPRESSIONS.map(lambda one: f"repeat with y from 1 to {one}\nset x to y & x\nend repeat"),
    _EXPRESSIONS.map(lambda one: f"try\nset x to {one}\non error x number y\nlog x\nend try"),
    _EXPRESSIONS.map(lambda one: f"repeat 20 times\nset x to {one}\nend repeat"),
    _EXPRESSIONS.map(lambda one: f"log {one}"),
)


@pytest.fixture(scope="module")
def context(platform: Platform) -> Context:
    """A desktop, and all that is allowed."""
    return Context(platform, Turn(), lambda text, names: None, lambda: None)


def outcome(context: Context, script: str) -> Any:
    try:
        return play(script, context).result
    except DeskError as error:
        return error


@settings(max_examples=300, deadline=None)
@given(st.lists(_STATEMENTS, min_size=1, max_size=5))
def test_any_values_come_to_a_result_or_an_error_with_its_line(context: Context, statements: list[str]) -> None:
    script = "\n".join(["set x to 1", 'set y to "b"', *statements, "return {x, y}"])
    found = outcome(context, script)
    assert isinstance(found, str) or str(found).startswith("line "), (script, found)


@pytest.mark.parametrize(
    ("step", "times"),
    [
        ("set x to {x}", 1000),
        ("set x to {x, x}", 200),
        ("set x to x & x", 200),
        ('set x to "" & x & x', 200),
        ("set x to {x & x}", 200),
        ("set x to x * x + 2", 2000),
        ("set x to x ^ 9 + 2", 2000),
    ],
)
def test_what_grows_without_end_is_stopped_with_its_line(context: Context, step: str, times: int) -> None:
    found = outcome(context, f"set x to {{1}} & 2\nset x to 2\nrepeat {times} times\n{step}\nend repeat\nreturn x")
    assert isinstance(found, WrongValue), f"{step} has grown: {str(found)[:200]}"
    assert str(found).startswith(f"line 4: {step!r}: ")


@pytest.mark.parametrize(
    "sum_",
    [
        "1 / 0",
        "1 div 0",
        "1 mod 0",
        "0 ^ -1",
        "(-8) ^ 0.5",
        "10 ^ 400",
        "1e999",
        "-1e999",
        "1e308 * 10",
        '"nan" + 1',
        '"inf" * 2',
    ],
)
def test_what_has_no_result_is_told_with_its_line(context: Context, sum_: str) -> None:
    found = outcome(context, f"set x to 1\nset x to {sum_}")
    assert isinstance(found, DeskError)
    assert str(found).startswith(f"line 2: 'set x to {sum_}'")


def test_many_variables_hold_no_more_than_one_may(context: Context) -> None:
    doubled = 'set s to "a"\nrepeat 16 times\nset s to s & s\nend repeat\n'
    kept = "\n".join(f'set a{number} to s & "{number}"' for number in range(200))
    found = outcome(context, doubled + kept)
    assert isinstance(found, DeskError)
    assert "more than a script may keep" in str(found)


def test_a_list_in_a_list_is_compared_in_bounds(context: Context) -> None:
    script = "set x to {1}\nrepeat 12 times\nset x to x & x\nend repeat\nreturn x contains x"
    found = outcome(context, script)
    assert isinstance(found, DeskError)
    assert "too long" in str(found)


@pytest.mark.parametrize("line", [1, 2, 40])
@pytest.mark.parametrize("opening", ["if true then", "repeat 1 times", "try", 'tell application "x"'])
def test_depth_is_refused_with_its_line(context: Context, line: int, opening: str) -> None:
    end = {"if": "end if", "re": "end repeat", "tr": "end try", "te": "end tell"}[opening[:2]]
    script = "\n" * (line - 1) + f"{opening}\n" * 200 + f"{end}\n" * 200
    found = outcome(context, script)
    assert isinstance(found, DeskError)
    assert f": {opening!r} is in too many blocks" in str(found)
