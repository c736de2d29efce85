"""Whatever is done to the audit afterwards is found: any changed byte, any line that is missing or cut, at any place."""

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskhand.guard.audit import NAME, Audit, Record
from deskhand.guard.audit_files import KEPT, AuditFiles
from deskhand.guard.trail import last_entries, verify

_LINES = 12


def record(number: int = 0, **detail: object) -> Record:
    return Record("ann", "5e5510", "click_at", {"number": number, **detail}, "ok")


def write(directory: Path, count: int = _LINES, largest: int = 10_000_000) -> Path:
    audit = Audit(lambda: directory, largest)
    for number in range(count):
        audit.write(record(number))
    return directory / NAME


def faults(path: Path) -> list[str]:
    return [str(fault) for fault in verify(path).faults]


def numbers(directory: Path) -> list[int]:
    files = AuditFiles(directory / NAME).present()
    return [json.loads(line)["detail"]["number"] for file in files for line in file.read_bytes().splitlines()]


@pytest.fixture(scope="module")
def written() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return write(Path(folder)).read_bytes()


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole audit, which tests may damage and must leave as it was."""
    return write(tmp_path_factory.mktemp("trail"))


class TestAWholeAudit:
    """Nothing is found where nothing is wrong."""

    def test_an_audit_as_it_was_written_is_whole(self, tmp_path: Path) -> None:
        verdict = verify(write(tmp_path))
        assert (verdict.lines, verdict.faults) == (_LINES, [])

    def test_one_without_a_line_is_too(self, tmp_path: Path) -> None:
        assert verify(tmp_path / NAME).faults == []

    def test_a_crash_between_a_line_and_its_head_is_no_fault(self, tmp_path: Path) -> None:
        path = write(tmp_path, 3)
        head = AuditFiles(path).head.read_bytes()
        write(tmp_path, 1)
        AuditFiles(path).head.write_bytes(head)
        assert faults(path) == []
        write(tmp_path, 2)
        assert faults(path) == []


class TestHarm:
    """Whatever is done to it is found, and where."""

    @given(place=st.integers(min_value=0), byte=st.integers(0, 255))
    @settings(max_examples=300, deadline=None)
    def test_any_changed_byte(self, trail: Path, place: int, byte: int) -> None:
        whole = trail.read_bytes()
        place %= len(whole)
        if whole[place] == byte:
            return
        trail.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
        try:
            line = whole[:place].count(b"\n") + 1
            found = faults(trail)
            assert found
            # A changed hash cannot be told from a changed line before it.
            assert any(f"line {number}:" in found[0] for number in (line, line - 1))
        finally:
            trail.write_bytes(whole)

    @given(first=st.integers(0, _LINES - 1), count=st.integers(1, _LINES), go_on=st.booleans())
    @settings(max_examples=120, deadline=None)
    def test_any_dropped_lines(self, first: int, count: int, go_on: bool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = write(Path(folder))
            lines = path.read_bytes().splitlines(keepends=True)
            path.write_bytes(b"".join(lines[:first] + lines[first + count :]))
            assert faults(path)
            if go_on:
                write(Path(folder), 3)
            assert faults(path)

    @given(first=st.integers(0, _LINES - 1), second=st.integers(0, _LINES - 1))
    @settings(max_examples=60, deadline=None)
    def test_any_two_lines_in_each_others_place(self, trail: Path, first: int, second: int) -> None:
        whole = trail.read_bytes()
        lines = whole.splitlines(keepends=True)
        lines[first], lines[second] = lines[second], lines[first]
        trail.write_bytes(b"".join(lines))
        try:
            assert bool(faults(trail)) == (first != second)
        finally:
            trail.write_bytes(whole)

    @given(place=st.integers(min_value=0), go_on=st.booleans())
    @settings(max_examples=120, deadline=None)
    def test_any_cut_end(self, place: int, go_on: bool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = write(Path(folder))
            whole = path.read_bytes()
            os.truncate(path, place % len(whole))
            if go_on:
                write(Path(folder), 2)
            assert faults(path)

    @pytest.mark.parametrize("line", range(1, _LINES + 1))
    def test_it_says_which_line_was_changed(self, trail: Path, line: int) -> None:
        whole = trail.read_bytes()
        trail.write_bytes(whole.replace(b'"number":%d}' % (line - 1), b'"number":77}'))
        try:
            found = faults(trail)
            assert len(found) == 1
            assert found[0].startswith(f"audit.jsonl line {line}: this line")
        finally:
            trail.write_bytes(whole)

    def test_it_says_how_many_lines_are_missing_and_where(self, tmp_path: Path) -> None:
        path = write(tmp_path)
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:3] + lines[5:]))
        assert faults(path) == ["audit.jsonl line 4: 2 lines before this one are missing"]
        path.write_bytes(b"".join(lines[:-4]))
        assert faults(path) == [f"audit.jsonl line {_LINES - 4}: 4 lines are missing at the end"]

    def test_a_head_that_is_missing_is_told(self, tmp_path: Path) -> None:
        path = write(tmp_path)
        AuditFiles(path).head.unlink()
        assert faults(path) == ["audit.head: missing or changed: whether lines were cut at the ends cannot be told"]


class TestRotation:
    """A file that has become large is put aside, and the chain goes on."""

    def test_the_chain_goes_on_in_the_next_file(self, tmp_path: Path) -> None:
        path = write(tmp_path, 40, largest=1500)
        assert len(AuditFiles(path).present()) > 3
        assert faults(path) == []

    def test_five_files_are_kept(self, tmp_path: Path) -> None:
        path = write(tmp_path, 200, largest=1500)
        files = AuditFiles(path).present()
        assert len(files) == KEPT + 1
        assert all(file.stat().st_size < 2000 for file in files)
        kept = numbers(tmp_path)
        assert kept == list(range(kept[0], 200))
        assert kept[0] > 0
        assert faults(path) == []

    def test_a_file_that_was_taken_away_is_found(self, tmp_path: Path) -> None:
        path = write(tmp_path, 200, largest=1500)
        for file in AuditFiles(path).present():
            away = shutil.move(file, tmp_path / "away")
            assert faults(path), file
            shutil.move(away, file)
        assert faults(path) == []

    def test_a_changed_line_is_found_in_the_file_it_is_in(self, tmp_path: Path) -> None:
        path = write(tmp_path, 40, largest=1500)
        file = AuditFiles(path).rotated(1)
        file.write_bytes(file.read_bytes().replace(b"click_at", b"click_it", 1))
        assert faults(path) == ["audit.1.jsonl line 1: this line, or what the next says of it, was changed"]

    def test_several_processes_write_and_rotate_one_chain(self, tmp_path: Path) -> None:
        write(tmp_path, 1)
        context = multiprocessing.get_context("spawn")
        writers = [context.Process(target=_write_many, args=(str(tmp_path), name)) for name in range(4)]
        for one in writers:
            one.start()
        while any(one.is_alive() for one in writers):
            assert faults(tmp_path / NAME) == []  # whoever looks meanwhile sees a whole one
        for one in writers:
            one.join(60)
            assert one.exitcode == 0
        assert faults(tmp_path / NAME) == []
        files = AuditFiles(tmp_path / NAME).present()
        entries = [json.loads(line) for file in files for line in file.read_bytes().splitlines()]
        assert [entry["n"] for entry in entries] == list(range(entries[0]["n"], 402))


def _write_many(directory: str, name: int) -> None:
    audit = Audit(lambda: Path(directory), largest=12_000)
    for _ in range(100):
        audit.write(record(name))


class TestTheCommand:
    """`deskhand audit`."""

    def run(self, *words: str, state: Path | None = None) -> subprocess.CompletedProcess[str]:
        environment = os.environ | ({"XDG_STATE_HOME": str(state)} if state else {})
        command = [sys.executable, "-m", "deskhand", "audit", *words]
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)

    def test_verify_tells_a_whole_one(self, tmp_path: Path) -> None:
        done = self.run("verify", str(write(tmp_path)))
        assert (done.returncode, done.stdout) == (0, f"12 lines in {tmp_path}: each follows the one before\n")

    def test_verify_tells_the_line_at_fault(self, tmp_path: Path) -> None:
        path = write(tmp_path)
        path.write_bytes(path.read_bytes().replace(b'"number":4}', b'"number":5}'))
        done = self.run("verify", str(path))
        assert done.returncode == 1
        assert done.stdout.startswith("audit.jsonl line 5: this line")

    def test_verify_looks_at_this_users_own(self, tmp_path: Path) -> None:
        (tmp_path / "deskhand").mkdir(mode=0o700)
        write(tmp_path / "deskhand", 2)
        assert self.run("verify", state=tmp_path).stdout.startswith("2 lines in ")

    def test_a_file_that_is_not_there_is_told(self, tmp_path: Path) -> None:
        assert self.run("verify", str(tmp_path / "none.jsonl")).returncode == 1

    def test_show_prints_the_last_lines(self, tmp_path: Path) -> None:
        path = write(tmp_path, 30, largest=1500)
        Audit(lambda: tmp_path).write(Record("bob", "", "key", {"keys": "\x1b[2J"}, "denied", "policy\u202edenied"))
        done = self.run("show", "-n", "15", str(path))
        lines = done.stdout.splitlines()
        assert len(lines) == 15
        assert "number=29" in lines[-2]
        assert "keys=\\u001b[2J" in lines[-1]
        assert "(policy\\u202edenied)" in lines[-1]
        assert [entry["tool"] for entry in last_entries(path, 2)] == ["click_at", "key"]
