"""The ports: what deskhand asks of a desktop.

A platform folder has one file (or folder) per port, named after it. What a platform lacks is filled with
`missing(...)`, which says why at every use. Ports do no locking, no policy and no retries; a port is used by one thread
at a time, and each thread opens its own.
"""

from deskhand.platforms.base.accessibility import (
    Accessibility,
    AccessibleApp,
    NodeChange,
    NodeEvents,
    Offers,
    TreeEvents,
)
from deskhand.platforms.base.clipboard import Clipboard
from deskhand.platforms.base.input import Button, Escapes, Keyboard, Listener, Pointer, PointerChanges
from deskhand.platforms.base.messages import Dialogs, Notifications
from deskhand.platforms.base.platform import Missing, Platform, Session, missing
from deskhand.platforms.base.programs import Apps, Shell, System
from deskhand.platforms.base.screen import Changes, Displays, Screen
from deskhand.platforms.base.sound import Audio, Players, Speech, Utterance
from deskhand.platforms.base.windows import WindowEvents, Windows

__all__ = [
    "Accessibility",
    "AccessibleApp",
    "Apps",
    "Audio",
    "Button",
    "Changes",
    "Clipboard",
    "Dialogs",
    "Displays",
    "Escapes",
    "Keyboard",
    "Listener",
    "Missing",
    "NodeChange",
    "NodeEvents",
    "Notifications",
    "Offers",
    "Platform",
    "Players",
    "Pointer",
    "PointerChanges",
    "Screen",
    "Session",
    "Shell",
    "Speech",
    "System",
    "TreeEvents",
    "Utterance",
    "WindowEvents",
    "Windows",
    "missing",
]
