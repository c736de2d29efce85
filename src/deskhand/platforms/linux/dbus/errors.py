"""What can come instead of an answer."""


class ConnectionLost(Exception):
    """Raised when the bus or the peer has gone."""


class BusError(Exception):
    """An error answer: `name` is the D-Bus error name, the message is the peer's."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name


class Unanswered(Exception):
    """Stands where an answer would be that did not come in time."""
