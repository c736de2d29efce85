"""Looking at the screen, and waiting for it."""

from typing import Annotated, Any

from deskhand.desk import Desk
from deskhand.desktop.screen import pictures
from deskhand.surfaces.computer.parameters import Region, Seconds, part_of_picture
from deskhand.surfaces.computer.results import Answer
from deskhand.tools import Effect, arg, tool


@tool("screenshot", effect=Effect.READS, idempotent=True, after_acts=True)
def screenshot(desk: Desk, save_to_disk: Annotated[bool, arg("Also keep it as a file")] = False) -> Answer:
    """Picture of the display; coordinates of all actions are its pixels."""
    picture = desk.frames.screenshot(desk.platform)
    return Answer(f"Saved to {pictures.keep(picture)}" if save_to_disk else "", picture)


@tool("zoom", effect=Effect.READS, idempotent=True, after_acts=True)
def zoom(desk: Desk, region: Region) -> Answer:
    """Part of the screenshot in full resolution, only to look at: coordinates stay those of the screenshot."""
    return Answer(picture=desk.frames.zoom(desk.platform, part_of_picture(desk, region)))


@tool("wait", effect=Effect.READS, after_acts=True)
def wait(desk: Desk, duration: Seconds) -> Answer:
    """Do nothing for so many seconds."""
    sources: list[Any] = []
    desk.turn.wait(sources, duration)
    return Answer(f"Waited {duration:g} s.")
