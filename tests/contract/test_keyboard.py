"""What every keyboard must get right: the text that arrives is the text that was asked for, and nothing stays pressed."""

import string
from collections.abc import Callable, Iterator

import pytest

from deskhand.desktop import keyboard
from deskhand.model.errors import BadArguments, Cancelled, NotAnswering
from deskhand.model.geometry import Rect
from deskhand.model.keys import Modifier, parse_chord
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.keyboard.keyboard import X11Keyboard
from tests.support.applications import eventually
from tests.support.field import Field
from tests.support.freezing import frozen
from tests.support.other_keyboard import ALT_L, CAPS, CONTROL_L, NUM, SHIFT_L, SUPER_L, OtherKeyboard
from tests.support.x_window import XWindow

ASCII = "".join(map(chr, range(0x20, 0x7F)))
FOREIGN = "äöüß€éñÄÖÜÉÑ 漢字かな한국Ωж😀🎉"
MIXED = "Grüße, é ñ ß € → 漢字かな 한국 Ωж 😀🎉, also {a} and [b]: it's 100%"
SHIFT, CTRL, ALT = 1, 4, 8
SPARE_KEYS = range(200, 256)
KEY_EQUAL, KEY_F4, KEY_S, KEY_A = 21, 70, 39, 38
CHINESE = [chr(0x4E00 + number) for number in range(150)]


class KeyWindow(XWindow):
    """A window that notes which keys come to it."""

    def pressed(self) -> list[tuple[int, int]]:
        """Each key that was pressed, and the modifiers that were held before."""
        return [(keycode, held) for was_pressed, keycode, held in self.listen().keys if was_pressed]

    def released(self) -> list[int]:
        """Each key that was let go."""
        return [keycode for was_pressed, keycode, _ in self.listen().keys if not was_pressed]


def press(platform: Platform, written: str) -> None:
    """Press a chord and let it go."""
    keyboard.stroke(platform, parse_chord(written))


@pytest.fixture
def plain(desktop: EmbeddedSession) -> Iterator[KeyWindow]:
    """A window that notes which keys come to it."""
    with KeyWindow(desktop.environment, Rect(300, 300, 200, 100)) as window:
        window.focus()
        yield window


@pytest.fixture
def layout(other: OtherKeyboard) -> Iterator[Callable[[str], None]]:
    """Sets the layout of the keyboard for one test."""
    yield other.use_layout
    other.restore_layout()


# ---------------------------------------------------------------- characters


@pytest.mark.parametrize("name", ["us", "de", "fr", "dvorak"])
def test_every_character_arrives_in_every_layout(name: str, field: Field, layout: Callable[[str], None]) -> None:
    layout({"dvorak": "us(dvorak)"}.get(name, name))
    field.type(ASCII + FOREIGN)
    assert field.text() == ASCII + FOREIGN


def test_every_character_arrives_while_another_group_is_active(
    field: Field, layout: Callable[[str], None], other: OtherKeyboard
) -> None:
    layout("us,ru")
    other.use_group(1)
    field.type("Привет, мир! " + ASCII + FOREIGN)
    assert field.text() == "Привет, мир! " + ASCII + FOREIGN


@pytest.mark.parametrize("locks", [CAPS, NUM, CAPS | NUM])
@pytest.mark.parametrize("name", ["us", "de", "fr", "ru"])
def test_locks_change_neither_the_text_nor_themselves(
    locks: int, name: str, field: Field, layout: Callable[[str], None], other: OtherKeyboard
) -> None:
    layout(name)
    other.lock(locks)
    text = ASCII + FOREIGN + "æłđŋħ@µÆŁĐ жЖ"
    field.type(text)
    assert field.text() == text
    assert other.modifiers == (0, 0, locks)
    assert field.platform.keyboard.locks() == (bool(locks & CAPS), bool(locks & NUM))


def test_more_different_characters_than_there_are_keys_for_arrive_in_order(field: Field) -> None:
    text = "".join(CHINESE) + "a" + "".join(reversed(CHINESE)) + "".join(CHINESE[::7] * 3)
    field.type(text)
    assert field.text() == text


def test_characters_of_earlier_texts_stay_right_when_their_keys_are_needed(field: Field) -> None:
    texts = ["".join(CHINESE[start : start + 40]) for start in range(0, 120, 40)]
    texts.append(CHINESE[0] + "".join(CHINESE[90:150]) + CHINESE[0] + CHINESE[95])
    for text in texts:
        field.type(text)
    assert field.text() == "".join(texts)


def test_spare_keys_that_somebody_else_took_are_not_relied_on(field: Field, other: OtherKeyboard) -> None:
    field.type("漢字")
    placed = list(other.symbols_of(SPARE_KEYS))
    try:
        for keycode in placed:
            other.put(keycode, [ord("x"), ord("X")])
        field.type("漢字かx")
        assert field.text() == "漢字漢字かx"
        field.platform.keyboard.restore()
        for symbols in other.symbols_of(SPARE_KEYS).values():
            assert set(symbols) == {ord("x"), ord("X")}
    finally:
        other.restore_layout()


def test_a_layout_change_between_texts_is_noticed(field: Field, layout: Callable[[str], None]) -> None:
    for name in ("us", "de", "fr", "us"):
        layout(name)
        field.type("zyaq漢ü ")
    assert field.text() == "zyaq漢ü " * 4


def test_text_goes_by_the_layout_of_the_keyboard_that_sends_it(field: Field, other: OtherKeyboard) -> None:
    hardware = other.hardware()
    try:
        other.use_layout("fr", device=hardware)
        for _ in range(2):
            # Whoever presses a key last decides which layout programs see, until the next key.
            other.hold(SHIFT_L, device=hardware)
            other.let_go(SHIFT_L, device=hardware)
            field.type("qa;1Ä漢 ")
        assert field.text() == "qa;1Ä漢 " * 2
    finally:
        other.restore_layout()


def test_a_thousand_characters_are_exact(field: Field) -> None:
    text = (string.ascii_letters + string.digits + string.punctuation + " ") * 11
    field.type(text[:1000])
    assert field.text() == text[:1000]


def test_new_lines_and_tabs_are_keys(field: Field) -> None:
    field.type("one\ttwo\nthree\r\nfour\rfive\n")
    assert field.text() == "one\ttwo\nthree\nfour\nfive\n"


@pytest.mark.parametrize("code_point", [0x00, 0x07, 0x1B, 0x7F, 0x85, 0xD800, 0xDFFF])
def test_what_no_key_writes_is_refused_before_the_first_key(
    code_point: int, field: Field, other: OtherKeyboard
) -> None:
    with pytest.raises(BadArguments, match=rf"U\+{code_point:04X} at position 3"):
        field.type(f"abc{chr(code_point)}def")
    assert field.text() == ""
    assert other.down == []


def test_taking_back_right_after_typing_loses_nothing(field: Field, other: OtherKeyboard) -> None:
    field.type(MIXED)
    field.platform.keyboard.restore()
    assert field.text() == MIXED
    assert other.symbols_of(SPARE_KEYS) == {}


# ---------------------------------------------------------------- modifiers


@pytest.mark.parametrize("keycode", [SHIFT_L, CONTROL_L, ALT_L, SUPER_L])
def test_a_modifier_that_somebody_holds_makes_no_command_of_the_text(
    keycode: int, field: Field, other: OtherKeyboard
) -> None:
    other.hold(keycode)
    field.type("aqw Ä漢")
    assert field.text() == "aqw Ä漢"
    assert other.down == []


def test_a_modifier_held_on_another_keyboard_makes_no_command_of_the_text(field: Field, other: OtherKeyboard) -> None:
    hardware = other.hardware()
    other.hold(CONTROL_L, device=hardware)
    field.type("aqw Ä漢")
    assert field.text() == "aqw Ä漢"
    assert other.modifiers == (0, 0, 0)
    other.let_go(CONTROL_L, device=hardware)
    assert other.down == []


def test_a_sticky_modifier_is_not_taken_along(field: Field, other: OtherKeyboard) -> None:
    other.latch(SHIFT_L)
    assert other.modifiers[1]
    field.type("abc")
    assert field.text() == "abc"
    assert other.modifiers == (0, 0, 0)


def test_held_modifiers_are_named(field: Field, other: OtherKeyboard) -> None:
    assert field.platform.keyboard.held_modifiers() == []
    other.hold(SHIFT_L)
    other.hold(SUPER_L)
    assert field.platform.keyboard.held_modifiers() == ["Shift", "Super"]


def test_nothing_is_held_after_a_text(field: Field, other: OtherKeyboard) -> None:
    field.type("AbC{}ü€漢")
    assert other.down == []
    assert other.modifiers == (0, 0, 0)


def test_a_stopped_text_is_cut_and_leaves_nothing_held(field: Field, other: OtherKeyboard) -> None:
    rounds: list[int] = []

    def stop_soon() -> None:
        rounds.append(1)
        if len(rounds) == 3:
            raise Cancelled("the call was cancelled")

    text = "ABC漢字{}" * 60
    with pytest.raises(Cancelled) as caught:
        field.platform.keyboard.type(text, field.window, stop_soon)
    assert other.down == []
    assert other.modifiers == (0, 0, 0)
    assert caught.value.typed
    eventually(lambda: len(field.text()) >= (caught.value.typed or 0), what="what was typed")
    arrived = field.text()
    assert len(arrived) == caught.value.typed
    assert text.startswith(arrived)
    assert 0 < len(arrived) < len(text)


def test_an_app_that_takes_no_keys_gets_none_that_are_wrong(field: Field, other: OtherKeyboard) -> None:
    text = "".join(CHINESE)
    field.platform.keyboard.restore()  # so that there is room for the first characters
    with frozen(field.application.pid):
        with pytest.raises(NotAnswering):
            field.type(text)
        assert other.down == []
        field.platform.keyboard.restore()
    arrived = field.text()
    assert arrived
    assert text.startswith(arrived)


def test_a_text_that_is_stopped_does_not_go_on_in_an_app_that_is_slow(field: Field) -> None:
    calls = iter(range(3))

    def stop_while_waiting() -> None:
        if next(calls, None) is None:
            raise Cancelled("the call was cancelled")

    text = string.ascii_lowercase * 400
    with frozen(field.application.pid), pytest.raises(Cancelled):
        field.platform.keyboard.type(text, field.window, stop_while_waiting)
    arrived = field.text()
    assert text.startswith(arrived)
    assert 0 < len(arrived) < 500


# ---------------------------------------------------------------- chords


def test_a_chord_acts(field: Field) -> None:
    field.type("hello")
    field.press("ctrl+a")
    field.type("X")
    assert field.text() == "X"


def test_a_chord_with_two_modifiers_acts(field: Field) -> None:
    field.type("one two three")
    field.press("ctrl+shift+left")
    field.press("ctrl+shift+left")
    field.press("backspace")
    assert field.text() == "one "


def test_shift_and_tab_is_a_tab_backwards(field: Field) -> None:
    field.type("\tindented")
    field.press("ctrl+a")
    field.press("shift+tab")
    assert field.text() == "indented"


def test_a_character_that_needs_shift_gets_it_in_a_chord(plain: KeyWindow, platform: Platform) -> None:
    press(platform, "ctrl++")
    assert plain.pressed() == [(CONTROL_L, 0), (SHIFT_L, CTRL), (KEY_EQUAL, CTRL | SHIFT)]
    assert plain.released() == [KEY_EQUAL, SHIFT_L, CONTROL_L]


def test_exactly_the_keys_of_a_chord_are_pressed(plain: KeyWindow, platform: Platform) -> None:
    press(platform, "ctrl+shift+=")
    assert plain.pressed() == [(CONTROL_L, 0), (SHIFT_L, CTRL), (KEY_EQUAL, CTRL | SHIFT)]
    press(platform, "shift+alt+f4")
    assert plain.pressed()[3:] == [(SHIFT_L, 0), (ALT_L, SHIFT), (KEY_F4, SHIFT | ALT)]


def test_a_shortcut_written_with_a_capital_holds_no_shift(plain: KeyWindow, platform: Platform) -> None:
    press(platform, "Ctrl+S")
    assert plain.pressed() == [(CONTROL_L, 0), (KEY_S, CTRL)]
    press(platform, "Ctrl+Shift+S")
    assert plain.pressed()[2:] == [(CONTROL_L, 0), (SHIFT_L, CTRL), (KEY_S, CTRL | SHIFT)]
    press(platform, "A")
    assert plain.pressed()[5:] == [(SHIFT_L, 0), (KEY_A, SHIFT)]


def test_a_modifier_alone_is_a_key(plain: KeyWindow, platform: Platform) -> None:
    press(platform, "super")
    assert plain.pressed() == [(SUPER_L, 0)]
    assert plain.released() == [SUPER_L]


def test_held_modifiers_go_with_a_chord(plain: KeyWindow, platform: Platform, other: OtherKeyboard) -> None:
    platform.keyboard.hold([Modifier.SHIFT, Modifier.CTRL])
    assert sorted(other.down) == [CONTROL_L, SHIFT_L]
    platform.keyboard.press(parse_chord("plus"))
    platform.keyboard.release_all()
    assert other.down == []
    assert plain.pressed() == [(SHIFT_L, 0), (CONTROL_L, SHIFT), (KEY_EQUAL, CTRL | SHIFT)]


@pytest.mark.parametrize(
    ("name", "near"), [("entr", "enter"), ("page_dwn", "page_down"), ("arowleft", "arrowleft"), ("f99", "f9")]
)
def test_an_unknown_key_is_refused_with_a_suggestion(name: str, near: str, field: Field, other: OtherKeyboard) -> None:
    with pytest.raises(BadArguments, match=rf"no key called '{name}' \(did you mean .*\b{near}\b"):
        field.press(f"ctrl+{name}")
    assert other.down == []


def test_keys_go_by_the_names_x_has_for_them(field: Field) -> None:
    for name in ("eacute", "Greek_omega", "EuroSign", "KP_Add", "adiaeresis"):
        field.press(name)
    assert field.text() == "éω€+ä"


@pytest.mark.parametrize("group", [0, 1])
def test_shortcuts_work_while_another_group_is_active(
    group: int, field: Field, layout: Callable[[str], None], other: OtherKeyboard
) -> None:
    layout("us,ru")
    other.use_group(group)
    field.type("текст text")
    field.press("ctrl+a")
    field.press("ctrl+x")
    assert field.text() == ""
    field.press("ctrl+v")
    assert field.text() == "текст text"


def test_shortcuts_work_in_a_layout_without_latin_letters(field: Field, layout: Callable[[str], None]) -> None:
    layout("ru")
    field.type("текст")
    field.press("ctrl+a")
    field.press("delete")
    assert field.text() == ""


@pytest.mark.parametrize("name", ["us", "fr", "dvorak", "ru"])
def test_a_key_named_by_its_character_writes_it(
    name: str, field: Field, layout: Callable[[str], None], other: OtherKeyboard
) -> None:
    layout({"dvorak": "us(dvorak)", "ru": "us,ru"}.get(name, name))
    other.use_group(int(name == "ru"))
    for character in "aZ1@é漢":
        field.press(character)
    assert field.text() == "aZ1@é漢"


def test_a_key_of_the_keypad_does_what_num_lock_says(field: Field, other: OtherKeyboard) -> None:
    field.type("ab")
    field.press("kp_7")  # Home, as the key says too
    other.lock(NUM)
    field.press("kp_7")
    assert field.text() == "7ab"


@pytest.mark.parametrize(
    ("name", "keysym"),
    [("XF86Launch9", 0x1008FF49), ("F24", 0xFFD5), ("F35", 0xFFE0), ("0xffd6", 0xFFD6), ("hebrew_aleph", 0xCE0)],
)
def test_a_key_that_the_layout_lacks_goes_by_a_spare_one(
    name: str, keysym: int, plain: KeyWindow, platform: Platform, other: OtherKeyboard
) -> None:
    press(platform, f"ctrl+{name}")
    (control, _), (keycode, held) = plain.pressed()
    assert (control, held) == (CONTROL_L, CTRL)
    assert set(other.symbols_of(range(keycode, keycode + 1))[keycode]) <= {keysym, 0x1000000 | 0x5D0}


def test_a_dead_key_that_the_layout_lacks_works_on_the_letter_after_it(field: Field) -> None:
    for name in ("dead_acute", "e", "dead_circumflex", "A"):
        field.press(name)
    assert field.text() == "éÂ"


def test_a_character_is_named_by_its_number_too(field: Field) -> None:
    for name in ("U20AC", "0x20ac", "U0041"):
        field.press(name)
    assert field.text() == "€€A"


def test_a_control_character_is_the_key_that_is_meant_by_it(field: Field) -> None:
    for name in ("a", "b", "\b", "c", "\x7f"):
        field.press(name)
    assert field.text() == "ac"


@pytest.mark.parametrize("name", ["U110000", "UD800", "U7", "0x0", "0xfffffffff", "hyper_l_key", "\0", "\x01"])
def test_what_is_no_key_is_refused(name: str, plain: KeyWindow, platform: Platform) -> None:
    with pytest.raises(BadArguments, match="there is no key called"):
        press(platform, name)
    assert plain.pressed() == []


# ---------------------------------------------------------------- several processes


def test_what_another_process_has_left_on_spare_keys_is_used_and_taken_back(
    desktop: EmbeddedSession, field: Field, other: OtherKeyboard
) -> None:
    field.platform.keyboard.restore()
    left = X11Keyboard(XServer(desktop.environment))  # it never takes anything back, as if it had been killed
    left.type("".join(CHINESE[:56]), field.window, lambda: None)
    assert len(other.symbols_of(SPARE_KEYS)) == 56
    text = "漢字" + "".join(CHINESE[10:40])
    field.type(text)
    assert field.text() == "".join(CHINESE[:56]) + text
    field.platform.keyboard.restore()
    assert other.symbols_of(SPARE_KEYS) == {}


def test_a_keyboard_that_only_looked_takes_nothing_back(
    desktop: EmbeddedSession, field: Field, other: OtherKeyboard
) -> None:
    field.type("漢字")
    looking = desktop.connect()
    assert looking.keyboard.locks() == (False, False)
    looking.close()
    assert other.symbols_of(SPARE_KEYS) != {}


def test_a_closed_platform_lets_go_and_takes_back(desktop: EmbeddedSession, field: Field, other: OtherKeyboard) -> None:
    field.platform.keyboard.restore()
    platform = desktop.connect()
    platform.keyboard.type("漢字", field.window, lambda: None)
    platform.keyboard.hold([Modifier.CTRL])
    assert other.symbols_of(SPARE_KEYS) != {}
    assert other.down == [CONTROL_L]
    platform.close()
    assert other.symbols_of(SPARE_KEYS) == {}
    assert other.down == []
    assert field.text() == "漢字"
