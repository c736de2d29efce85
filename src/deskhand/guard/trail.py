"""Reading the audit back: whether every line is there and as it was written, and what the last ones say."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from deskhand.guard.audit_files import NO_LINE, AuditFiles, Head, entry_of, hash_of


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it was written, and where."""

    place: str
    what: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


@dataclass(slots=True)
class Verdict:
    """What was found: how many lines were read, and everything that is wrong with them."""

    lines: int = 0
    faults: list[Fault] = field(default_factory=list)


def verify(path: Path) -> Verdict:
    """Follow the chain through the file at `path` and those it was rotated to, from the oldest line to the newest."""
    files = AuditFiles(path)
    with _snapshot(files) as (head, lines):
        reader = _Reader(head)
        for place, line in lines:
            reader.read(place, line)
        reader.end(files)
    return reader.verdict


def last_entries(path: Path, count: int) -> list[dict[str, Any]]:
    """What the newest lines say, the oldest of them first. Lines that are none are left out."""
    found: list[dict[str, Any]] = []
    for file in reversed(AuditFiles(path).present()):
        entries = [entry for line in file.read_bytes().splitlines() if (entry := entry_of(line)) is not None]
        found = [*entries[max(0, len(entries) - (count - len(found))) :], *found]
        if len(found) >= count:
            break
    return found


class _Reader:
    """Reads line after line and notes where the chain is broken."""

    def __init__(self, head: Head | None) -> None:
        self.verdict = Verdict()
        self._head = head
        self._before = head.first if head else None
        """The hash that the next line must carry, None where nobody knows."""
        self._place = ""
        self._n: int | None = None
        self._whole = True
        self._last: dict[str, Any] = {}

    def read(self, place: str, line: bytes) -> None:
        """The next line."""
        self.verdict.lines += 1
        entry = entry_of(line)
        if entry is None or not line.endswith(b"\n"):
            self._fault(place, "this line was changed or cut short")
        if entry is not None:
            # Of a line that is reported already it need not be said once more that the next does not follow it.
            if self._whole or self._gap_before(entry):
                self._check(place, entry)
            self._n, self._last = entry["n"], entry
        self._whole = entry is not None and line.endswith(b"\n")
        self._before, self._place = hash_of(line), place

    def _check(self, place: str, entry: dict[str, Any]) -> None:
        expected = NO_LINE if entry["n"] == 1 and not self._place else self._before
        if self._gap_before(entry):
            assert self._n is not None
            self._fault(place, f"{_lines(entry['n'] - self._n - 1, 'before this one')} missing")
        elif expected is not None and entry["previous"] != expected:
            if self._place:
                self._fault(self._place, "this line, or what the next says of it, was changed")
            else:
                self._fault(place, "the lines before this one are missing, or what it says of them was changed")

    def _gap_before(self, entry: dict[str, Any]) -> bool:
        return self._n is not None and bool(entry["n"] > self._n + 1)

    def end(self, files: AuditFiles) -> None:
        """There is no other line."""
        head = self._head
        if head is None:
            if self.verdict.lines:
                self._fault(files.head.name, "missing or changed: whether lines were cut at the ends cannot be told")
            return
        if self._before == head.last or not self._whole:
            return
        # A crash between a line and its head leaves one line more than the head knows of.
        if self._last.get("previous") == head.last and self._n == head.n + 1:
            return
        if self._n is None or self._n < head.n:
            missing = "all lines are" if self._n is None else _lines(head.n - self._n)
            self._fault(self._place or files.current.name, f"{missing} missing at the end")
        else:
            self._fault(self._place, "this line was changed")

    def _fault(self, place: str, what: str) -> None:
        self.verdict.faults.append(Fault(place, what))


def _lines(count: int, where: str = "") -> str:
    words = ("1 line" if count == 1 else f"{count} lines", where, "is" if count == 1 else "are")
    return " ".join(word for word in words if word)


@contextlib.contextmanager
def _snapshot(files: AuditFiles) -> Iterator[tuple[Head | None, Iterator[tuple[str, bytes]]]]:
    """The head and the lines as they were at one moment, while others go on writing."""
    with contextlib.ExitStack() as stack:
        with files.locked(reading=True) as descriptor:
            head = Head.parse(os.pread(descriptor, 1024, 0)) if descriptor is not None else None
            opened = [(path.name, stack.enter_context(open(path, "rb"))) for path in files.present()]
            sizes = [os.fstat(file.fileno()).st_size for _, file in opened]
        yield head, _lines_of(opened, sizes)


def _lines_of(opened: Sequence[tuple[str, BinaryIO]], sizes: Sequence[int]) -> Iterator[tuple[str, bytes]]:
    for (name, file), size in zip(opened, sizes, strict=True):
        number = 0
        while file.tell() < size:
            number += 1
            yield f"{name} line {number}", file.readline()
