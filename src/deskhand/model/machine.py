"""The state of the machine a desktop runs on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Battery:
    """How full the battery is, in percent, and whether it is being charged."""

    percent: int
    charging: bool


@dataclass(frozen=True, slots=True)
class Machine:
    """What the machine says of itself. None stands for what it cannot tell.

    Memory in MiB, load as the mean number of running processes over the last minute, the hottest sensor in °C.
    """

    os_version: str
    desktop: str
    memory_total_mb: int
    memory_available_mb: int
    load: float | None
    cpus: int
    battery: Battery | None
    hottest_celsius: float | None
