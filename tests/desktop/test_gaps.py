"""Which characters of a text did not arrive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.desktop.gaps import Gap, gaps, in_words


@pytest.mark.parametrize(
    ("text", "before", "after", "missing"),
    [
        ("hello", "", "hello", ()),
        ("hello", "", "hell", (Gap(4, "o"),)),
        ("hello", "", "elo", (Gap(0, "h"), Gap(3, "l"))),
        ("hello", "before ", "before heo", (Gap(2, "ll"),)),
        ("hello", "around", "arohlound", (Gap(1, "el"),)),  # hlo, or ohl
        ("abc", "ab", "aab", (Gap(1, "bc"),)),
        ("abd", "abc", "ab", (Gap(2, "d"),)),  # it was selected, and has gone
        ("ac", "", "ax", (Gap(1, "c"),)),
        ("http", "", "https://example.org", ()),
        ("secret", "", "•••••", None),
        ("漢字😀", "", "漢😀", (Gap(1, "字"),)),
        ("x" * 9000, "", "x" * 100, (Gap(100, "x" * 8900),)),
    ],
)
def test_what_is_missing(text: str, before: str, after: str, missing: tuple[Gap, ...] | None) -> None:
    assert gaps(text, before, after) == missing


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_nothing_is_where_all_has_come(text: str, front: str, behind: str) -> None:
    assert not gaps(text, front + behind, front + text + behind)


@given(st.text("abcdef", min_size=1, max_size=30), st.data())
def test_what_is_left_out_is_of_the_right_length_and_where_it_is_said_to_be(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    found = gaps(text, "", text[:at] + text[at + 1 :])
    assert found is not None
    assert all(text[gap.position : gap.position + len(gap.text)] == gap.text for gap in found)
    assert sum(len(gap.text) for gap in found) >= 1


def test_it_is_said_short() -> None:
    assert in_words([Gap(3, "b")]) == "'b' at 3"
    assert in_words([Gap(0, "x" * 50)]) == f"'{'x' * 19}…' at 0"
    assert in_words([Gap(at, "b") for at in range(7)]).endswith("'b' at 4, and 2 more")
