"""Going through all that a script is made of."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any


def inside(node: Any) -> Iterator[Any]:
    """What stands directly in a statement or an expression."""
    if isinstance(node, tuple):
        yield from node
    elif is_dataclass(node):
        for one in fields(node):
            found = getattr(node, one.name)
            if isinstance(found, tuple) or is_dataclass(found):
                yield found


def everything_in(node: Any) -> Iterator[Any]:
    """A node and all below it, statements before what is in them."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(list(inside(found))))
