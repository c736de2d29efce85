"""How long it takes until Esc, pressed by a person, has made an agent let go."""

import select
import statistics
import time
from collections.abc import Iterator

from tests.support.client import Client
from tests.support.person import ESCAPE, Person
from tests.support.x_window import XWindow

from bench.measure import Bench, Row
from deskhand.model.geometry import Rect

_RUNS = 5
_A = 38


def rows(bench: Bench) -> Iterator[Row]:
    environment = bench.desktop.environment
    with Person(environment) as person, XWindow(environment, Rect(300, 250, 600, 400)) as window:
        window.focus()
        # Each run with a server of its own: an agent that was stopped stays so.
        times = [_one(bench, person, window) for _ in range(_RUNS)]
    ours, worst = statistics.median(times) * 1000, max(times) * 1000
    note = f"from the key's event to that of the release of held keys; the worst of {_RUNS} {worst:.3g} ms"
    yield Row("Esc pressed by a person, until the agent lets go", "≤ 100 ms", "ms", ours, {}, worst <= 100, note)


def _one(bench: Bench, person: Person, window: XWindow) -> float:
    """Seconds from the press of Esc to the release of what the agent holds, as a window hears both."""
    with Client("--surface", "computer", "--grant-all", environment=bench.desktop.environment) as client:
        client.initialize()
        number = client.start_call("hold_key", text="a", duration=60)
        _event(window, pressed=True, keycode=_A)
        start = time.perf_counter()
        person.tap(ESCAPE)
        _event(window, pressed=False, keycode=_A)
        seconds = time.perf_counter() - start
        client.answer(number)
        return seconds


def _event(window: XWindow, *, pressed: bool, keycode: int) -> None:
    """Wait until a key of the window has been pressed or let go."""
    while not any(key[:2] == (pressed, keycode) for key in window.listen().keys):
        select.select([window.server.connection.get_file_descriptor()], [], [], 10)
    window.keys.clear()
