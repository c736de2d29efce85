"""What every clipboard must get right: what was copied is what is read, in all its forms, whoever copied it."""

import io
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from PIL import Image

from deskhand.desktop import clipboard
from deskhand.model.clipboard import Clip, text_contents
from deskhand.model.errors import Cancelled, NotAnswering, NotPossible
from deskhand.model.keys import parse_chord
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from deskhand.platforms.x11.clipboard.selection import SelectionReader
from deskhand.platforms.x11.connection import XServer
from tests.support.applications import eventually
from tests.support.field import Field
from tests.support.freezing import frozen
from tests.support.own_desktops import own_desktop
from tests.support.selection_owner import SelectionOwner, owner_of

TEXT = "Grüße, 漢字 😀\nsecond line\ttab"
FILES = b"file:///tmp/a%20b.txt\r\n# a comment\r\nhttps://example.org/\r\nfile:///tmp/%C3%BC.png\r\n"
BIG = bytes(range(256)) * 32 * 1024  # 8 MB


@pytest.fixture
def server(desktop: EmbeddedSession) -> Iterator[XServer]:
    """Another program's connection."""
    server = XServer(desktop.environment)
    yield server
    server.close()


@pytest.fixture
def reader(server: XServer) -> SelectionReader:
    """Another program that pastes."""
    return SelectionReader(server)


def soon() -> float:
    """A generous deadline."""
    return time.monotonic() + 30


def png() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (40, 30), (10, 200, 30)).save(data, "PNG")
    return data.getvalue()


# ---------------------------------------------------------------- reading what others have copied


def test_an_empty_clipboard_holds_nothing(platform: Platform, server: XServer) -> None:
    platform.clipboard.write({})
    assert platform.clipboard.read() == Clip(None, (), has_image=False)
    assert platform.clipboard.contents() == {}
    assert owner_of(server) == 0


@pytest.mark.parametrize("target", ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain"])
def test_text_is_read_in_every_form_that_programs_offer(
    target: str, desktop: EmbeddedSession, platform: Platform
) -> None:
    with SelectionOwner(desktop.environment, {target: TEXT.encode()}):
        assert platform.clipboard.read() == Clip(TEXT, (), has_image=False)


def test_text_from_before_unicode_is_latin(desktop: EmbeddedSession, platform: Platform) -> None:
    with SelectionOwner(desktop.environment, {"STRING": "Zürich".encode("latin-1")}):
        assert platform.clipboard.read().text == "Zürich"
    both = {"STRING": b"Z?rich", "UTF8_STRING": "Zürich".encode()}
    with SelectionOwner(desktop.environment, both):
        assert platform.clipboard.read().text == "Zürich"


def test_files_and_pictures_are_told(desktop: EmbeddedSession, platform: Platform) -> None:
    with SelectionOwner(desktop.environment, {"text/uri-list": FILES, "image/png": png()}):
        assert platform.clipboard.read() == Clip(None, ("file:///tmp/a%20b.txt", "file:///tmp/%C3%BC.png"), True)


def test_every_form_is_among_the_contents(desktop: EmbeddedSession, platform: Platform) -> None:
    forms = {"UTF8_STRING": b"a", "text/html": b"<b>a</b>", "application/x-own": bytes(range(256)), "image/png": png()}
    with SelectionOwner(desktop.environment, forms):
        assert platform.clipboard.contents() == forms


def test_what_an_application_has_copied_is_read(field: Field, platform: Platform) -> None:
    field.type(TEXT)
    field.press("ctrl+a")
    field.press("ctrl+c")
    eventually(lambda: platform.clipboard.read().text == TEXT, what="the copy")


# ---------------------------------------------------------------- owners that hang or die


def test_an_owner_that_hangs_is_not_waited_for(desktop: EmbeddedSession, platform: Platform) -> None:
    with SelectionOwner(desktop.environment, {"UTF8_STRING": b"late"}, hangs=True):
        begun = time.monotonic()
        with pytest.raises(NotAnswering, match="owns the clipboard does not answer"):
            platform.clipboard.read()
        assert time.monotonic() - begun >= 1.9


def test_a_late_answer_is_not_taken_for_another(desktop: EmbeddedSession, platform: Platform) -> None:
    with SelectionOwner(desktop.environment, {"UTF8_STRING": b"late"}, hangs=True) as late:
        with pytest.raises(NotAnswering):
            platform.clipboard.read()
        with SelectionOwner(desktop.environment, {"UTF8_STRING": b"new"}, hangs=True) as new:
            late.answer_at_last()
            eventually(lambda: late.asked, what="the late answer")
            new.answer_at_last()
            for _ in range(3):
                assert platform.clipboard.read().text == "new"


def test_a_frozen_application_is_not_waited_for(field: Field, platform: Platform) -> None:
    field.type("abc")
    field.press("ctrl+a")
    field.press("ctrl+c")
    eventually(lambda: platform.clipboard.read().text == "abc", what="the copy")
    with frozen(field.application.pid), pytest.raises(NotAnswering):
        platform.clipboard.read()
    assert platform.clipboard.read().text == "abc"


def test_what_an_ended_program_had_copied_is_gone(desktop: EmbeddedSession, platform: Platform) -> None:
    with SelectionOwner(desktop.environment, {"UTF8_STRING": b"gone"}):
        assert platform.clipboard.read().text == "gone"
    eventually(lambda: platform.clipboard.read() == Clip(None, (), has_image=False), what="an empty clipboard")


# ---------------------------------------------------------------- writing


def test_other_programs_read_what_was_written(platform: Platform, reader: SelectionReader) -> None:
    platform.clipboard.write(text_contents(TEXT))
    assert set(reader.targets(soon())) >= {"TARGETS", "TIMESTAMP", "UTF8_STRING", "text/plain;charset=utf-8", "TEXT"}
    for target in ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain"):
        assert reader.read(target, soon()) == TEXT.encode()
    assert reader.read("STRING", soon()) is None
    assert reader.read("application/x-unknown", soon()) is None
    assert platform.clipboard.read().text == TEXT


def test_a_clipboard_that_is_read_again_and_again_goes_on_answering(
    platform: Platform, reader: SelectionReader
) -> None:
    platform.clipboard.write(text_contents(TEXT))
    for _ in range(400):
        assert reader.read("UTF8_STRING", soon()) == TEXT.encode()
    platform.clipboard.write(text_contents("and takes something new"))
    assert platform.clipboard.read().text == "and takes something new"


def test_the_old_form_of_a_text_is_latin(platform: Platform, reader: SelectionReader) -> None:
    platform.clipboard.write(text_contents("Zürich"))
    assert reader.read("STRING", soon()) == "Zürich".encode("latin-1")


def test_pictures_and_files_are_written(platform: Platform, reader: SelectionReader) -> None:
    platform.clipboard.write({"image/png": png(), "text/uri-list": FILES})
    assert reader.read("image/png", soon()) == png()
    assert reader.read("text/uri-list", soon()) == FILES
    assert platform.clipboard.read() == Clip(None, ("file:///tmp/a%20b.txt", "file:///tmp/%C3%BC.png"), True)


def test_an_empty_text_is_a_text(platform: Platform) -> None:
    platform.clipboard.write(text_contents(""))
    assert platform.clipboard.read().text == ""


def test_eight_megabytes_go_over_in_pieces(platform: Platform, reader: SelectionReader) -> None:
    platform.clipboard.write({"application/x-big": BIG, "UTF8_STRING": b"small"})
    assert reader.read("application/x-big", soon()) == BIG
    assert reader.read("UTF8_STRING", soon()) == b"small"
    assert platform.clipboard.contents() == {"application/x-big": BIG, "UTF8_STRING": b"small"}


def test_two_programs_can_fetch_in_pieces_at_once(
    desktop: EmbeddedSession, platform: Platform, reader: SelectionReader
) -> None:
    platform.clipboard.write({"application/x-big": BIG})
    other = XServer(desktop.environment)
    first, second = reader, SelectionReader(other)
    first.ask("application/x-big")
    second.ask("application/x-big")
    assert second.answer(soon()) == BIG
    assert first.answer(soon()) == BIG
    other.close()


def test_a_program_that_vanishes_in_the_middle_harms_nobody(
    desktop: EmbeddedSession, platform: Platform, reader: SelectionReader
) -> None:
    platform.clipboard.write({"application/x-big": BIG, "UTF8_STRING": b"still here"})
    for target in ("application/x-big", "application/x-unknown", "TARGETS", "UTF8_STRING"):
        for _ in range(10):
            vanishing = XServer(desktop.environment)
            SelectionReader(vanishing).ask(target)
            vanishing.close()
    assert reader.read("UTF8_STRING", soon()) == b"still here"
    assert reader.read("application/x-big", soon()) == BIG


def test_what_was_written_survives_the_writer(desktop: EmbeddedSession, platform: Platform) -> None:
    program = textwrap.dedent(
        """
        import os
        from deskhand.platforms.x11.session import X11Session
        session = X11Session(dict(os.environ))
        platform = session.connect()
        platform.clipboard.write({"UTF8_STRING": "left behind".encode(), "text/html": b"<i>left</i>"})
        platform.close()
        session.close()
        """
    )
    subprocess.run([sys.executable, "-c", program], env=dict(desktop.environment), check=True, timeout=60)
    assert platform.clipboard.contents() == {"UTF8_STRING": b"left behind", "text/html": b"<i>left</i>"}


def test_what_was_written_survives_the_killing_of_the_writer(desktop: EmbeddedSession, platform: Platform) -> None:
    program = textwrap.dedent(
        """
        import os, signal
        from deskhand.platforms.x11.session import X11Session
        X11Session(dict(os.environ)).connect().clipboard.write({"UTF8_STRING": b"left behind"})
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    subprocess.run([sys.executable, "-c", program], env=dict(desktop.environment), check=False, timeout=60)
    assert platform.clipboard.read().text == "left behind"


def test_writing_again_takes_the_clipboard_back(desktop: EmbeddedSession, platform: Platform) -> None:
    platform.clipboard.write(text_contents("mine"))
    with SelectionOwner(desktop.environment, {"UTF8_STRING": b"theirs"}):
        assert platform.clipboard.read().text == "theirs"
        platform.clipboard.write(text_contents("mine again"))
        assert platform.clipboard.read().text == "mine again"
    assert platform.clipboard.read().text == "mine again"


def test_a_killed_holder_is_replaced(desktop: EmbeddedSession, platform: Platform) -> None:
    platform.clipboard.write(text_contents("first"))
    for holder in holders():
        holder.kill()
        holder.wait(10)
    platform.clipboard.write(text_contents("second"))
    assert platform.clipboard.read().text == "second"


def holders() -> list[psutil.Process]:
    """The processes of this one that keep a clipboard."""
    return [one for one in psutil.Process().children() if "deskhand.platforms.x11.clipboard.holder" in one.cmdline()]


def test_the_holder_ends_with_its_desktop() -> None:
    known = holders()
    with own_desktop(()) as own:
        own.platform.clipboard.write(text_contents("short-lived"))
        (holder,) = [one for one in holders() if one not in known]
        assert Path(holder.cwd()) == Path("/")
    eventually(lambda: not holder.is_running() or holder.status() == psutil.STATUS_ZOMBIE, what="the holder's end")


def test_the_holder_ends_when_nobody_needs_it_any_more(desktop: EmbeddedSession) -> None:
    with own_desktop(()) as own:
        known = holders()
        session = own.new_session()
        platform = session.connect()
        platform.clipboard.write(text_contents("mine"))
        (holder,) = [one for one in holders() if one not in known]
        session.close()
        with SelectionOwner(own.environment, {"UTF8_STRING": b"theirs"}):
            eventually(lambda: not holder.is_running(), what="the holder's end")
        platform.close()


# ---------------------------------------------------------------- pasting


def test_a_text_is_pasted_and_all_forms_are_put_back(field: Field, platform: Platform) -> None:
    before = {"UTF8_STRING": b"before", "text/html": b"<b>before</b>", "image/png": png(), "application/x-big": BIG}
    platform.clipboard.write(before)
    clipboard.paste(platform, TEXT, field.window, parse_chord("ctrl+v"), Turn())
    assert field.text() == TEXT
    assert platform.clipboard.contents() == before


def test_a_clipboard_that_was_empty_is_empty_again(field: Field, platform: Platform, server: XServer) -> None:
    platform.clipboard.write({})
    clipboard.paste(platform, TEXT * 100, field.window, parse_chord("ctrl+v"), Turn())
    assert field.text() == TEXT * 100
    assert owner_of(server) == 0


def test_an_application_that_does_not_paste_is_noticed(field: Field, platform: Platform) -> None:
    platform.clipboard.write(text_contents("before"))
    with pytest.raises(NotPossible, match="did not paste"):
        clipboard.paste(platform, TEXT, field.window, parse_chord("f9"), Turn())
    assert platform.clipboard.read().text == "before"
    assert field.text() == ""


def test_a_cancelled_paste_leaves_the_clipboard_alone(field: Field, platform: Platform) -> None:
    platform.clipboard.write(text_contents("before"))
    turn = Turn()
    turn.cancel()
    with pytest.raises(Cancelled):
        clipboard.paste(platform, TEXT, field.window, parse_chord("ctrl+v"), turn)
    assert platform.clipboard.read().text == "before"
    assert field.text() == ""


def test_another_program_that_reads_does_not_count_as_the_paste(
    platform: Platform, field: Field, reader: SelectionReader
) -> None:
    platform.clipboard.write(text_contents("x"))
    assert reader.read("UTF8_STRING", soon()) == b"x"
    assert not platform.clipboard.wait_until_pasted(field.window, 0.2)
    field.press("ctrl+v")
    assert platform.clipboard.wait_until_pasted(field.window, 20)
