"""What tests of the policy ask of a reply, and where they click."""

from deskhand.model.element import Element
from tests.support.client import Reply


def refused(reply: Reply, *, by: str = "") -> None:
    assert reply.is_error, reply
    assert reply.startswith("error: policy denied "), reply
    assert "\nrecovery: " in reply
    assert by in reply, reply


def middle(element: Element) -> dict[str, int]:
    assert element.bounds is not None
    return {"x": element.bounds.center.x, "y": element.bounds.center.y}
