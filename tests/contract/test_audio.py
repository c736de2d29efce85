"""What every system must tell of its sound devices."""

from deskhand.platforms.base import Platform


def test_devices_are_listed_with_the_one_that_programs_use(platform: Platform) -> None:
    devices = platform.audio.devices()
    assert [(one.id, one.name, one.default) for one in devices.output] == [("embedded", "Embedded", True)]


def test_what_plays_is_not_listed_as_a_microphone(platform: Platform) -> None:
    assert platform.audio.devices().input == ()
