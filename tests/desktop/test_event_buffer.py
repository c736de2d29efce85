"""Unread events are bounded, keep their order, and what repeats itself stands there once."""

from itertools import count

import pytest

from deskhand.desktop.observers.buffer import CAPACITY, Buffer
from deskhand.model.event import Event, EventKind


@pytest.fixture
def buffer() -> Buffer:
    return Buffer(count().__next__)


def event(kind: EventKind, subject: str, value: str | None = None) -> Event:
    return Event(0.0, "App", kind, subject, "textbox", "Name", value)


def everything(buffer: Buffer) -> list[tuple[EventKind, str, str | None, int]]:
    events = [buffer.take() for _ in range(len(buffer))]
    return [(one.kind, one.subject, one.value, one.count) for one in events]


def test_two_hundred_changes_of_a_text_are_one_event_with_the_last_value(buffer: Buffer) -> None:
    for number in range(200):
        buffer.put(event(EventKind.TEXT, "/field", str(number)))
    assert everything(buffer) == [(EventKind.TEXT, "/field", "199", 200)]


def test_what_repeats_itself_stands_where_it_happened_last(buffer: Buffer) -> None:
    buffer.put(event(EventKind.TEXT, "/a", "1"))
    buffer.put(event(EventKind.VALUE, "/b", "2"))
    buffer.put(event(EventKind.TEXT, "/a", "3"))
    assert everything(buffer) == [(EventKind.VALUE, "/b", "2", 1), (EventKind.TEXT, "/a", "3", 2)]


def test_the_moves_of_a_window_are_one_but_each_opening_is_told(buffer: Buffer) -> None:
    for kind in (EventKind.WINDOW_OPENED, EventKind.WINDOW_MOVED, EventKind.WINDOW_MOVED, EventKind.WINDOW_OPENED):
        buffer.put(event(kind, "7"))
    assert [(kind, times) for kind, _, _, times in everything(buffer)] == [
        (EventKind.WINDOW_OPENED, 1), (EventKind.WINDOW_MOVED, 2), (EventKind.WINDOW_OPENED, 1),
    ]  # fmt: skip


def test_the_way_of_the_keyboard_is_told_whole_but_no_step_twice(buffer: Buffer) -> None:
    for subject in ("/a", "/a", "/b", "/a"):
        buffer.put(event(EventKind.FOCUS, subject))
    assert [(subject, times) for _, subject, _, times in everything(buffer)] == [("/a", 2), ("/b", 1), ("/a", 1)]


def test_the_oldest_go_where_there_are_too_many_and_are_counted(buffer: Buffer) -> None:
    for number in range(CAPACITY + 5):
        buffer.put(event(EventKind.TEXT, f"/{number}"))
    assert len(buffer) == CAPACITY == 10_000
    assert buffer.take().subject == "/5"
    assert buffer.take_dropped() == 5
    assert buffer.take_dropped() == 0
