"""An agent that sees applications by pictures alone: where things are in the screenshot, and what is in it."""

import base64
import io
from typing import Any

from PIL import Image

from deskhand.model.geometry import Rect, Size
from tests.support.client import Client, Reply


def images(reply: Reply) -> list[Image.Image]:
    """The pictures of a reply."""
    found = [one for one in reply.blocks if one["type"] == "image"]
    return [Image.open(io.BytesIO(base64.b64decode(one["data"]))) for one in found]


def image(reply: Reply) -> Image.Image:
    """The one picture of a reply."""
    (found,) = images(reply)
    return found


def in_picture(place: Rect, picture: Size, display: Rect = Rect(0, 0, 1920, 1080)) -> list[int]:  # noqa: B008
    """The middle of a place of the screen, as it is in a picture of a display."""
    x, y = place.center
    return [
        (x - display.x) * picture.width // display.width,
        (y - display.y) * picture.height // display.height,
    ]


def texts(reply: Reply) -> list[str]:
    """The text blocks of a reply."""
    return [str(one["text"]) for one in reply.blocks if one["type"] == "text"]


def computer(client: Client, action: str, **arguments: Any) -> Reply:
    """An action that must succeed, through the one tool."""
    return client.do("computer", action=action, **arguments)
