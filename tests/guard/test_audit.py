"""Every act is noted, each line vouches for the one before, and what was typed stands nowhere."""

import fcntl
import hashlib
import json
import multiprocessing
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskhand.guard.audit import Audit, Record
from tests.support.applications import Application
from tests.support.client import Client

_SECRET = "xyzzy plugh 42"


def record(tool: str = "click_at", **detail: Any) -> Record:
    return Record("ann", "5e5510", tool, detail, "ok")


def lines(directory: Path) -> list[bytes]:
    return (directory / "audit.jsonl").read_bytes().splitlines()


def is_whole(directory: Path) -> bool:
    """Whether each line carries the hash of the one before."""
    before = "0" * 64
    for line in lines(directory):
        if json.loads(line)["previous"] != before:
            return False
        before = hashlib.sha256(line).hexdigest()
    return True


class TestTheChain:
    """The file, line by line."""

    def test_each_line_tells_who_did_what_and_how_it_ended(self, tmp_path: Path) -> None:
        Audit(lambda: tmp_path).write(Record("ann", "5e5510", "click_at", {"x": 1}, "denied", "not now"))
        entry = json.loads(lines(tmp_path)[0])
        del entry["ts"]
        assert entry == {
            "n": 1,
            "agent_id": "ann",
            "session_id": "5e5510",
            "tool": "click_at",
            "detail": {"x": 1},
            "outcome": "denied",
            "reason": "not now",
            "previous": "0" * 64,
        }

    def test_each_line_vouches_for_the_one_before(self, tmp_path: Path) -> None:
        audit = Audit(lambda: tmp_path)
        for number in range(30):
            audit.write(record(number=number))
        assert is_whole(tmp_path)

    @pytest.mark.parametrize("size", [100, 16_383, 16_384, 70_000, 300_000])
    def test_long_lines_do_too(self, tmp_path: Path, size: int) -> None:
        audit = Audit(lambda: tmp_path)
        for _ in range(3):
            audit.write(record(title="ü" * (size // 2)))
        assert len(lines(tmp_path)) == 3
        assert is_whole(tmp_path)

    @pytest.mark.parametrize("harm", ["change", "drop", "swap"])
    def test_a_changed_or_missing_line_shows(self, tmp_path: Path, harm: str) -> None:
        audit = Audit(lambda: tmp_path)
        for number in range(5):
            audit.write(record(number=number))
        found = lines(tmp_path)
        if harm == "change":
            found[2] = found[2].replace(b'"number":2', b'"number":7')
        elif harm == "drop":
            del found[2]
        else:
            found[2], found[3] = found[3], found[2]
        (tmp_path / "audit.jsonl").write_bytes(b"\n".join(found) + b"\n")
        assert not is_whole(tmp_path)

    def test_a_line_that_was_cut_short_does_not_spoil_the_next(self, tmp_path: Path) -> None:
        audit = Audit(lambda: tmp_path)
        audit.write(record())
        with open(tmp_path / "audit.jsonl", "ab") as file:
            file.write(b'{"ts":12')
        audit.write(record(number=2))
        first, cut, last = lines(tmp_path)
        assert json.loads(first)["tool"] == "click_at"
        assert json.loads(last)["previous"] == hashlib.sha256(cut).hexdigest()

    def test_text_that_is_no_unicode_is_kept_as_an_escape(self, tmp_path: Path) -> None:
        Audit(lambda: tmp_path).write(record(title="caf\udce9\n\x00"))
        assert json.loads(lines(tmp_path)[0])["detail"]["title"] == "caf\udce9\n\x00"

    def test_only_this_user_can_read_it(self, tmp_path: Path) -> None:
        Audit(lambda: tmp_path).write(record())
        assert (tmp_path / "audit.jsonl").stat().st_mode & 0o077 == 0

    def test_several_processes_write_one_chain(self, tmp_path: Path) -> None:
        context = multiprocessing.get_context("spawn")
        writers = [context.Process(target=_write_many, args=(str(tmp_path), name)) for name in "abcd"]
        for one in writers:
            one.start()
        for one in writers:
            one.join(60)
        found = [json.loads(line)["tool"] for line in lines(tmp_path)]
        assert sorted(found) == sorted("abcd" * 100)
        assert is_whole(tmp_path)


def _write_many(directory: str, name: str) -> None:
    audit = Audit(lambda: Path(directory))
    for _ in range(100):
        audit.write(record(name))


class TestAFileThatCannotBeWritten:
    """It is told once, and stops nobody."""

    def test_a_process_that_keeps_it_locked_stops_nobody(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        audit = Audit(lambda: tmp_path)
        audit.write(record())
        with (tmp_path / "audit.head").open("rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            audit.write(record())
        assert "another process keeps it locked" in caplog.text
        audit.write(record())
        assert len(lines(tmp_path)) == 2
        assert is_whole(tmp_path)

    def test_it_is_told_once(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        audit = Audit(lambda: tmp_path / "gone")
        for _ in range(3):
            audit.write(record())
        assert len(caplog.records) == 1
        assert "the audit cannot be written" in caplog.text

    def test_a_link_in_its_place_is_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "target").write_text("precious")
        (tmp_path / "audit.jsonl").symlink_to(tmp_path / "target")
        Audit(lambda: tmp_path).write(record())
        assert (tmp_path / "target").read_text() == "precious"

    def test_a_server_acts_without_it(
        self, new_client: Callable[..., Client], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file" / "below"))
        client = new_client()
        client.acquire()
        client.do("click_at", x=5, y=5)
        client.do("click_at", x=5, y=5)
        client.close()
        assert client.stderr.count("the audit cannot be written") == 1


def of_this_server(kept: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(kept / "state" / "deskhand")]


class TestWhatIsNoted:
    """Acts through a server."""

    def test_what_was_typed_stands_nowhere(self, client: Client, form: Application, kept: Path) -> None:
        client.acquire()
        target = {"app_name": str(form.pid), "title": "Name"}
        client.do("fill", **target, text=_SECRET)
        client.do("ax_set_value", **target, value=_SECRET)
        client.do("interact", **target, action="set_value", value=_SECRET)
        client.do("ax_focus", **target)
        client.do("type_text_tool", text=_SECRET)
        # Refusals quote what they refuse.
        assert client.call("ax_set_value", app_name=str(form.pid), title="Agree", value=_SECRET).is_error
        assert client.call("ax_set_value", app_name=str(form.pid), title="Volume", value=_SECRET).is_error
        assert client.call(
            "interact", app_name=str(form.pid), title="Colour", action="set_value", value=_SECRET
        ).is_error
        assert client.call("ax_set_value", app_name=str(form.pid), title="Volume", value=4711.25).is_error is False
        assert client.call("type_text_tool", text=f"{_SECRET}\x07").is_error
        client.call("ax_set_value", **target, value=[_SECRET])
        whole = (kept / "state" / "deskhand" / "audit.jsonl").read_text()
        # A hash may hold any digits.
        written = re.sub(r'"previous":"[0-9a-f]{64}"|"session_id":"[0-9a-f]*"|"ts":[0-9.]+', "", whole)
        for part in (_SECRET, "xyzzy", "plugh", "4711"):
            assert part not in written
        assert is_whole(kept / "state" / "deskhand")

    def test_a_call_with_bad_arguments_is_noted_without_them(self, client: Client, kept: Path) -> None:
        assert client.call("type_text_tool", text=_SECRET, xyzzy=1).is_error
        entry = of_this_server(kept)[-1]
        assert (entry["tool"], entry["outcome"], entry["reason"]) == ("type_text_tool", "failed", "bad_arguments")
        assert entry["detail"] == {}

    def test_the_length_of_what_was_typed_is_noted(self, client: Client, form: Application, kept: Path) -> None:
        client.acquire()
        client.do("fill", app_name=str(form.pid), title="Name", text="12345")
        client.do("ax_set_value", app_name=str(form.pid), title="Name", value="123")
        fill, set_value = of_this_server(kept)[-2:]
        assert fill["detail"] == {"app_name": str(form.pid), "title": "Name", "text_length": 5}
        assert set_value["detail"] == {"app_name": str(form.pid), "title": "Name", "value_length": 3}

    def test_an_act_is_noted_with_agent_and_session(self, client: Client, kept: Path) -> None:
        session_id = client.acquire("ann")
        client.do("click_at", x=7, y=8, button="right")
        client.do("key", keys="escape")
        entry = of_this_server(kept)[-2]
        assert (entry["agent_id"], entry["session_id"], entry["tool"]) == ("ann", session_id, "click_at")
        assert entry["detail"] == {"x": 7, "y": 8, "button": "right"}
        assert entry["outcome"] == "ok"

    def test_a_denial_is_noted_with_its_reason(self, client: Client, kept: Path) -> None:
        client.call("click_at", x=1, y=1)
        entry = of_this_server(kept)[-1]
        assert entry["outcome"] == "denied"
        assert entry["reason"] == "no agent holds the seat, and acting needs it"
        client.acquire()
        for _ in range(11):
            client.call("click_at", x=1, y=1)
        entry = of_this_server(kept)[-1]
        assert (entry["outcome"], entry["reason"]) == ("denied", "more than 10 clicks in one second")

    def test_a_denial_of_typing_is_noted_with_its_reason_and_without_the_text(self, client: Client, kept: Path) -> None:
        client.call("type_text_tool", text=_SECRET)
        entry = of_this_server(kept)[-1]
        assert entry["reason"] == "no agent holds the seat, and acting needs it"
        assert entry["detail"] == {"text_length": len(_SECRET)}

    def test_a_failure_is_noted(self, client: Client, kept: Path) -> None:
        client.acquire()
        client.call("click_at", x=99999, y=1)
        entry = of_this_server(kept)[-1]
        assert entry["outcome"] == "failed"
        assert entry["reason"].startswith("(99999, 1) is outside every display")

    def test_looking_is_not_noted(self, client: Client, kept: Path) -> None:
        client.acquire()
        client.do("click_at", x=3, y=3)
        before = len(of_this_server(kept))
        client.do("app_list")
        client.do("screenshot")
        assert len(of_this_server(kept)) == before
