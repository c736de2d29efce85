"""Sound as an agent asks for it: devices, voices, speaking, and what is playing."""

import contextlib
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand.platforms.embedded.session import EmbeddedSession
from tests.support.applications import eventually
from tests.support.client import Client
from tests.support.sound import Recording, speakers_of, tone

LONG = "This is a long text, which takes a while to be read. " * 6


@pytest.fixture
def heard(desktop: EmbeddedSession) -> Iterator[Recording]:
    """All that sounds on the desktop."""
    with Recording(desktop.environment) as recording:
        yield recording


def is_quiet(desktop: EmbeddedSession) -> bool:
    return not speakers_of(desktop.environment)


def test_devices_say_what_they_are(client: Client) -> None:
    assert client.do("audio_devices") == "input: []\noutput[1]{id,name,default}:\n  embedded,Embedded,true"


class TestVoices:
    """voice_list: which voices there are, with language and gender."""

    def test_all_of_them(self, client: Client) -> None:
        reply = client.do("voice_list")
        total = int(reply.fields["total"])
        assert total > 50
        assert f"voices[{total}]{{id,name,language,gender}}:" in reply
        assert "\n  gmw/de,German,de,male\n" in reply

    def test_those_of_a_language_and_its_kinds(self, client: Client) -> None:
        reply = client.do("voice_list", language="EN")
        languages = re.findall(r",([\w-]+),male$", reply, re.MULTILINE)
        assert {"en-gb", "en-us"} <= set(languages)
        assert all(language.startswith("en") for language in languages)
        assert client.do("voice_list", language="de").fields["total"] == "1"

    def test_none_of_a_language_that_nobody_speaks(self, client: Client) -> None:
        assert "empty: No voice of language tlh" in client.do("voice_list", language="tlh")


class TestSpeaking:
    """speak: only for who holds the seat, and no longer."""

    def test_it_needs_the_seat(self, client: Client, desktop: EmbeddedSession) -> None:
        assert client.call("speak", text="hello").endswith("recovery: call acquire_session first")
        assert is_quiet(desktop)

    def test_it_comes_back_when_it_sounds(self, client: Client, heard: Recording) -> None:
        client.acquire()
        reply = client.do("speak", text=LONG)
        assert reply == (f"spoken: {len(LONG)}\nvoice: English (Great Britain)\neffect: confirmed")
        heard.wait_for_sound()
        assert not heard.is_silent_for(0.3)

    def test_it_waits_for_the_end(self, client: Client, desktop: EmbeddedSession, heard: Recording) -> None:
        client.acquire()
        reply = client.do("speak", text="One, two.", voice="de", rate=400, wait=True)
        assert is_quiet(desktop)
        assert heard.loudest > 1000
        assert reply == "spoken: 9\nvoice: German\neffect: confirmed"

    def test_acts_and_looks_go_on_meanwhile(self, client: Client) -> None:
        client.acquire()
        speaking = client.start_call("speak", text=LONG, wait=True)
        client.do("voice_list", language="de")
        client.do("key", keys="shift")
        cut = client.do("speak", text="Stop.", wait=True)
        assert "interrupted" not in cut
        assert client.replies([speaking])[0].fields["interrupted"] == "true"

    def test_a_new_text_takes_the_place_of_the_one_before(self, client: Client, desktop: EmbeddedSession) -> None:
        client.acquire()
        client.do("speak", text=LONG)
        (first,) = speakers_of(desktop.environment)
        client.do("speak", text=LONG)
        (second,) = speakers_of(desktop.environment)
        assert first != second

    def test_or_comes_after_it(self, client: Client, desktop: EmbeddedSession) -> None:
        client.acquire()
        client.do("speak", text="One, two, three, four.", rate=300)
        (first,) = speakers_of(desktop.environment)
        queued = client.do("speak", text="Five, six.", rate=300, interrupt=False)
        assert queued == 'spoken: 10\nvoice: ""\neffect: unverified\nqueued: true'
        assert speakers_of(desktop.environment) == [first]
        last = client.do("speak", text="Seven.", rate=300, interrupt=False, wait=True)
        assert last.fields["effect"] == "confirmed"
        assert is_quiet(desktop)

    def test_texts_are_said_in_the_order_of_the_calls(self, client: Client, desktop: EmbeddedSession) -> None:
        client.acquire()
        first = client.start_call("speak", text=LONG, wait=True)
        queued = [client.start_call("speak", text=LONG, interrupt=False, wait=one % 2 == 0) for one in range(6)]
        last = client.start_call("speak", text="Enough.", wait=True)
        assert client.replies([last])[0].fields["effect"] == "confirmed"
        interrupted = client.replies([first, *queued[::2]])
        assert [reply.fields.get("interrupted") for reply in interrupted] == ["true"] * 4
        assert [reply.fields.get("queued") for reply in client.replies(queued[1::2])] == ["true"] * 3
        assert is_quiet(desktop)

    def test_a_new_text_takes_the_place_of_all_that_wait(self, client: Client, desktop: EmbeddedSession) -> None:
        client.acquire()
        client.do("speak", text=LONG)
        for _ in range(20):
            client.do("speak", text=LONG, interrupt=False)
        full = client.call("speak", text=LONG, interrupt=False)
        assert full.startswith("error: 20 texts wait to be said already\nrecovery: ")
        client.do("speak", text="Enough.", wait=True)
        assert is_quiet(desktop)

    def test_the_end_of_the_session_silences_it(
        self, client: Client, desktop: EmbeddedSession, heard: Recording
    ) -> None:
        session_id = client.acquire().strip('"')
        client.do("speak", text=LONG)
        client.do("speak", text=LONG, interrupt=False)
        waiting = client.start_call("speak", text=LONG, interrupt=False, wait=True)
        client.do("speak", text=LONG, interrupt=False)  # which is not read before the one that waits
        heard.wait_for_sound()
        client.do("release_session", agent_id="tester", session_id=session_id)
        assert client.replies([waiting])[0].startswith("error: the session ended while this was being said")
        eventually(lambda: is_quiet(desktop), what="the end of the engine")
        heard.wait_for_silence()

    def test_so_does_its_running_out(self, client: Client, desktop: EmbeddedSession) -> None:
        client.acquire(ttl=1)
        client.do("speak", text=LONG)
        eventually(lambda: is_quiet(desktop), seconds=5, what="silence")

    def test_a_cancelled_call_falls_silent(self, client: Client, desktop: EmbeddedSession) -> None:
        client.acquire()
        number = client.start_call("speak", text=LONG, wait=True)
        eventually(lambda: not is_quiet(desktop), what="speech")
        client.notify("notifications/cancelled", {"requestId": number})
        eventually(lambda: is_quiet(desktop), seconds=3, what="silence")

    @pytest.mark.parametrize("how", ["the end of the input", "SIGTERM", "SIGKILL"])
    def test_it_ends_with_the_server(
        self, new_client: Callable[..., Client], desktop: EmbeddedSession, how: str
    ) -> None:
        client = new_client()
        client.acquire()
        client.do("speak", text=LONG)
        assert not is_quiet(desktop)
        if how == "the end of the input":
            begun = time.monotonic()
            assert client.close() == 0
            assert time.monotonic() - begun < 5
        else:
            client.process.send_signal(signal.SIGTERM if how == "SIGTERM" else signal.SIGKILL)
            client.process.wait(10)
        eventually(lambda: is_quiet(desktop), seconds=2, what="silence")

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            ({"text": ""}, "text: "),
            ({"text": " …\n"}, "text: there is nothing in it that can be said"),
            ({"text": "x" * 5001}, "text: "),
            ({"text": "x", "voice": "--stdin"}, "voice: none is called '--stdin'"),
            ({"text": "x", "rate": 20}, "rate: "),
        ],
    )
    def test_what_cannot_be_said(
        self, client: Client, desktop: EmbeddedSession, arguments: dict[str, object], complaint: str
    ) -> None:
        client.acquire()
        assert client.call("speak", **arguments).startswith(f"error: {complaint}")
        assert is_quiet(desktop)

    def test_what_is_said_is_noted_nowhere(self, client: Client, kept: Path) -> None:
        client.acquire()
        client.do("speak", text="xylophone quagga")
        client.close()
        audit = (kept / "state" / "deskhand" / "audit.jsonl").read_text()
        assert '"text_length":16' in audit.replace(" ", "")
        assert "xylophone" not in audit + client.stderr

    def test_without_an_engine_it_says_what_to_install(
        self, new_client: Callable[..., Client], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        client = new_client()
        client.acquire()
        sentence = (
            "error: nothing speaks here: neither espeak-ng nor speech-dispatcher is installed\n"
            "recovery: install one: apt-get install espeak-ng"
        )
        assert client.call("speak", text="hello") == sentence
        assert client.call("voice_list") == sentence

    def test_without_a_sound_server_it_says_so(self, desktop: EmbeddedSession) -> None:
        environment = {name: value for name, value in desktop.environment.items() if name != "PULSE_SERVER"}
        with Client(environment=environment) as client:
            client.initialize()
            client.acquire()
            for tool, arguments in (("speak", {"text": "hello"}), ("audio_devices", {})):
                assert client.call(tool, **arguments).startswith("error: there is no sound server")


class TestNowPlaying:
    """now_playing: what a media player plays."""

    def test_nothing(self, client: Client) -> None:
        assert client.do("now_playing") == "playing: false\nempty: Nothing is playing"

    def test_a_song(self, client: Client, desktop: EmbeddedSession, heard: Recording, tmp_path: Path) -> None:
        if shutil.which("mpv") is None:
            pytest.skip("mpv is not installed")
        song = tone(tmp_path, about={b"INAM": b"Blue, Green", b"IART": b"Ann", b"IPRD": b"Colours"})
        pid = desktop.launch(["mpv", "--no-video", "--no-terminal", "--start=5", str(song)])
        try:
            heard.wait_for_sound()
            eventually(lambda: "Blue" in client.do("now_playing"), what="a player")
            fields = client.do("now_playing").fields
            assert (fields["track"], fields["artist"], fields["album"]) == ('"Blue, Green"', "Ann", "Colours")
            assert (fields["playing"], fields["player"], fields["length"]) == ("true", "mpv", "30")
            assert 5 <= float(fields["elapsed"]) < 25
        finally:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        eventually(lambda: "empty" in client.do("now_playing"), what="the player's end")

    def test_without_a_session_bus_it_says_so(self, desktop: EmbeddedSession) -> None:
        environment = {**desktop.environment, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
        with Client(environment=environment) as client:
            client.initialize()
            reply = client.call("now_playing")
        assert reply.startswith("error: players cannot be asked, for the session bus is out of reach")
        assert "recovery: start the server inside a desktop session" in reply
