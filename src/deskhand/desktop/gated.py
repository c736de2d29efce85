"""What stands before the ports, whatever decides there: the policy (`guarded.py`), or what has been granted (`tiered.py`)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from deskhand.model.app import InstalledApp
from deskhand.model.element import NodeRef

G = TypeVar("G")


class ActGate(Protocol):
    """Decides about elements and applications. Each raises Denied, or what says that something is not granted."""

    def before_act(self, node: NodeRef) -> None: ...

    def before_launch(self, app: InstalledApp) -> None: ...


class Gated(Generic[G]):
    """A port of which only what its class names goes by the gate: the rest looks, or lets go."""

    def __init__(self, port: Any, gate: G) -> None:
        self._port = port
        self._gate = gate

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)


class GatedAccessibility(Gated[ActGate]):
    """The elements: what they are, what they are in, and their application decide."""

    def perform(self, node: NodeRef, action: int) -> bool:
        self._gate.before_act(node)
        return bool(self._port.perform(node, action))

    def set_text(self, node: NodeRef, text: str) -> bool:
        self._gate.before_act(node)
        return bool(self._port.set_text(node, text))

    def insert_text(self, node: NodeRef, text: str) -> bool:
        self._gate.before_act(node)
        return bool(self._port.insert_text(node, text))

    def set_number(self, node: NodeRef, number: float) -> bool:
        self._gate.before_act(node)
        return bool(self._port.set_number(node, number))

    def focus(self, node: NodeRef) -> bool:
        self._gate.before_act(node)
        return bool(self._port.focus(node))


class GatedApps(Gated[ActGate]):
    """The installed applications: the gate decides what is started."""

    def launch(self, app: InstalledApp, arguments: Sequence[str] = (), directory: Path | None = None) -> int:
        self._gate.before_launch(app)
        return int(self._port.launch(app, arguments, directory))
