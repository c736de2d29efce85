"""Hotkey manifests: read entry by entry, from many places, and no bad file spoils another."""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.desktop.hotkeys.files import SHIPPED
from deskhand.desktop.hotkeys.index import HotkeyIndex
from deskhand.desktop.hotkeys.manifest import BadManifest, Manifest, Source, parse, parse_text
from deskhand.model.errors import BadArguments, NotFound


def entry(key: str = "app.do", chord: str = "ctrl+d", label: str = "Do", kind: str = "action") -> dict[str, Any]:
    return {"key": key, "chord": chord, "label": label, "kind": kind}


def manifest(*entries: Any, app: str = "App") -> dict[str, Any]:
    return {"app": app, "app_version": "1", "entries": list(entries)}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two data folders of this test's own: the user's, and one of the system's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "mine"))
    monkeypatch.setenv("XDG_DATA_DIRS", f"{tmp_path / 'none'}:{tmp_path / 'system'}")
    return tmp_path


@pytest.fixture
def index(data: Path) -> HotkeyIndex:
    return HotkeyIndex(lambda: data / "state")


def publish(folder: Path, app: str, content: Mapping[str, Any] | bytes) -> Path:
    path = folder / app / "hotkeys.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def keys(index: HotkeyIndex, app: str) -> list[tuple[str, str, str]]:
    return [(one.key, one.chord, one.source.value) for one in index.search(app)]


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.json")), ids=lambda file: file.stem)
def test_what_is_shipped_is_right(file: Path) -> None:
    found = parse_text(file.read_bytes(), Source.SHIPPED)
    assert found.problems == ()
    assert len(found.entries) >= 10
    assert len({one.key.partition(".")[0] for one in found.entries}) == 1


class TestEntries:
    """What an entry may say."""

    @pytest.mark.parametrize(
        ("bad", "problem"),
        [
            (5, "it is not an object"),
            ({"key": "a.b"}, 'it has no text "chord"'),
            (entry(key="no spaces"), "the key 'no spaces' is not a dotted name like editor.file.save"),
            (entry(key="a..b"), "the key 'a..b' is not a dotted name"),
            (entry(key=""), 'it has no text "key"'),
            (entry(kind="window"), "the kind 'window' is none of action, view, panel, modal, toggle"),
            (entry(chord="hyper+x"), "'hyper' in 'hyper+x' is not a modifier"),
            (entry(chord="ctrl+spcae"), "no key is called 'spcae' (did you mean"),
            (entry(chord="ctrl+"), "has an empty part"),
            (entry(label="x" * 201), 'its "label" is longer than 200 characters'),
            (entry(label="two\nlines"), 'its "label" holds characters that cannot be shown'),
            (entry(label="\ud800"), 'its "label" holds characters that cannot be shown'),
            (entry() | {"chord": 5}, 'it has no text "chord"'),
        ],
    )
    def test_a_bad_one_is_named_and_left_out(self, bad: Any, problem: str) -> None:
        found = parse(manifest(entry("app.first"), bad, entry("app.last")), Source.MANIFEST)
        assert [one.key for one in found.entries] == ["app.first", "app.last"]
        assert len(found.problems) == 1
        assert found.problems[0].startswith("entry 2: ")
        assert problem in found.problems[0]

    def test_a_key_stands_for_one_thing(self) -> None:
        found = parse(manifest(entry(), entry(label="Again")), Source.MANIFEST)
        assert [one.label for one in found.entries] == ["Do"]
        assert found.problems == ("entry 2: the key 'app.do' stands twice",)

    def test_there_may_not_be_too_many(self) -> None:
        found = parse(manifest(*(entry(f"app.k{number}") for number in range(2100))), Source.MANIFEST)
        assert len(found.entries) == 2000
        assert found.problems == ("entry 2001: there are too many",)

    @pytest.mark.parametrize(
        ("raw", "problem"),
        [
            ([], "it is not an object"),
            ({}, 'it has no text "app"'),
            ({"app": " ", "entries": []}, 'it has no text "app"'),
            ({"app": "App"}, 'it has no list "entries"'),
            ({"app": "App", "entries": {}}, 'it has no list "entries"'),
        ],
    )
    def test_what_is_no_manifest_is_refused(self, raw: Any, problem: str) -> None:
        with pytest.raises(BadManifest, match=problem):
            parse(raw, Source.MANIFEST)

    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["app", "entries", "key", "chord", "label", "kind"]), inner)))  # fmt: skip
    def test_whatever_it_is_it_is_read_or_refused(self, raw: Any) -> None:
        with contextlib.suppress(BadManifest):
            assert isinstance(parse(raw, Source.MANIFEST), Manifest)


class TestFiles:
    """Where manifests come from."""

    def test_the_users_win_over_the_systems_and_those_over_what_is_shipped(
        self, index: HotkeyIndex, data: Path
    ) -> None:
        publish(data / "mine", "App", manifest(entry(chord="ctrl+1")))
        publish(data / "system", "app", manifest(entry(chord="ctrl+2"), entry("app.more")))
        publish(data / "mine", "Mousepad", manifest(entry("mousepad.file.save", "f2"), app="Mousepad"))
        assert keys(index, "App") == [("app.do", "ctrl+1", "manifest"), ("app.more", "ctrl+d", "manifest")]
        assert index.find("mousepad.file.save").chord == "f2"
        assert index.find("mousepad.file.open").source is Source.SHIPPED

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b"{", "it is not JSON: Expecting property name enclosed in double quotes in line 1"),
            (b"\xff\xfe{}", "it is not UTF-8"),
            (b"", "it is not JSON"),
            (b"[" * 100_000, "it is nested too deeply"),
            (b"9" * 10_000, "it is not JSON that can be read"),
            (b" " * ((1 << 20) + 1), "it is larger than 1 MiB"),
            (b"[]", "it is not an object"),
        ],
    )
    def test_a_bad_file_is_named_and_spoils_nothing(
        self, content: bytes, problem: str, index: HotkeyIndex, data: Path
    ) -> None:
        bad = publish(data / "mine", "Bad", content)
        publish(data / "mine", "Good", manifest(entry("good.do"), app="Good"))
        assert index.find("good.do").app == "Good"
        (told,) = index.problems()
        assert told.startswith(f"{bad}: {problem}")

    def test_what_is_no_file_is_not_waited_for(self, index: HotkeyIndex, data: Path) -> None:
        for name in ("Pipe", "Folder", "Nowhere", "Endless", "Round"):
            (data / "mine" / name).mkdir(parents=True)
        os.mkfifo(data / "mine" / "Pipe" / "hotkeys.json")
        (data / "mine" / "Folder" / "hotkeys.json").mkdir()
        (data / "mine" / "Nowhere" / "hotkeys.json").symlink_to("/nowhere")
        (data / "mine" / "Endless" / "hotkeys.json").symlink_to("/dev/zero")
        (data / "mine" / "Round" / "hotkeys.json").symlink_to("hotkeys.json")
        index.rescan()
        told = sorted(problem.removeprefix(str(data / "mine")) for problem in index.problems())
        assert told == [
            "/Endless/hotkeys.json: it is not a file",
            "/Folder/hotkeys.json: it is not a file",
            "/Nowhere/hotkeys.json: No such file or directory",
            "/Pipe/hotkeys.json: it is not a file",
            "/Round/hotkeys.json: it is a link that leads nowhere",
        ]

    def test_a_linked_file_is_read_and_a_mark_of_its_encoding_is_none(self, index: HotkeyIndex, data: Path) -> None:
        (data / "store.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(manifest(entry())).encode())
        (data / "mine" / "App").mkdir(parents=True)
        (data / "mine" / "App" / "hotkeys.json").symlink_to(data / "store.json")
        assert index.find("app.do").chord == "ctrl+d"

    def test_what_a_bad_file_holds_is_not_told(self, index: HotkeyIndex, data: Path) -> None:
        publish(data / "mine", "App", b"secret: hush\n")
        index.rescan()
        assert "hush" not in "".join(index.problems())


class TestWhatIsKept:
    """Registered manifests, and learned ones."""

    def test_what_was_registered_outlives_the_server_and_wins(self, index: HotkeyIndex, data: Path) -> None:
        publish(data / "mine", "App", manifest(entry(chord="ctrl+1")))
        index.register(parse(manifest(entry(chord="f9")), Source.REGISTERED))
        for one in (index, HotkeyIndex(lambda: data / "state")):
            assert keys(one, "App") == [("app.do", "f9", "registered")]

    def test_registering_again_takes_the_place_of_what_was_and_nothing_takes_it_away(
        self, index: HotkeyIndex, data: Path
    ) -> None:
        index.register(parse(manifest(entry("app.one"), entry("app.two")), Source.REGISTERED))
        index.register(parse(manifest(entry("app.three"), app="APP"), Source.REGISTERED))
        assert [key for key, _, _ in keys(index, "App")] == ["app.three"]
        index.register(parse(manifest(), Source.REGISTERED))
        assert keys(index, "App") == []
        assert not list((data / "state" / "hotkeys" / "registered").iterdir())

    @pytest.mark.parametrize("app", ["../../escape", "/etc/passwd", "漢字", "..", "a" * 100])
    def test_no_name_leads_out_of_the_folder(self, app: str, index: HotkeyIndex, data: Path) -> None:
        index.register(parse(manifest(entry(), app=app), Source.REGISTERED))
        (kept,) = (data / "state" / "hotkeys" / "registered").iterdir()
        assert (kept.stat().st_mode & 0o777) == 0o600
        assert index.find("app.do").app == app

    def test_learned_is_only_what_nobody_has_published(self, index: HotkeyIndex, data: Path) -> None:
        publish(data / "mine", "App", manifest(entry("app.save", "ctrl+shift+s")))
        index.learn(parse(manifest(entry("app.menu.save", "shift+ctrl+S"), entry("app.menu.go", "f5")), Source.LEARNED))
        assert keys(index, "App") == [("app.save", "ctrl+shift+s", "manifest"), ("app.menu.go", "f5", "learned")]


class TestLookingUp:
    """Search, and the one of a name."""

    @pytest.fixture(autouse=True)
    def some(self, index: HotkeyIndex, data: Path) -> None:
        publish(data / "mine", "One", manifest(entry("x.open", "ctrl+o", "Open File", "modal"), entry("x.end"), app="One"))  # fmt: skip
        publish(data / "mine", "Two", manifest(entry("x.end"), entry("two.only"), app="Two"))

    def test_by_app_kind_and_words(self, index: HotkeyIndex) -> None:
        assert [one.key for one in index.search("one")] == ["x.open", "x.end"]
        assert [one.key for one in index.search("One", "modal")] == ["x.open"]
        assert [one.key for one in index.search(query="file OPEN x.open")] == ["x.open"]
        assert index.search("one", query="nothing") == []

    def test_an_application_is_meant_by_its_id_or_nearly_its_name(self, index: HotkeyIndex) -> None:
        for name in ("Mousepad", "org.xfce.mousepad", "mousepad.desktop", "mousepad"):
            assert index.search(name, query="find_and")[0].chord == "ctrl+r"
        assert index.search("Firefox ESR", query="tab.new")[0].app == "Firefox"
        assert index.search("writer", query="heading_1")[0].app == "LibreOffice Writer"

    def test_a_key_of_several_apps_needs_the_app(self, index: HotkeyIndex) -> None:
        with pytest.raises(BadArguments, match="belongs to several apps: One, Two"):
            index.find("x.end")
        assert index.find("X.End", "two").app == "Two"
        assert index.find("two.only").app == "Two"
        with pytest.raises(NotFound, match=r"no hotkey is called 'two\.only'"):
            index.find("two.only", "one")
