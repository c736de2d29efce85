"""Somebody else at the same keyboard: holds keys, sets locks, changes the layout."""

import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, Self

import xcffib.xinput
import xcffib.xkb
import xcffib.xtest

from deskhand.platforms.embedded.session import RESERVED_KEYS
from deskhand.platforms.x11.connection import XServer
from deskhand.platforms.x11.keyboard.keyboard import X11Keyboard

SHIFT_L, CONTROL_L, ALT_L, SUPER_L = 50, 37, 64, 133
"""Keycodes that are the same in every layout for PCs."""
CAPS, NUM = 1 << 1, 1 << 4
_CORE_KEYBOARD = 0x100
_PRESS, _RELEASE = 2, 3
_STICKY_KEYS, _CONTROLS_ENABLED = 1 << 3, 1 << 31


class OtherKeyboard:
    """A connection of its own that presses keys, as another program (or a person) would."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.server = XServer(environment)
        self._xtest: Any = self.server.extension(xcffib.xtest)
        self._xkb: Any = self.server.extension(xcffib.xkb)
        self._xkb.UseExtension(1, 0).reply()
        self._held: list[tuple[int, int]] = []
        self._is_sticky = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for keycode, device in reversed(self._held):
            self._key(_RELEASE, keycode, device)
        self.lock(0)
        if self._is_sticky:
            self._sticky(on=False)
        self.server.close()

    # ------------------------------------------------------------ keys

    def hold(self, keycode: int, *, device: int = 0) -> None:
        """Press a key and keep it down: of the keyboard that programs share, or of a device of its own."""
        self._held.append((keycode, device))
        self._key(_PRESS, keycode, device)

    def let_go(self, keycode: int, *, device: int = 0) -> None:
        """Let a key go."""
        self._held.remove((keycode, device))
        self._key(_RELEASE, keycode, device)

    def hardware(self) -> int:
        """The keyboard a person would type on, which is not the one that programs share."""
        xinput: Any = self.server.extension(xcffib.xinput)
        xinput.XIQueryVersion(2, 2).reply()
        for device in xinput.XIQueryDevice(0).reply().infos:
            name = bytes(device.name.raw).decode()
            if name.endswith("keyboard") and "XTEST" not in name and "core" not in name:
                return int(device.deviceid)
        raise LookupError("no keyboard but the one that programs share")

    @property
    def down(self) -> list[int]:
        """The keycodes that are pressed now, by anybody."""
        keys = self.server.core.QueryKeymap().reply().keys
        return [keycode for keycode in range(256) if keys[keycode >> 3] >> (keycode & 7) & 1]

    @property
    def modifiers(self) -> tuple[int, int, int]:
        """The modifiers that are held, latched and locked."""
        state = self._xkb.GetState(_CORE_KEYBOARD).reply()
        return state.baseMods, state.latchedMods, state.lockedMods

    # ------------------------------------------------------------ state

    def lock(self, modifiers: int) -> None:
        """Switch Caps Lock and Num Lock on or off."""
        self._xkb.LatchLockState(_CORE_KEYBOARD, CAPS | NUM, modifiers, False, 0, 0, False, 0)
        self.server.sync()

    def latch(self, keycode: int) -> None:
        """Tap a modifier with sticky keys switched on: it goes with the next key."""
        self._sticky(on=True)
        self.hold(keycode)
        self.let_go(keycode)

    def use_group(self, group: int) -> None:
        """Switch to another of the layouts that are set."""
        self._xkb.LatchLockState(_CORE_KEYBOARD, 0, 0, True, group, 0, False, 0)
        self.server.sync()

    def use_layout(self, layout: str, *, device: int = 0) -> None:
        """Set the keyboard's layout; this forgets what was put on spare keys and takes most of them.

        With a device only that one's.
        """
        self.use_group(0)
        command = ["setxkbmap", "-layout", layout, "-variant", "", "-option", ""]
        if device:
            command += ["-device", str(device)]
        subprocess.run(command, env=dict(self._environment), check=True, timeout=20)

    def restore_layout(self) -> None:
        """As the embedded desktop has it."""
        self.use_layout("us")
        X11Keyboard(self.server).reserve(*RESERVED_KEYS)

    def put(self, keycode: int, symbols: Sequence[int]) -> None:
        """Put something on a key."""
        self.server.core.ChangeKeyboardMapping(1, keycode, len(symbols), list(symbols))
        self.server.sync()

    def symbols_of(self, keycodes: range) -> dict[int, list[int]]:
        """What is on these keys, but for empty ones."""
        reply = self.server.core.GetKeyboardMapping(keycodes[0], len(keycodes)).reply()
        symbols, width = list(reply.keysyms), reply.keysyms_per_keycode
        keys = {code: symbols[at * width : (at + 1) * width] for at, code in enumerate(keycodes)}
        return {keycode: [one for one in on_key if one] for keycode, on_key in keys.items() if any(on_key)}

    def _sticky(self, *, on: bool) -> None:
        """Switch the accessibility feature (AccessX) on or off."""
        numbers = [0] * 29
        numbers[0], numbers[12:15] = _CORE_KEYBOARD, [_STICKY_KEYS, _STICKY_KEYS * on, _CONTROLS_ENABLED]
        self._xkb.SetControls(*numbers, [0] * 32, is_checked=True).check()
        self._is_sticky = on

    def _key(self, what: int, keycode: int, device: int) -> None:
        # Events of the input extension are counted from its first: DeviceKeyPress is the second (XTEST 2.2).
        kind = self._first_input_event + what - _PRESS + 1 if device else what
        self._xtest.FakeInput(kind, keycode, 0, 0, 0, 0, device)
        self.server.sync()

    @property
    def _first_input_event(self) -> int:
        name = xcffib.xinput.key.name.encode()
        return int(self.server.core.QueryExtension(len(name), name).reply().first_event)
