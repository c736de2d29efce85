"""The ports with the gate before everything that acts: whoever uses a desktop this way cannot go round the policy.

Here, and not in the tools: what is done by several steps, by another route or by a tool that is yet to be written comes
through the ports all the same, and is looked at when it happens.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from deskhand.desktop.gate import Gate
from deskhand.desktop.gated import Gated, GatedAccessibility, GatedApps
from deskhand.guard.pace import Pace
from deskhand.guard.policy import Deed, Policy
from deskhand.model.command import Finished
from deskhand.model.keys import Chord
from deskhand.model.turn import Turn
from deskhand.platforms.base import Accessibility, Apps, Button, Keyboard, Missing, Platform, Pointer, Shell, Windows


def guarded(platform: Platform, policy: Policy, pace: Pace) -> Platform:
    """The same desktop, where nothing is done that the policy denies, and no click comes too soon."""
    gate = Gate(platform, policy)
    return replace(
        platform,
        pointer=cast(Pointer, _or_missing(platform.pointer, lambda port: GuardedPointer(port, gate, pace))),
        keyboard=cast(Keyboard, _or_missing(platform.keyboard, lambda port: GuardedKeyboard(port, gate))),
        windows=cast(Windows, _or_missing(platform.windows, lambda port: GuardedWindows(port, gate))),
        accessibility=cast(
            Accessibility, _or_missing(platform.accessibility, lambda port: GatedAccessibility(port, gate))
        ),
        apps=cast(Apps, _or_missing(platform.apps, lambda port: GatedApps(port, gate))),
        shell=cast(Shell, _or_missing(platform.shell, lambda port: GuardedShell(port, policy))),
    )


def _or_missing(port: Any, guard: Callable[[Any], object]) -> object:
    return port if isinstance(port, Missing) else guard(port)


class GuardedPointer(Gated[Gate]):
    """The pointer: what lies under it decides, and the pace."""

    def __init__(self, port: Pointer, gate: Gate, pace: Pace) -> None:
        super().__init__(port, gate)
        self._pace = pace

    def press(self, button: Button) -> None:
        self._gate.before_pointer(Deed.CLICK)
        self._pace.click()
        self._port.press(button)

    def click(self, button: Button, times: int = 1) -> None:
        self._gate.before_pointer(Deed.CLICK)
        self._pace.click(times)
        self._port.click(button, times)

    def scroll(self, dx: int, dy: int) -> None:
        self._gate.before_pointer(Deed.SCROLL)
        self._port.scroll(dx, dy)


class GuardedKeyboard(Gated[Gate]):
    """The keyboard: the application in front decides, and the element that has the keyboard."""

    def type(self, text: str, window: int, go_on: Callable[[], None]) -> None:
        def still() -> None:
            go_on()
            self._gate.during_keys()

        self._gate.before_keys(Deed.TYPE)
        self._port.type(text, window, still)

    def press(self, chord: Chord) -> None:
        self._gate.before_keys(Deed.KEY)
        self._port.press(chord)


class GuardedWindows(Gated[Gate]):
    """The windows: none of a denied application comes to the front."""

    def activate(self, window: int) -> bool:
        self._gate.before_activation(window)
        return bool(self._port.activate(window))

    def close(self, window: int) -> None:
        self._gate.before_activation(window)
        self._port.close(window)


class GuardedShell:
    """The shell: whether its commands may run at all, and what they may not say."""

    def __init__(self, port: Shell, policy: Policy) -> None:
        self._port = port
        self._policy = policy

    def run(self, command: str, turn: Turn, *, seconds: float, most_bytes: int) -> Finished:
        self._policy.check_shell_script()
        self._policy.check_script(command)
        return self._port.run(command, turn, seconds=seconds, most_bytes=most_bytes)
