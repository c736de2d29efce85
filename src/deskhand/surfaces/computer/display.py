"""Which display is looked at."""

from deskhand.desk import Desk
from deskhand.surfaces.computer.results import Answer
from deskhand.tools import Effect, tool


@tool("switch_display", effect=Effect.WRITES, idempotent=True, after_acts=True)
def switch_display(desk: Desk, display: str | int) -> Answer:
    """Look at a display by its name or number; "auto" follows the windows."""
    chosen = desk.frames.pin(desk.platform, display)
    bounds = chosen.bounds
    return Answer(
        f"Screenshots show display {chosen.id} ({chosen.name}), {bounds.width}x{bounds.height} at {bounds.x},{bounds.y}. "
        "Take one before giving coordinates on it."
    )
