"""What the window of a question looks like, drawn as a picture: no toolkit is sure to be there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from PIL import Image, ImageDraw, ImageFont

from deskhand.model.geometry import Point, Rect, Size
from deskhand.model.question import Answer, Question

_WIDTH: Final = 560
_MARGIN: Final = 24
_LINE: Final = 24
_BUTTON: Final = Size(120, 38)
_PAPER, _INK, _FAINT, _EDGE, _BLUE = (250, 250, 250), (30, 30, 30), (95, 95, 95), (150, 150, 150), (30, 90, 170)
_FONTS: Final = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf")
_SAYS: Final = {Answer.DENY: "Deny", Answer.ALLOW: "Allow"}
_WARNING: Final = "Only a person's own mouse or keyboard answers this. Esc closes it."


@dataclass(frozen=True, slots=True)
class DialogPicture:
    """The picture, and where its buttons are, in pixels of the window."""

    image: Image.Image
    buttons: dict[Answer, Rect]

    def button_at(self, point: Point) -> Answer | None:
        return next((answer for answer, place in self.buttons.items() if place.contains(point)), None)


def draw(question: Question, chosen: Answer) -> DialogPicture:
    """The window with one of its buttons chosen, as Enter would press it."""
    large, usual, small = _font(17), _font(15), _font(13)
    rows = [
        *((large, _INK, line) for line in _wrapped(question.title, large)),
        (usual, _INK, ""),
        *((usual, _INK, line) for one in question.lines for line in _wrapped(f"•  {one}", usual)),
        (usual, _INK, ""),
        (small, _FAINT, "Reason given by the agent:"),
        *((usual, _INK, line) for line in _wrapped(question.reason or "none", usual)),
        (usual, _INK, ""),
        (small, _FAINT, _WARNING),
    ]
    height = _MARGIN + len(rows) * _LINE + _MARGIN + _BUTTON.height + _MARGIN
    image = Image.new("RGB", (_WIDTH, height), _PAPER)
    pen = ImageDraw.Draw(image)
    for number, (font, ink, text) in enumerate(rows):
        pen.text((_MARGIN, _MARGIN + number * _LINE), text, font=font, fill=ink)
    top = height - _MARGIN - _BUTTON.height
    left = _WIDTH - 2 * (_MARGIN + _BUTTON.width)
    buttons = {
        Answer.DENY: Rect(left, top, *_BUTTON),
        Answer.ALLOW: Rect(_WIDTH - _MARGIN - _BUTTON.width, top, *_BUTTON),
    }
    for answer, place in buttons.items():
        _draw_button(pen, place, _SAYS[answer], usual, is_chosen=answer is chosen)
    return DialogPicture(image, buttons)


def _draw_button(pen: ImageDraw.ImageDraw, place: Rect, says: str, font: Any, *, is_chosen: bool) -> None:
    box = (place.x, place.y, place.x + place.width - 1, place.y + place.height - 1)
    pen.rounded_rectangle(
        box, 6, fill=(236, 236, 236), outline=_BLUE if is_chosen else _EDGE, width=3 if is_chosen else 1
    )
    pen.text((place.center.x, place.center.y), says, font=font, fill=_INK, anchor="mm")


def _wrapped(text: str, font: Any) -> Iterator[str]:
    """A text in lines that fit; a word that is longer than a line is cut."""
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if font.getlength(longer) <= _WIDTH - 2 * _MARGIN:
            line = longer
            continue
        if line:
            yield line
        line = word
        while font.getlength(line) > _WIDTH - 2 * _MARGIN:
            end = max(end for end in range(1, len(line)) if font.getlength(line[:end]) <= _WIDTH - 2 * _MARGIN)
            yield line[:end]
            line = line[end:]
    yield line


def _font(size: int) -> Any:
    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)
