"""What this server is and can do."""

from dataclasses import dataclass

from deskhand import __version__
from deskhand.desk import Desk
from deskhand.platforms.base import Missing
from deskhand.surfaces.axi.sessions import SessionStatus, session_status
from deskhand.tools import ABSENT, Effect, tool


@dataclass(frozen=True, slots=True)
class HotkeyCounts:
    apps: int
    entries: int


@dataclass(frozen=True, slots=True)
class Capabilities:
    server: str
    version: str
    platform: str
    tool_count: int
    session: SessionStatus
    hotkey_index: HotkeyCounts
    missing: dict[str, str] = ABSENT


@tool(
    "capabilities",
    effect=Effect.READS,
    idempotent=True,
    hints=("acquire_session to start acting", "list_hotkeys to see navigation shortcuts"),
)
def capabilities(desk: Desk) -> Capabilities:
    """Server version, tool count, session state, hotkey index."""
    manifests = desk.hotkeys.manifests()
    platform = desk.platform
    missing = {name: port.reason for name, port in platform.ports().items() if isinstance(port, Missing)}
    return Capabilities(
        server="deskhand",
        version=__version__,
        platform=platform.name,
        tool_count=desk.tool_count,
        session=session_status(desk),
        hotkey_index=HotkeyCounts(len(manifests), sum(len(one.entries) for one in manifests)),
        missing=missing or ABSENT,
    )
