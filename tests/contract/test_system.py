"""What every system must tell of itself: facts where it knows them, None where it does not."""

import os
import platform as python_platform

from deskhand.platforms.base import Platform


def test_the_machine_tells_what_it_is(platform: Platform) -> None:
    machine = platform.system.state()
    assert machine.os_version.endswith(f", kernel {python_platform.release()}")
    assert machine.desktop == "XFCE"
    assert machine.cpus == os.cpu_count()


def test_memory_and_load_are_those_of_now(platform: Platform) -> None:
    machine = platform.system.state()
    with open("/proc/meminfo") as file:
        total = int(next(line for line in file if line.startswith("MemTotal:")).split()[1]) // 1024
    assert machine.memory_total_mb == total
    assert 0 < machine.memory_available_mb <= total
    assert machine.load is not None
    assert machine.load >= 0


def test_what_the_machine_lacks_is_none(platform: Platform) -> None:
    machine = platform.system.state()
    assert machine.battery is None or 0 <= machine.battery.percent <= 100
    assert machine.hottest_celsius is None or 0 < machine.hottest_celsius < 150


def test_a_process_is_called_by_its_program(platform: Platform) -> None:
    with open("/proc/self/comm") as file:
        short = file.read().strip()
    assert platform.system.process_name(os.getpid()).startswith(short)


def test_a_process_that_does_not_exist_has_no_name(platform: Platform) -> None:
    for pid in (0, 1 << 22, 0xFFFFFFFF):
        assert platform.system.process_name(pid) == ""
