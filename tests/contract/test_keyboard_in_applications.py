"""Text in every script arrives in the applications of every toolkit, also in those that nothing can look into."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from deskhand.desktop import keyboard
from deskhand.desktop.keyboard import Typed
from deskhand.model.effect import Effect
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform
from tests.support.applications import Application, Applications, eventually, wait_for
from tests.support.field import Field
from tests.support.other_keyboard import OtherKeyboard
from tests.support.own_desktops import OPENBOX, own_desktop

MIXED = "Grüße, é ñ ß € → 漢字かな 한국 Ωж 😀🎉, also {a} and [b]: it's 100%"
EVERY_KEY = range(8, 256)
LONG = (MIXED + " | ") * 5
PAGE = """<!doctype html><meta charset="utf-8"><title>Page</title>
<textarea aria-label="Field" rows="20" cols="80"></textarea>"""
QUIET_CHROMIUM = (
    "--force-renderer-accessibility",
    "--no-sandbox",
    "--no-first-run",
    "--disable-gpu",
    "--password-store=basic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


@pytest.fixture
def page(tmp_path: Path) -> str:
    """The address of a page with a field."""
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return path.as_uri()


Start = Callable[[], Field]


@pytest.fixture(params=["GTK 3", "GTK 4", "Qt", "Chromium", "Firefox"])
def any_field(request: pytest.FixtureRequest, applications: Applications, tmp_path: Path, page: str) -> Field:
    """A field of an application of each toolkit."""
    chromium = ("chromium", *QUIET_CHROMIUM, f"--user-data-dir={tmp_path / 'chromium'}", page)
    (tmp_path / "firefox").mkdir()
    firefox = ("firefox-esr", "--new-instance", "--profile", str(tmp_path / "firefox"), page)
    starts: dict[str, Start] = {
        "GTK 3": lambda: Field.of(applications.start("mousepad")),
        "GTK 4": lambda: Field.of(applications.start("gtk4-widget-factory")),
        "Qt": lambda: Field.of(applications.start("featherpad")),
        "Chromium": lambda: Field.of(applications.start(*chromium, seconds=60), "Field", seconds=60),
        "Firefox": lambda: Field.of(applications.start(*firefox, seconds=60), "Field", seconds=60),
    }
    return starts[request.param]()


def test_text_in_every_script_arrives(any_field: Field) -> None:
    any_field.clear_by_keys()
    any_field.type(MIXED)
    any_field.platform.keyboard.restore()
    assert any_field.comes_to(MIXED)

    any_field.clear_by_keys()
    typed(any_field, LONG)
    assert any_field.comes_to(LONG)

    keyboard.replace_text(any_field.platform, MIXED[:20], Turn())
    assert any_field.comes_to(MIXED[:20])


def test_typing_says_that_the_text_has_arrived(any_field: Field) -> None:
    for text in (MIXED, LONG):
        any_field.clear_by_keys()
        done = typed(any_field, text)
        assert (done.effect, done.arrived) == (Effect.CONFIRMED, len(text))


def typed(field: Field, text: str) -> Typed:
    """Type as the tool does."""
    return keyboard.type_text(field.platform, text, Turn())


# ---------------------------------------------------------------- a terminal


@pytest.fixture
def terminal(applications: Applications, tmp_path: Path) -> Application:
    """A terminal that writes what is typed into a file, line by line."""
    return applications.start(
        "xterm", "-u8", "-e", "sh", "-c", f"cat > {tmp_path / 'written'}", accessible=False
    ).activate()


def test_a_terminal_gets_text_in_every_script(terminal: Application, platform: Platform, tmp_path: Path) -> None:
    window = terminal.running.windows[0].id
    chinese = "".join(chr(0x4E00 + number) for number in range(150))
    platform.keyboard.type(f"{MIXED}\n", window, lambda: None)
    platform.keyboard.type(f"{chinese}\n", window, lambda: None)
    platform.keyboard.restore()
    report = keyboard.type_text(platform, f"{MIXED}\n", Turn())
    assert (report.effect, report.arrived) == (Effect.UNVERIFIED, None)
    wait_for(lambda: len(lines_of(tmp_path / "written")) >= 3, seconds=20)
    assert lines_of(tmp_path / "written") == [MIXED, chinese, MIXED]


def test_a_desktop_of_others_has_its_keyboard_as_it_was_afterwards(tmp_path: Path) -> None:
    if shutil.which("xterm") is None or shutil.which("openbox") is None:
        pytest.skip("xterm or openbox is not installed")
    text = MIXED + "".join(chr(0x4E00 + number) for number in range(40))
    with own_desktop(OPENBOX) as own, OtherKeyboard(own.environment) as other:
        before = other.symbols_of(EVERY_KEY)
        own.desktop.launch(["xterm", "-u8", "-e", "sh", "-c", f"cat > {tmp_path / 'written'}"], {})
        window = eventually(own.platform.windows.active, what="the terminal")
        assert window is not None
        own.platform.keyboard.type(f"{text}\n", window.id, lambda: None)
        own.platform.keyboard.restore()
        wait_for(lambda: lines_of(tmp_path / "written"), seconds=20)
        assert lines_of(tmp_path / "written") == [text]
        assert other.symbols_of(EVERY_KEY) == before


def lines_of(path: Path) -> list[str]:
    """The whole lines of a file."""
    if not path.exists():
        return []
    return path.read_text("utf-8").split("\n")[:-1]
