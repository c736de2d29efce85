"""Arguments as a schema has them, and arguments that miss it by a little: what a careless client might send."""

import math
from typing import Any

from hypothesis import strategies as st

Arguments = dict[str, Any]

_TEXTS = st.text(max_size=20) | st.sampled_from(
    [
        "",
        " ",
        "\n",
        "\x00",
        "\ud800",
        "\udfff\ud83d",
        "ünïcödé 世界",
        "a\u2028b",
        "g1:1",
        "%s%n",
        "'; --",
        "../../etc",
        "-1",
        "null",
    ]
)
_NUMBERS = st.integers(-5, 5) | st.floats(-1e6, 1e6) | st.sampled_from([0, -0.0, 1e308, 2**63, -(2**63), 10**400])
_JUNK = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXTS | st.sampled_from([math.nan, math.inf, -math.inf]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def fitting(schema: dict[str, Any]) -> st.SearchStrategy[Arguments]:
    """Arguments that a tool's schema allows."""
    required = set(schema.get("required", ()))
    entries = schema["properties"].items()
    return st.fixed_dictionaries(
        {name: value_of(entry) for name, entry in entries if name in required},
        optional={name: value_of(entry) for name, entry in entries if name not in required},
    )


def value_of(entry: dict[str, Any]) -> st.SearchStrategy[Any]:
    """A value that one property allows."""
    if "anyOf" in entry:
        return st.one_of([value_of(one) for one in entry["anyOf"]])
    if "enum" in entry:
        return st.sampled_from(entry["enum"])
    low, high = entry.get("minimum"), entry.get("maximum")
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "string": st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
        "integer": st.integers(low, high),
        "number": st.integers(low, high) | st.floats(low, high, allow_nan=False, allow_infinity=False),
        "boolean": st.booleans(),
        "object": st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=10), _JUNK, max_size=4),
    }
    if entry["type"] == "array":
        return st.lists(value_of(entry["items"]), max_size=entry.get("maxItems", 3))
    return kinds[entry["type"]]


@st.composite
def near_misses(draw: st.DrawFn, schema: dict[str, Any]) -> Arguments:
    """Arguments that fit but for one thing."""
    arguments = draw(fitting(schema))
    names = sorted(schema["properties"])
    kind = draw(st.sampled_from(["unknown", "missing", "junk", "too much", "too long", "deep"]))
    if kind == "missing" and schema.get("required"):
        del arguments[draw(st.sampled_from(schema["required"]))]
    elif kind == "unknown" or not names:
        arguments[draw(_TEXTS.filter(lambda name: name not in names))] = draw(_JUNK)
    elif kind == "too long":
        arguments[draw(st.sampled_from(names))] = "x" * draw(st.sampled_from([41, 201, 10_001, 100_001]))
    elif kind == "deep":
        arguments[draw(st.sampled_from(names))] = nested(draw(st.sampled_from([3, 60, 300])))
    elif kind == "too much":
        arguments[draw(st.sampled_from(names))] = draw(
            st.sampled_from([10**9, -(10**9), 1e300, 10**400, math.inf, math.nan])
        )
    else:
        arguments[draw(st.sampled_from(names))] = draw(_JUNK)
    return arguments


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value
