"""The state of a Linux machine, by psutil and os-release."""

import os
import platform
from collections.abc import Mapping

import psutil

from deskhand.model.machine import Battery, Machine

_MIB = 1 << 20


class LinuxSystem:
    """This machine."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def process_name(self, pid: int) -> str:
        """What the program of a process is called, "" where there is none."""
        try:
            return psutil.Process(pid).name()
        except psutil.Error:
            return ""

    def state(self) -> Machine:
        """How the machine is now."""
        memory = psutil.virtual_memory()
        return Machine(
            os_version=_os_version(),
            desktop=self._environment.get("XDG_CURRENT_DESKTOP", ""),
            memory_total_mb=memory.total // _MIB,
            memory_available_mb=memory.available // _MIB,
            load=round(os.getloadavg()[0], 2),
            cpus=os.cpu_count() or 1,
            battery=_battery(),
            hottest_celsius=_hottest(),
        )


def _os_version() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name}, kernel {platform.release()}"


def _battery() -> Battery | None:
    battery = psutil.sensors_battery()
    if battery is None:
        return None
    return Battery(percent=round(battery.percent), charging=bool(battery.power_plugged))


def _hottest() -> float | None:
    readings = [reading.current for sensors in psutil.sensors_temperatures().values() for reading in sensors]
    return round(max(readings), 1) if readings else None
