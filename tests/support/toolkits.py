"""One application of each toolkit, and what is known of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from sys import executable
from typing import Final

from tests.support import form

PAGE: Final = Path(__file__).with_name("page.html")
Row = tuple[str, str, str | None]
"""Role, title and value."""

_CHROMIUM: Final = (
    "chromium", "--force-renderer-accessibility", "--no-sandbox", "--no-first-run", "--disable-gpu",
    "--disable-dev-shm-usage", "--password-store=basic", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1000,900",
)  # fmt: skip
_FIREFOX_PREFERENCES: Final = """
user_pref("browser.aboutwelcome.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("signon.rememberSignons", false);
user_pref("app.normandy.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
"""


@dataclass(frozen=True, slots=True)
class Toolkit:
    """How to start its application in a folder of its own, and rows that are in its compact tree."""

    name: str
    command: Callable[[Path], tuple[str, ...]]
    rows: tuple[Row, ...]
    most_rows: int
    environment: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


def _chromium(folder: Path) -> tuple[str, ...]:
    return (*_CHROMIUM, f"--user-data-dir={folder}", PAGE.as_uri())


def _firefox(folder: Path) -> tuple[str, ...]:
    (folder / "user.js").write_text(_FIREFOX_PREFERENCES)
    return ("firefox-esr", "--new-instance", "--profile", str(folder), PAGE.as_uri())


def _writer(folder: Path) -> tuple[str, ...]:
    home = f"-env:UserInstallation={folder.as_uri()}"
    return ("libreoffice", "--norestore", "--nologo", "--nofirststartwizard", home, "--writer")


_PAGE_ROWS: Final[tuple[Row, ...]] = (
    ("heading", "Order form", None),
    ("link", "terms", None),
    ("textbox", "Name", "Ada"),
    ("textbox", "Password", "(hidden)"),
    ("checkbox", "Gift wrap", "unchecked"),
    ("radio", "Small", "checked"),
    ("radio", "Large", "unchecked"),
    ("combobox", "Colour", "Red"),
    ("spinbutton", "Amount", "3"),
    ("slider", "Volume", "40"),
    ("textbox", "Notes", "line one"),
    ("button", "Press me", None),
    ("button", "Disabled", None),
    ("listitem", "First item", None),
    ("listitem", "Second item", None),
    ("columnheader", "Key", None),
    ("cell", "one", None),
)
GTK3: Final = Toolkit(
    "gtk3",
    lambda _: (executable, form.PROGRAM, "Form of GTK 3"),
    (
        ("window", "Form of GTK 3", None),
        ("label", "said: nothing", None),
        ("textbox", "Name", ""),
        ("textbox", "Password", "(hidden)"),
        ("checkbox", "Agree", "unchecked"),
        ("slider", "Volume", "0"),
        ("button", "Press me", None),
        ("button", "Disabled", None),
    ),
    16,
)
GTK4: Final = Toolkit(
    "gtk4",
    lambda _: ("gnome-calculator",),
    (
        ("window", "Calculator", None),
        ("button", "Undo", None),
        ("button", "Primary menu", None),
        ("button", "4", None),
        ("button", "π", None),
        ("button", "Clear Display [Escape]", None),
        ("textbox", "", ""),
    ),
    40,
)
QT: Final = Toolkit(
    "qt",
    lambda _: ("featherpad", "--standalone"),
    (
        ("tab", "Untitled", "selected"),
        ("menuitem", "File", None),
        ("button", "New", None),
        ("button", "Next (F3)", None),
        ("checkbox", "Match Case (F5)", "unchecked"),
        ("textbox", "Search...", ""),
    ),
    40,
)
CHROMIUM: Final = Toolkit(
    "chromium",
    _chromium,
    (
        *_PAGE_ROWS,
        ("paragraph", "Please read the terms below.", None),
        ("button", "Reload", None),
        ("tab", "Order form", "selected"),
    ),
    70,
)
FIREFOX: Final = Toolkit(
    "firefox",
    _firefox,
    (*_PAGE_ROWS, ("paragraph", "", "Please read the terms below."), ("button", "Reload", None)),
    75,
)
WRITER: Final = Toolkit(
    "writer",
    _writer,
    (
        ("menu", "File", None),
        ("button", "Save", None),
        ("button", "Bold", "not pressed"),
        ("textbox", "Font Size", "12 pt"),
        ("button", "Gallery", "not pressed"),
        ("paragraph", "", ""),
        ("label", "", "Page 1 of 1"),
    ),
    110,
)
ALL: Final = (GTK3, GTK4, QT, CHROMIUM, FIREFOX, WRITER)
