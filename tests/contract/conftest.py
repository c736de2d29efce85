"""What the contract tests share: an editor to type into, and somebody else at the keyboard."""

from collections.abc import Iterator

import pytest

from deskhand.platforms.base import Platform
from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import Applications
from tests.support.field import Field
from tests.support.other_keyboard import OtherKeyboard


@pytest.fixture(scope="module")
def open_field(desktop: EmbeddedSession, platform: Platform) -> Iterator[Field]:
    """The text of a GTK 3 editor, for all tests of a file."""
    with Applications(desktop, platform) as started:
        yield Field.of(started.start("mousepad"))


@pytest.fixture
def field(open_field: Field) -> Field:
    """The text of a GTK 3 editor: empty, and with the keyboard."""
    open_field.clear()
    return open_field


@pytest.fixture
def other(desktop: EmbeddedSession) -> Iterator[OtherKeyboard]:
    """Somebody else at the same keyboard."""
    with OtherKeyboard(desktop.environment) as keyboard:
        yield keyboard
