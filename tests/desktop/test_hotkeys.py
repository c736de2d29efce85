"""Which manifests are taken, and that no file, whatever is in it, keeps the others from being read."""

import json
import os
from pathlib import Path

import pytest

from deskhand.desktop.hotkeys import HotkeyIndex

ENTRY = {"key": "a.save", "chord": "ctrl+s", "label": "Save", "kind": "action"}


def put(folder: Path, app: str, content: str) -> None:
    (folder / app).mkdir()
    (folder / app / "hotkeys.json").write_text(content)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[" * 200_000, "nested too deep"),
        (" " * (1 << 20) + "{}", "larger than 1 MiB"),
        ("{", "line 1"),
        ("\udcff", "utf-8"),
        ("[]", 'not an object with a text "app"'),
        ('{"app": "B"}', 'no list "entries"'),
        (json.dumps({"app": "B", "entries": [5]}), "entry 0: it is not an object"),
        (json.dumps({"app": "B", "entries": [ENTRY | {"chord": "hyper+s"}]}), "'hyper' in 'hyper+s' is not a modifier"),
        (json.dumps({"app": "B", "entries": [ENTRY, ENTRY]}), "the key 'a.save' stands twice"),
    ],
)
def test_a_bad_file_is_told_and_harms_no_other(tmp_path: Path, content: str, problem: str) -> None:
    put(tmp_path, "A", json.dumps({"app": "A", "entries": [ENTRY]}))
    (tmp_path / "B").mkdir()
    (tmp_path / "B" / "hotkeys.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    index = HotkeyIndex((tmp_path,))
    assert index.find("a.save", "A").chord == "ctrl+s"
    [told] = index.problems
    assert problem in told


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "B").mkdir()
    os.mkfifo(tmp_path / "B" / "hotkeys.json")
    index = HotkeyIndex((tmp_path,))
    assert index.manifests() == []
    assert "it is not a file" in index.problems[0]


def test_the_users_own_manifest_wins(tmp_path: Path) -> None:
    for place, chord in (("own", "ctrl+s"), ("system", "ctrl+x")):
        (tmp_path / place).mkdir()
        put(tmp_path / place, "A", json.dumps({"app": "A", "entries": [ENTRY | {"chord": chord}]}))
    assert HotkeyIndex((tmp_path / "own", tmp_path / "system")).find("a.save").chord == "ctrl+s"
