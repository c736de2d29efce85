"""Somebody at the keyboard, who is not the agent.

No device can be plugged into the X server of an embedded desktop (there is no /dev/uinput, and Xvfb opens no devices).
But it has a keyboard of its own, "Xvfb keyboard", which is not one of XTEST's, and XTEST 2.2 can press the keys of any
device: what comes of that is the server's own event of that device, with its `sourceid`, as when somebody types on it.
"""

from tests.support.other_keyboard import OtherKeyboard

ESCAPE = 9
"""Its keycode on a PC's keyboard."""
_BUTTONS = 0x1F00


class Person(OtherKeyboard):
    """Presses keys on the keyboard that programs do not share."""

    def tap(self, keycode: int) -> None:
        """Press a key and let it go."""
        device = self.hardware()
        self.hold(keycode, device=device)
        self.let_go(keycode, device=device)

    @property
    def buttons_down(self) -> int:
        """The bits of the mouse buttons that are down, whoever holds them."""
        return int(self.server.core.QueryPointer(self.server.root).reply().mask) & _BUTTONS
