"""How many heaps the C library keeps: it gives each new thread one of its own, and never gives those back."""

import ctypes
from typing import Final

_M_ARENA_MAX: Final = -8
_HEAPS: Final = 2


def share_heaps() -> None:
    """Let all threads share two heaps.

    A server's threads come and go for as long as it runs, and Python lets one of them work at a time anyhow. A recording
    left some megabytes in the heap of each. Does nothing where the C library is not glibc.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, _HEAPS)
