"""Sound devices and streams, as a PulseAudio server tells them, or PipeWire, which speaks the same protocol."""

import contextlib
import select
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from deskhand.model.errors import NotAnswering, Unsupported
from deskhand.model.sound import AudioDevice, AudioDevices

_ANSWER_SECONDS: Final = 3.0


class LinuxAudio:
    """The sound devices of a session."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def devices(self) -> AudioDevices:
        """Every device. Raises Unsupported where there is no sound server, NotAnswering where it hangs."""
        with connected(server_address(self._environment)) as pulse:
            usual = pulse.server_info()
            # What plays can also be recorded from; that is no device of its own.
            sources = [one for one in pulse.source_list() if not one.monitor_of_sink_name]
            return AudioDevices(
                input=tuple(_device(one, usual.default_source_name) for one in sources),
                output=tuple(_device(one, usual.default_sink_name) for one in pulse.sink_list()),
            )


def _device(one: Any, usual: str | None) -> AudioDevice:
    return AudioDevice(id=one.name, name=one.description, default=one.name == usual)


def server_address(environment: Mapping[str, str]) -> str:
    """Where a session's sound server listens. Raises Unsupported where there is none."""
    if named := environment.get("PULSE_SERVER"):
        return named
    socket = Path(environment.get("XDG_RUNTIME_DIR") or "/nonexistent") / "pulse" / "native"
    if not socket.is_socket():
        raise Unsupported(
            "there is no sound server: neither PulseAudio nor PipeWire runs in this session",
            recovery="install one (apt-get install pulseaudio), then start the desktop again",
        )
    return f"unix:{socket}"


@contextlib.contextmanager
def connected(address: str, seconds: float = _ANSWER_SECONDS, *, until: int | None = None) -> Iterator[Any]:
    """A connection to a sound server that answers within so many seconds in all.

    It is also given up when the descriptor `until` has something to read. Raises Unsupported or NotAnswering.
    """
    pulsectl = _library()
    pulse = pulsectl.Pulse("deskhand", server=address, connect=False)
    deadline = time.monotonic() + seconds
    pulse.set_poll_func(lambda descriptors, timeout: _poll(pulse, descriptors, timeout, deadline, until))
    try:
        pulse.connect()
        yield pulse
    except pulsectl.PulseError:
        if time.monotonic() >= deadline:
            raise NotAnswering("the sound server does not answer", recovery="restart the sound server") from None
        raise Unsupported(
            f"the sound server at {address} cannot be reached", recovery="start PulseAudio or PipeWire, then try again"
        ) from None
    finally:
        pulse.close()


def _poll(pulse: Any, descriptors: list[Any], timeout: float, deadline: float, until: int | None) -> int:
    """What libpulse waits with: it would wait for a server that hangs for ever."""
    poll = select.poll()
    for one in descriptors:
        poll.register(one.fd, one.events)
    if until is not None:
        poll.register(until, select.POLLIN)
    left = deadline - time.monotonic()
    ready = dict(poll.poll(max(0.0, min(left, timeout) if timeout >= 0 else left) * 1000))
    for one in descriptors:
        one.revents = ready.get(one.fd, 0)
    if until in ready or time.monotonic() >= deadline:
        pulse.connected = False
        pulse.event_listen_stop()
    return len(ready)


def wait_for_stream(address: str, pid: int, seconds: float, *, until: int) -> bool:
    """Wait until a process plays a sound; False where none came in time, or `until` became readable before."""
    news = True

    def notice(_: object) -> None:
        nonlocal news
        news = True
        raise _library().PulseLoopStop

    with contextlib.suppress(Unsupported, NotAnswering), connected(address, seconds, until=until) as pulse:
        pulse.event_mask_set("sink_input")
        pulse.event_callback_set(notice)
        while news:
            news = False
            if any(one.proplist.get("application.process.id") == str(pid) for one in pulse.sink_input_list()):
                return True
            if not news:
                pulse.event_listen(raise_on_disconnect=False)
    return False


def _library() -> Any:
    """The pulsectl module, which needs libpulse. Loaded when sound is first asked for."""
    try:
        import pulsectl
    except OSError as error:
        raise Unsupported(f"sound needs libpulse: {error}", recovery="install it: apt-get install libpulse0") from None
    return pulsectl
