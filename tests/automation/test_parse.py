"""Whatever a script holds, it is understood or refused in words, and quickly; nothing of it runs before."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskhand.automation.applescript.check import check, targets
from deskhand.automation.applescript.parse import parse
from deskhand.model.errors import Denied, DeskError

_WORDS = st.sampled_from(
    [
        "tell",
        "end",
        "application",
        "process",
        '"Finder"',
        '"System',
        'Events"',
        "to",
        "activate",
        "keystroke",
        "using",
        "{command",
        "down}",
        "click",
        "button",
        "menu",
        "item",
        "of",
        "bar",
        "1",
        "window",
        "set",
        "value",
        "x",
        "repeat",
        "with",
        "i",
        "from",
        "while",
        "until",
        "if",
        "then",
        "else",
        "try",
        "on",
        "error",
        "return",
        "&",
        "+",
        "(",
        ")",
        ",",
        "{",
        "}",
        "\n",
        "\n",
        "--",
        "#",
        "(*",
        "*)",
        "¬",
        "every",
        "whose",
        "name",
        "is",
        "exists",
        "not",
        "delay",
        "0.5",
        "the",
        "clipboard",
    ]
)


def no_shell() -> None:
    raise Denied("no shell here")


def refusal_of(script: str) -> DeskError | None:
    try:
        check(parse(script), no_shell)
    except DeskError as error:
        return error
    return None


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(_WORDS, max_size=40).map(" ".join)))
def test_any_text_is_understood_or_refused_in_words(script: str) -> None:
    refusal = refusal_of(script)
    assert refusal is None or (str(refusal) and refusal.recovery)


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("delay 1\nfrobnicate", 2),
        ('tell application "X"\nreturn 1', 1),
        ("return 1\n\nend if", 3),
        ("exit repeat", 1),
        ("return undefined_thing", 1),
        ('click button "OK"', 1),
    ],
)
def test_a_refusal_names_the_line(script: str, line: int) -> None:
    with pytest.raises(DeskError, match=f"line {line}"):
        check(parse(script), no_shell)


def test_the_applications_that_a_script_tells_are_known_before_it_runs() -> None:
    script = (
        'tell application "System Events" to tell process "Mail" to keystroke "a"\ntell application "Notes" to activate'
    )
    assert {"Mail", "Notes"} <= set(targets(parse(script)))
