"""A second start answers the first questions from memory: the same as the SDK would, once, and never anything stale."""

import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand.server import opening
from deskhand.server.opening import Opening
from deskhand.surfaces.axi import Axi
from tests.support.client import MODERN
from tests.support.lines import COMMAND, INITIALIZE, INITIALIZED, Answered, converse, line_of, request

_LIST = request(1, "tools/list")
_LEGACY = [INITIALIZE, INITIALIZED, _LIST]
_MODERN = [request(0, "server/discover", {"_meta": MODERN}), request(1, "tools/list", {"_meta": MODERN})]
_BOTH = [request("d", "server/discover", {"_meta": MODERN}), *_LEGACY]
# A server that is asked nothing else needs no desktop.
_NOWHERE = {"DISPLAY": ":4711"}


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    """A user without memory."""
    return {"XDG_CACHE_HOME": str(tmp_path / "cache"), **_NOWHERE}


@pytest.fixture(scope="module")
def remembered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The memory of a user who has opened conversations of every kind."""
    cache = {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("known")), **_NOWHERE}
    for messages in (_LEGACY, _MODERN, _BOTH):
        converse(messages, cache)
    return memories(cache)[0]


@pytest.fixture
def memory(remembered: Path, cache: dict[str, str]) -> Path:
    """A copy of it, for this user."""
    folder = Path(cache["XDG_CACHE_HOME"]) / "deskhand"
    shutil.copytree(remembered.parent, folder)
    return folder / remembered.name


def memories(cache: dict[str, str]) -> list[Path]:
    return sorted((Path(cache["XDG_CACHE_HOME"]) / "deskhand").glob("*"))


def answers(answered: Answered) -> dict[Any, Any]:
    """By number; each must have come once."""
    numbers = [message["id"] for message in answered.messages]
    assert len(numbers) == len(set(numbers)), numbers
    return {message["id"]: message.get("result", message.get("error")) for message in answered.messages}


class Early:
    """A server whose protocol library is slow to load, so that what is answered before that comes from memory."""

    def __init__(self, cache: dict[str, str], folder: Path, *arguments: str) -> None:
        folder.mkdir(exist_ok=True)
        self.gate = folder / "gate"
        (folder / "sitecustomize.py").write_text(
            "import os, sys, time\n"
            "class Slow:\n"
            "    def find_spec(self, name, *_):\n"
            "        while name == 'mcp_types' and not os.path.exists(os.environ['GATE']): time.sleep(0.01)\n"
            "sys.meta_path.insert(0, Slow())\n"
        )
        path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, **cache, "PYTHONPATH": path, "GATE": str(self.gate)}
        self.process = subprocess.Popen(
            [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0
        )

    def ask(self, *messages: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(map(line_of, messages)))
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        # Its lines come one by one: nothing is left in a buffer of ours.
        if not select.select([self.process.stdout], [], [], 30)[0]:
            pytest.fail("nothing was answered from memory (has a file of deskhand changed meanwhile?)")
        answered: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answered

    def finish(self) -> list[dict[str, Any]]:
        """Let the library load, and end the input; what is answered then."""
        self.gate.touch()
        out, _ = self.process.communicate(timeout=60)
        return [json.loads(line) for line in out.splitlines()]

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def early(cache: dict[str, str], tmp_path: Path) -> Iterator[Any]:
    started: list[Early] = []

    def start(*arguments: str) -> Early:
        started.append(Early(cache, tmp_path / "slow", *arguments))
        return started[-1]

    yield start
    for one in started:
        one.end()


class TestMemory:
    """What is remembered is what the SDK says."""

    @pytest.mark.parametrize("messages", [_LEGACY, _MODERN], ids=["legacy", "modern"])
    def test_a_second_start_answers_before_the_library_is_there_and_the_same(
        self, cache: dict[str, str], early: Any, messages: list[Any]
    ) -> None:
        first = answers(converse(messages, cache))
        assert len(memories(cache)) == 1
        second = early()
        second.ask(*messages)
        told = [second.answer() for _ in first]
        assert [list(one) for one in told] == [["jsonrpc", "id", "result"]] * len(first)
        assert json.dumps({one["id"]: one["result"] for one in told}) == json.dumps(first)
        assert second.finish() == []

    def test_the_first_start_answers_from_the_library(self, early: Any) -> None:
        first = early()
        first.ask(*_LEGACY)
        assert [message["id"] for message in first.finish()] == [0, 1]

    def test_what_comes_after_goes_to_the_library_in_order(self, memory: Path, early: Any) -> None:
        second = early()
        call = request(2, "tools/call", {"name": "no_such_tool", "arguments": {}})
        second.ask(*_LEGACY, request("p", "ping"), {**_LIST, "id": 3}, call)
        assert [second.answer()["id"] for _ in range(2)] == [0, 1]
        rest = {message["id"]: message for message in second.finish()}
        assert rest["p"]["result"] == {}
        assert len(rest[3]["result"]["tools"]) == len(Axi.tools)
        assert "Unknown tool" in rest[2]["result"]["content"][0]["text"]

    def test_other_numbers_and_progress_tokens_make_no_difference(self, memory: Path, early: Any) -> None:
        second = early()
        listing = request("list", "tools/list", {"_meta": {"progressToken": 9}})
        second.ask({**INITIALIZE, "id": "hello"}, INITIALIZED, listing)
        assert second.answer()["id"] == "hello"
        # Without the token there was no _meta: that is another question, once.
        assert [message["id"] for message in second.finish()] == ["list"]
        third = early()
        third.ask(INITIALIZE, INITIALIZED, request(5, "tools/list", {"_meta": {"progressToken": 10}}))
        assert [third.answer()["id"] for _ in range(2)] == [0, 5]


_STRANGE: dict[str, list[Any]] = {
    "a list before the handshake": [_LIST],
    "a notification before the handshake": [INITIALIZED, _LIST, INITIALIZE],
    "a handshake that lacks something": [{**INITIALIZE, "params": {"protocolVersion": "2025-06-18"}}, _LIST],
    "a handshake in a modern conversation": [_MODERN[1], INITIALIZE],
    "a modern question after the handshake": [INITIALIZE, _MODERN[1]],
    "no version of JSON-RPC": [{"id": 0, "method": "initialize", "params": INITIALIZE["params"]}, _LIST],
    "another version of JSON-RPC": [{**INITIALIZE, "jsonrpc": "1.0"}],
    "no number": [{**INITIALIZE, "id": None}],
    "a fraction for a number": [{**INITIALIZE, "id": 1.5}],
    "no JSON": [b"{", INITIALIZE],
    "nothing that was asked before": [request(0, "ping"), INITIALIZE],
    "discovery without an envelope": [request(0, "server/discover"), INITIALIZE],
    "an envelope that is wrong": [
        request(0, "tools/list", {"_meta": {**MODERN, "io.modelcontextprotocol/clientCapabilities": 5}})
    ],
    "a page of the list": [INITIALIZE, request(1, "tools/list", {"cursor": "x"})],
    "a page that is none": [INITIALIZE, request(1, "tools/list", {"cursor": 5})],
    "two handshakes": [INITIALIZE, {**INITIALIZE, "id": 5}],
    "one number for two questions": [INITIALIZE, {**_LIST, "id": 0}],
    "a trace": [INITIALIZE, request(1, "tools/list", {"_meta": {"traceparent": "00-1-2-03"}})],
}


class TestWhatIsNotInMemory:
    """It falls to the SDK, whose answer is then the right one."""

    @pytest.mark.parametrize("case", _STRANGE)
    def test_only_what_was_said_exactly_so_before_is_answered(self, remembered: Path, case: str) -> None:
        opening, said = Opening(remembered), []
        for message in _STRANGE[case]:
            answer = opening.answer(line_of(message))
            said.append(message)
            is_known = said in (_LEGACY[: len(said)], _MODERN[: len(said)], _BOTH[: len(said)])
            assert (answer is not None) == (is_known and "id" in message)

    @pytest.mark.parametrize(
        "case", ["a handshake in a modern conversation", "no version of JSON-RPC", "one number for two questions"]
    )
    def test_the_answers_are_as_without_memory(
        self, cache: dict[str, str], memory: Path, tmp_path: Path, case: str
    ) -> None:
        def said(answered: Answered) -> list[str]:
            return sorted(json.dumps(message, sort_keys=True) for message in answered.messages)

        fresh = converse(_STRANGE[case], {**cache, "XDG_CACHE_HOME": str(tmp_path / "empty")})
        assert said(converse(_STRANGE[case], cache)) == said(fresh)


class TestStaleMemory:
    """It is never served."""

    def test_other_wishes_have_another_memory(self, cache: dict[str, str], memory: Path, early: Any) -> None:
        converse(_LEGACY, cache, "--tools", "app_list,screenshot")
        assert len(memories(cache)) == 2
        narrow = early("--tools", "app_list,screenshot")
        narrow.ask(*_LEGACY)
        narrow.answer()
        assert [tool["name"] for tool in narrow.answer()["result"]["tools"]] == ["screenshot", "app_list"]
        other = early("--tools", "app_list")
        other.ask(*_LEGACY)
        listed = other.finish()[-1]["result"]["tools"]
        assert [tool["name"] for tool in listed] == ["app_list"]

    def test_changed_code_has_no_memory(self, cache: dict[str, str], tmp_path: Path) -> None:
        import deskhand

        package = tmp_path / "other" / "deskhand"
        shutil.copytree(Path(deskhand.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
        elsewhere = cache | {"PYTHONPATH": str(package.parent)}
        listed = answers(converse(_LEGACY, elsewhere))[1]["tools"]
        file = package / "surfaces" / "axi" / "system.py"
        before = file.stat()
        file.write_text(file.read_text().replace('"""Running apps, ', '"""Running programs, '))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # its age is not all that counts
        changed = answers(converse(_LEGACY, elsewhere))[1]["tools"]
        assert listed != changed
        assert any(tool["description"].startswith("Running programs") for tool in changed)

    def test_a_memory_that_is_wrong_is_put_right(self, memory: Path, early: Any) -> None:
        """As after an update of a part that the mark does not know: what was given is given, the next start is right."""
        answers = opening._read(memory)
        for answer in answers.values():
            if "tools" in answer:
                answer["tools"] = answer["tools"][:1]
        opening._write(memory, answers)
        second = early()
        second.ask(*_LEGACY)
        second.answer()
        assert len(second.answer()["result"]["tools"]) == 1
        second.finish()
        third = early()
        third.ask(*_LEGACY)
        third.answer()
        assert len(third.answer()["result"]["tools"]) == len(Axi.tools)

    @pytest.mark.parametrize(
        "harm",
        ["empty", "cut", "flipped", "no json", "a list", "not ours", "open to others", "a link", "a folder", "a pipe"],
    )
    def test_a_file_that_is_not_as_it_was_written_is_not_used(self, memory: Path, tmp_path: Path, harm: str) -> None:
        assert Opening(memory).answer(line_of(INITIALIZE)) is not None
        content = memory.read_bytes()
        if harm == "not ours":
            if os.getuid() != 0:
                pytest.skip("only root can give a file away")
            os.chown(memory, 12345, 12345)
        elif harm == "open to others":
            memory.chmod(0o666)
        elif harm == "a link":
            shutil.move(memory, tmp_path / "elsewhere")
            memory.symlink_to(tmp_path / "elsewhere")
        elif harm == "a folder":
            memory.unlink()
            memory.mkdir()
        elif harm == "a pipe":
            memory.unlink()
            os.mkfifo(memory, 0o600)
        else:
            changed = content.replace(b"deskhand", b"otherone")
            broken = {"empty": b"", "cut": content[:-9], "flipped": changed, "no json": b"}" * 99, "a list": b"[1]"}
            memory.write_bytes(broken[harm])
        assert Opening(memory).answer(line_of(INITIALIZE)) is None

    def test_a_broken_memory_is_replaced(self, cache: dict[str, str], memory: Path, early: Any) -> None:
        memory.write_bytes(memory.read_bytes()[:-9])
        answered = answers(converse(_LEGACY, cache))
        again = early()
        again.ask(*_LEGACY)
        assert {message["id"]: message["result"] for message in (again.answer(), again.answer())} == answered

    def test_the_memory_can_be_read_by_this_user_alone(self, cache: dict[str, str]) -> None:
        converse([INITIALIZE], cache)
        assert memories(cache)[0].stat().st_mode & 0o077 == 0
        assert memories(cache)[0].parent.stat().st_mode & 0o077 == 0

    def test_a_user_without_a_home_is_served_all_the_same(self, cache: dict[str, str]) -> None:
        for folder in ("", "/proc/nowhere"):
            answered = converse(_LEGACY, cache | {"XDG_CACHE_HOME": folder, "HOME": folder})
            assert len(answers(answered)[1]["tools"]) == len(Axi.tools)


def test_the_first_answers_need_nothing_of_the_protocol_library() -> None:
    """What makes them fast; nobody may import it by the way."""
    code = "import sys, deskhand.server.stdio, deskhand.cli.mcp; print([m for m in sys.modules if m.startswith('mcp')])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert shown.stdout.strip() == "[]"
