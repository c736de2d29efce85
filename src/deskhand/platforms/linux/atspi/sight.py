"""What can be seen of an element inside the edges of others."""

Edges = tuple[int, int, int, int]
"""Left, top, right, bottom."""


def edges_of(extents: tuple[int, int, int, int] | None, around: Edges | None) -> Edges | None:
    """The edges of what can be seen of an element inside others'; None where that is nothing."""
    if extents is None:
        return None
    x, y, width, height = extents
    left, top, right, bottom = x, y, x + width, y + height
    if around is not None:
        left, top = max(left, around[0]), max(top, around[1])
        right, bottom = min(right, around[2]), min(bottom, around[3])
    return (left, top, right, bottom) if left < right and top < bottom else None
