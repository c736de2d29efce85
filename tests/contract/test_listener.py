"""The listener: a person's Esc is heard, an agent's is not. How a person presses it here: see tests/support/person.py."""

import io
import select
import struct
import time
from collections.abc import Iterator

import pytest
import xcffib.xinput
import xcffib.xproto

from deskhand.model.keys import parse_chord
from deskhand.platforms.base import Escapes, Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.other_keyboard import OtherKeyboard
from tests.support.person import ESCAPE, Person

CAPS_LOCK, A = 66, 38
_CHANGE_PROPERTY = 57
_ESCAPE_SYMBOL, _CAPS_SYMBOL = 0xFF1B, 0xFFE5


@pytest.fixture
def person(desktop: EmbeddedSession) -> Iterator[Person]:
    """Somebody at the keyboard that programs do not share."""
    with Person(desktop.environment) as keyboard:
        yield keyboard


@pytest.fixture
def escapes(platform: Platform) -> Iterator[Escapes]:
    """Hears a person's Esc."""
    with platform.listener.escapes() as heard:
        yield heard


def press(keyboard: OtherKeyboard, keycode: int, device: int = 0) -> None:
    """Press a key of any device and let it go; of the one that programs share, without a device."""
    keyboard.hold(keycode, device=device)
    keyboard.let_go(keycode, device=device)


def is_heard(escapes: Escapes, seconds: float = 5) -> bool:
    """Wait until Esc has been heard."""
    deadline = time.monotonic() + seconds
    while not escapes.take():
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        select.select([escapes], [], [], left)
    return True


def heard_before(escapes: Escapes, person: Person) -> bool:
    """Whether Esc has been heard up to now: a person's Esc that is pressed now ends the wait, and is not counted."""
    person.server.sync()
    before = escapes.take()
    person.tap(ESCAPE)
    assert is_heard(escapes)
    return before


def test_the_keyboards_of_persons_are_told(platform: Platform) -> None:
    assert list(platform.listener.keyboards()) == ["Xvfb keyboard"]


def test_escape_on_a_persons_keyboard_is_heard_once(escapes: Escapes, person: Person) -> None:
    assert not escapes.take()
    person.tap(ESCAPE)
    assert is_heard(escapes)
    assert not escapes.take()


def test_other_keys_are_not_escape(escapes: Escapes, person: Person) -> None:
    person.tap(A)
    assert not heard_before(escapes, person)


def test_our_own_escape_is_not_a_persons(platform: Platform, escapes: Escapes, person: Person) -> None:
    try:
        platform.keyboard.press(parse_chord("escape"))
    finally:
        platform.keyboard.release_all()
    assert not heard_before(escapes, person)


def test_what_we_type_does_not_even_wake_the_listener(platform: Platform, escapes: Escapes, person: Person) -> None:
    """Also the layout's change from one keyboard to the other, of which every client is told, comes before."""
    press(person, A)
    escapes.take()
    for _ in range(20):
        press(person, ESCAPE)
    assert not select.select([escapes], [], [], 0.2)[0]


def test_another_programs_escape_is_not_a_persons(escapes: Escapes, person: Person) -> None:
    press(person, ESCAPE)
    assert not heard_before(escapes, person)


def test_escape_is_heard_while_a_program_has_grabbed_the_keyboard(
    desktop: EmbeddedSession, escapes: Escapes, person: Person
) -> None:
    """As menus, screen lockers and games do."""
    with OtherKeyboard(desktop.environment) as other:
        grab = other.server.core.GrabKeyboard(True, other.server.root, 0, 1, 1).reply()
        assert grab.status == xcffib.xproto.GrabStatus.Success
        person.tap(ESCAPE)
        assert is_heard(escapes)
        other.server.core.UngrabKeyboard(0)
        other.server.sync()


def test_the_key_that_the_layout_makes_escape_is_it(escapes: Escapes, person: Person) -> None:
    """As with the option caps:swapescape, of the person's keyboard alone."""
    device = person.hardware()
    person.tap(A)  # what is put on keys goes to the keyboard that was used last
    try:
        person.put(CAPS_LOCK, [_ESCAPE_SYMBOL])
        person.put(ESCAPE, [_CAPS_SYMBOL])
        person.tap(CAPS_LOCK)
        assert is_heard(escapes)
        person.tap(ESCAPE)
        assert not is_heard(escapes, 0.2)
    finally:
        person.use_layout("us", device=device)
        person.restore_layout()


def test_a_keyboard_that_is_plugged_in_later_is_heard(platform: Platform, escapes: Escapes, person: Person) -> None:
    """Nothing can be plugged in here; but a keyboard can be switched off and on again, of which the same is told."""
    device = person.hardware()
    _switch(person, device, on=False)
    assert not escapes.take()
    assert list(platform.listener.keyboards()) == []
    _switch(person, device, on=True)
    assert not escapes.take()
    person.tap(ESCAPE)
    assert is_heard(escapes)


def test_the_keyboard_of_another_seat_is_a_programs_where_xtest_made_it(escapes: Escapes, person: Person) -> None:
    """A second master keyboard comes with an XTEST keyboard of its own, which has another name."""
    xinput = person.server.extension(xcffib.xinput)
    _add_master(person, "second")
    names = {bytes(one.name.raw).decode(): one for one in xinput.XIQueryDevice(0).reply().infos}
    try:
        press(person, ESCAPE, names["second XTEST keyboard"].deviceid)
        assert not heard_before(escapes, person)
    finally:
        _remove_master(person, names["second keyboard"].deviceid)


def _switch(keyboard: OtherKeyboard, device: int, *, on: bool) -> None:
    # Not by xcffib's XIChangeProperty, whose request is too long.
    atom, kind = keyboard.server.atom("Device Enabled"), xcffib.xproto.Atom.INTEGER
    request = struct.pack("=4xHBBIIIBxxx", device, 0, 8, atom, kind, 1, on)
    xinput = keyboard.server.extension(xcffib.xinput)
    xinput.send_request(_CHANGE_PROPERTY, io.BytesIO(request), is_checked=True).check()


def _add_master(keyboard: OtherKeyboard, name: str) -> None:
    encoded = name.encode()
    change = xcffib.xinput.AddMaster.synthetic(1, 4, len(encoded), False, True, encoded)
    keyboard.server.extension(xcffib.xinput).XIChangeHierarchy(1, [change], is_checked=True).check()


def _remove_master(keyboard: OtherKeyboard, device: int) -> None:
    change = xcffib.xinput.RemoveMaster.synthetic(2, 3, device, 2, 0, 0)
    keyboard.server.extension(xcffib.xinput).XIChangeHierarchy(1, [change], is_checked=True).check()
