"""How long until a client can begin, what a short call costs, and what the server needs to live."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from statistics import median

import psutil
from tests.support.client import Client

from bench.measure import BENCH_PYTHON, Bench, Row, median_of

_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


def rows(bench: Bench) -> Iterator[Row]:
    ours = [sys.executable, "-m", "deskhand", "mcp"]
    peer = [str(BENCH_PYTHON), "-m", "computer_control_mcp"]
    others = {"computer-control-mcp": _cold(bench, peer) if BENCH_PYTHON.exists() else None}
    cold = _cold(bench, ours)
    assert cold is not None
    note = "answered from memory of the last start; the first start ever takes as long as the SDK loads"
    yield Row("cold start to tools/list", "≤ 0.5 s", "s", cold, others, cold <= 0.5, note)
    embedded, usable = _embedded()
    note = f"with its own desktop; the first screenshot after {usable:.2f} s"
    yield Row("cold start, embedded", "≤ 1 s", "s", embedded, {}, embedded <= 1, note)
    with bench.client() as client:
        trivial = median_of(lambda: client.do("session_status"), 500) * 1000
    yield Row("a trivial call over stdio", "≤ 0.25 ms", "ms", trivial, {}, trivial <= 0.25, "session_status")
    yield _memory(bench)


def _cold(bench: Bench, command: Sequence[str]) -> float | None:
    times = []
    for _ in range(6):
        start = time.perf_counter()
        process = subprocess.Popen(
            command, env=bench.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdin is not None
        assert process.stdout is not None
        _ask(process, 1, "initialize", _HELLO)
        answered = process.stdout.readline()
        _ask(process, None, "notifications/initialized", {})
        _ask(process, 2, "tools/list", {})
        listed = process.stdout.readline()
        times.append(time.perf_counter() - start)
        process.stdin.close()
        process.stdout.close()
        process.wait(30)
        if not (answered and listed):
            return None
    return median(times[1:])


def _ask(process: "subprocess.Popen[bytes]", number: int | None, method: str, parameters: object) -> None:
    message = {"jsonrpc": "2.0", "method": method, "params": parameters} | ({} if number is None else {"id": number})
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def _embedded() -> tuple[float, float]:
    listed, usable = [], []
    for _ in range(4):
        start = time.perf_counter()
        with Client("--embedded") as client:
            client.initialize()
            client.ask("tools/list")
            listed.append(time.perf_counter() - start)
            client.do("screenshot")
            usable.append(time.perf_counter() - start)
    return median(listed[1:]), median(usable[1:])


def _memory(bench: Bench) -> Row:
    bench.applications.start("mousepad")
    with bench.client() as client:
        process = psutil.Process(client.process.pid)
        _mix(client, 300)
        before = process.memory_info().rss / 2**20
        _mix(client, 1000)
        after = process.memory_info().rss / 2**20
    bench.applications.end()
    note = f"{before:.0f} MB after 300 calls, {after:.0f} MB after 1,300"
    holds = after <= 110 and after - before <= 2
    return Row("memory after 1,000 calls more", "≤ 110 MB, not growing", "MB", after, {}, holds, note)


def _mix(client: Client, count: int) -> None:
    for number in range(count):
        kind = number % 5
        if kind == 0:
            client.do("screenshot")
        elif kind == 1:
            client.do("click_at", x=1500, y=900)
        elif kind == 2:
            client.do("list_windows_tool")
        elif kind == 3:
            client.do("find_element", app_name="mousepad", role="textbox")
        else:
            client.do("inspect_ui", app_name="mousepad")
