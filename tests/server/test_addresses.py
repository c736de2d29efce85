"""Places to listen at: who could reach them, what is in their place, what is left of them."""

import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand.model.errors import CannotListen
from deskhand.server.addresses import open_port, open_socket_file


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder of our own, with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="dh-") as made:
        yield Path(made)


class TestPorts:
    """This machine alone, where no token is wanted."""

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.7", "localhost"])
    def test_the_loopback_needs_no_token(self, host: str) -> None:
        port = open_port(host, 0, has_token=False)
        assert port.number > 0
        port.close()

    @pytest.mark.parametrize("host", ["0.0.0.0", "0", ""])
    def test_the_network_does(self, host: str) -> None:
        with pytest.raises(CannotListen):
            open_port(host or "0.0.0.0", 0, has_token=False)
        open_port("0.0.0.0", 0, has_token=True).close()

    def test_a_port_that_is_taken_is_told(self) -> None:
        port = open_port("127.0.0.1", 0, has_token=False)
        with pytest.raises(CannotListen, match="Address already in use"):
            open_port("127.0.0.1", port.number, has_token=False)
        port.close()

    @pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.7", "300.1.1.1", "x" * 300, "a..b"])
    def test_what_is_no_address_here_is_told(self, host: str) -> None:
        with pytest.raises(CannotListen):
            open_port(host, 0, has_token=True)


class TestSocketFiles:
    """One server at a time, of this user."""

    def test_only_this_user_can_reach_it_and_it_goes_with_its_server(self, folder: Path) -> None:
        opened = open_socket_file(folder / "it")
        assert stat.S_IMODE((folder / "it").stat().st_mode) == 0o600
        opened.close()
        assert list(folder.iterdir()) == []

    def test_one_that_nobody_listens_on_is_replaced(self, folder: Path) -> None:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(folder / "it"))
        opened = open_socket_file(folder / "it")
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(str(folder / "it"))
        opened.close()

    def test_one_that_is_listened_on_is_not(self, folder: Path) -> None:
        opened = open_socket_file(folder / "it")
        with pytest.raises(CannotListen, match="a server answers at"):
            open_socket_file(folder / "it")
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(str(folder / "it"))
        opened.close()

    def test_what_has_taken_its_place_is_left_alone(self, folder: Path) -> None:
        opened = open_socket_file(folder / "it")
        (folder / "it").unlink()
        (folder / "it").write_text("somebody else's")
        opened.close()
        assert (folder / "it").read_text() == "somebody else's"

    def test_what_is_no_socket_is_left_alone(self, folder: Path) -> None:
        (folder / "it").write_text("precious")
        with pytest.raises(CannotListen, match="is no socket"):
            open_socket_file(folder / "it")
        assert (folder / "it").read_text() == "precious"

    def test_a_link_to_a_socket_is_left_alone(self, folder: Path) -> None:
        (folder / "it").symlink_to(folder / "elsewhere")
        with pytest.raises(CannotListen):
            open_socket_file(folder / "it")
        assert (folder / "it").is_symlink()

    def test_a_directory_that_others_can_write_in_is_refused(self, folder: Path) -> None:
        folder.chmod(0o777)
        with pytest.raises(CannotListen, match="others can write in the directory"):
            open_socket_file(folder / "it")
        folder.chmod(0o1777)  # where nobody can rename what belongs to others, as in /tmp
        open_socket_file(folder / "it").close()
        folder.chmod(0o700)

    def test_a_directory_or_socket_of_another_user_is_refused(self, folder: Path) -> None:
        if os.getuid() != 0:
            pytest.skip("only root can give a file away")
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(folder / "it"))
        os.chown(folder / "it", 65534, 65534)
        with pytest.raises(CannotListen, match="belongs to another user"):
            open_socket_file(folder / "it")
        os.chown(folder, 65534, 65534)
        with pytest.raises(CannotListen, match="belongs to another user"):
            open_socket_file(folder / "other")

    def test_what_cannot_be_is_told(self, folder: Path) -> None:
        with pytest.raises(CannotListen, match="longer than the 107 bytes"):
            open_socket_file(folder / ("x" * 120))
        with pytest.raises(CannotListen, match="No such file"):
            open_socket_file(folder / "none" / "it")
