"""A caller may have a new file made, and nothing else: no file is overwritten, no link followed."""

import os
from pathlib import Path

import pytest

from deskhand.guard.paths import dated_file, new_file
from deskhand.model.errors import BadArguments, PermissionMissing


def test_a_new_file_is_this_user_s_alone_and_open(tmp_path: Path) -> None:
    file = new_file(str(tmp_path / "film.mp4"), ".mp4")
    assert os.fstat(file.descriptor).st_ino == (tmp_path / "film.mp4").stat().st_ino
    assert (tmp_path / "film.mp4").stat().st_mode & 0o777 == 0o600
    assert not os.get_inheritable(file.descriptor)
    file.close()


def test_a_tilde_is_the_user_s_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    new_file("~/film.MP4", ".mp4").close()
    assert (tmp_path / "film.MP4").exists()


@pytest.mark.parametrize("kind", ["a file", "a link to a file", "a link to nothing", "a directory"])
def test_what_is_there_already_stays_as_it_is(tmp_path: Path, kind: str) -> None:
    path, other = tmp_path / "film.mp4", tmp_path / "other"
    other.write_text("mine")
    if kind == "a file":
        path.write_text("mine")
    elif kind == "a directory":
        path.mkdir()
    else:
        path.symlink_to(other if kind == "a link to a file" else tmp_path / "nothing")
    before = path.lstat()
    with pytest.raises(BadArguments, match="exists already"):
        new_file(str(path), ".mp4")
    assert path.lstat() == before
    assert other.read_text() == "mine"
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("path", ["film.mp4", "./film.mp4", "/tmp/film", "/tmp/.mp4", "/", ".mp4"])
def test_what_is_no_absolute_path_of_a_film_is_refused(path: str) -> None:
    with pytest.raises(BadArguments, match="absolute path"):
        new_file(path, ".mp4")


@pytest.mark.parametrize("name", ["a\0b.mp4", "a\ud800.mp4"])
def test_what_no_file_can_be_called_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadArguments, match="no file name has"):
        new_file(f"{tmp_path}/{name}", ".mp4")


def test_a_place_where_no_file_can_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PermissionMissing, match="cannot be made: Not a directory"):
        new_file(str(tmp_path / "file" / "film.mp4"), ".mp4")
    with pytest.raises(PermissionMissing, match="no file can be made in"):
        dated_file(tmp_path / "file", ".mp4")


def test_two_files_of_one_second_have_names_of_their_own(tmp_path: Path) -> None:
    files = [dated_file(tmp_path, ".mp4") for _ in range(5)]
    assert len({file.path for file in files}) == len(list(tmp_path.iterdir())) == 5
    for file in files:
        file.close()


def test_a_discarded_file_is_gone_but_not_what_has_taken_its_place(tmp_path: Path) -> None:
    file = new_file(str(tmp_path / "film.mp4"), ".mp4")
    file.discard()
    assert not list(tmp_path.iterdir())
    file = new_file(str(tmp_path / "film.mp4"), ".mp4")
    (tmp_path / "film.mp4").rename(tmp_path / "moved.mp4")
    (tmp_path / "film.mp4").write_text("another")
    file.discard()
    assert (tmp_path / "film.mp4").read_text() == "another"
