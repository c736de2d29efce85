"""What deskhand keeps lies in directories that only this user can read."""

import os
import stat
from pathlib import Path

import pytest

from deskhand.guard import places
from deskhand.guard.places import private_directory
from deskhand.model.errors import PermissionMissing


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_directory_is_closed_to_others(tmp_path: Path) -> None:
    made = private_directory(tmp_path / "a" / "b")
    assert mode(made) == 0o700


def test_one_that_is_open_to_others_is_closed(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    assert mode(private_directory(tmp_path / "open")) == 0o700


def test_a_file_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PermissionMissing, match="cannot be used"):
        private_directory(tmp_path / "file")


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionMissing):
        private_directory(tmp_path / "link")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_one_of_somebody_else_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", 12345, 12345)
    with pytest.raises(PermissionMissing, match="not a directory of this user") as raised:
        private_directory(tmp_path / "theirs")
    assert str(tmp_path / "theirs") in raised.value.recovery


def test_they_lie_where_the_desktop_standard_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME"):
        monkeypatch.setenv(f"XDG_{name}", str(tmp_path / name))
    assert places.runtime_directory() == tmp_path / "RUNTIME_DIR" / "deskhand"
    assert places.state_directory() == tmp_path / "STATE_HOME" / "deskhand"
    assert places.config_directory() == tmp_path / "CONFIG_HOME" / "deskhand"


def test_without_a_runtime_directory_one_of_this_user_alone_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    found = places.runtime_directory()
    assert mode(found) == mode(found.parent) == 0o700
    assert found.parent.stat().st_uid == os.getuid()
