"""Closing windows and quitting applications: it is done, or it is told what is asked first."""

from collections.abc import Iterator

import pytest

from deskhand.desktop import closing
from deskhand.model.errors import NotPossible
from deskhand.model.turn import Turn
from deskhand.platforms.base import Platform
from tests.support.applications import Application


@pytest.fixture
def turn() -> Iterator[Turn]:
    turn = Turn()
    yield turn
    turn.close()


def windows_of(platform: Platform, pid: int) -> list[str]:
    return [window.title for window in platform.windows.all() if window.pid == pid]


def test_a_window_closes(platform: Platform, editor: Application, turn: Turn) -> None:
    closing.close(platform, editor.running.windows[0], turn)
    assert windows_of(platform, editor.pid) == []


def test_an_application_quits(platform: Platform, editor: Application, turn: Turn) -> None:
    closing.quit_app(platform, editor.running, turn)
    assert windows_of(platform, editor.pid) == []


@pytest.mark.parametrize("whole", [False, True], ids=["close", "quit"])
def test_a_question_is_told_and_nothing_is_lost(
    platform: Platform, editor: Application, turn: Turn, whole: bool
) -> None:
    assert platform.accessibility.set_text(editor.find("textbox").node, "unsaved")
    app = editor.running

    def close() -> None:
        if whole:
            closing.quit_app(platform, app, turn)
        else:
            closing.close(platform, app.windows[0], turn)

    with pytest.raises(NotPossible, match="'Save Changes' has come"):
        close()
    assert "Save Changes" in windows_of(platform, editor.pid)
    assert len(windows_of(platform, editor.pid)) == 2
