"""Media players, by the interface that all of them have on the session bus (MPRIS 2).

Source: the MPRIS D-Bus Interface Specification 2.2.
"""

import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from deskhand.model.errors import Unsupported
from deskhand.model.sound import Track
from deskhand.platforms.linux.dbus import BusError, Call, Connection, ConnectionLost, Unanswered

_BUS: Final = "org.freedesktop.DBus"
_PREFIX: Final = "org.mpris.MediaPlayer2."
_PATH: Final = "/org/mpris/MediaPlayer2"
_PLAYER: Final = "org.mpris.MediaPlayer2.Player"
_APPLICATION: Final = "org.mpris.MediaPlayer2"
_PROPERTIES: Final = "org.freedesktop.DBus.Properties"
_PROXY: Final = f"{_PREFIX}playerctld"
"""Not a player: it repeats what another one says."""
_MOST_PLAYERS: Final = 40
_ANSWER_SECONDS: Final = 1.0
_SHOWN: Final = ("Playing", "Paused")


class LinuxPlayers:
    """The media players of a session."""

    def __init__(self, bus_address: str) -> None:
        self._bus_address = bus_address

    def tracks(self) -> Sequence[Track]:
        """See the port. A player that does not answer is left out. Raises Unsupported where there is no session bus."""
        try:
            with contextlib.closing(Connection(self._bus_address)) as bus:
                return self._tracks(bus)
        except (ConnectionLost, BusError, Unanswered) as error:
            raise Unsupported(
                f"players cannot be asked, for the session bus is out of reach: {error}",
                recovery="start the server inside a desktop session (DBUS_SESSION_BUS_ADDRESS), or with --embedded",
            ) from None

    def _tracks(self, bus: Connection) -> Sequence[Track]:
        names = bus.call(Call(_BUS, "/org/freedesktop/DBus", _BUS, "ListNames"))
        players = [name for name in names if name.startswith(_PREFIX) and name != _PROXY][:_MOST_PLAYERS]
        questions: list[Call] = []
        for one in players:
            questions.append(Call(one, _PATH, _PROPERTIES, "GetAll", "s", (_PLAYER,)))
            questions.append(Call(one, _PATH, _PROPERTIES, "Get", "ss", (_APPLICATION, "Identity")))
            questions.append(Call(_BUS, "/org/freedesktop/DBus", _BUS, "GetNameOwner", "s", (one,)))
        answers = bus.batch(questions, timeout=_ANSWER_SECONDS)
        found: list[tuple[bool, int, Track]] = []
        for index, one in enumerate(players):
            state, identity, owner = answers[3 * index : 3 * index + 3]
            if isinstance(state, dict) and state.get("PlaybackStatus") in _SHOWN:
                name = identity if isinstance(identity, str) else one.removeprefix(_PREFIX)
                track = _track(name, state)
                found.append((track.playing, _age(owner), track))
        return [track for *_, track in sorted(found, key=lambda each: each[:2], reverse=True)]


def _age(owner: object) -> int:
    """A number that is higher the later an owner has joined the bus: the second one in ":1.42"."""
    number = owner.rpartition(".")[2] if isinstance(owner, str) else ""
    return int(number) if number.isdecimal() else 0


def _track(player: str, state: Mapping[str, Any]) -> Track:
    """What a player says of itself; anything may be lacking, or of another type than it should be."""
    metadata = state.get("Metadata")
    about: Mapping[str, Any] = metadata if isinstance(metadata, dict) else {}
    return Track(
        player=player,
        title=_text(about.get("xesam:title")) or _file_name(_text(about.get("xesam:url"))),
        artist=_text(about.get("xesam:artist")),
        album=_text(about.get("xesam:album")),
        elapsed=_seconds(state.get("Position")),
        length=_seconds(about.get("mpris:length")),
        playing=state["PlaybackStatus"] == "Playing",
    )


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(one for one in value if isinstance(one, str))
    return value if isinstance(value, str) else ""


def _seconds(microseconds: object) -> float | None:
    if isinstance(microseconds, bool) or not isinstance(microseconds, int | float):
        return None
    return round(microseconds / 1_000_000, 1)


def _file_name(url: str) -> str:
    return unquote(os.path.basename(urlsplit(url).path))
