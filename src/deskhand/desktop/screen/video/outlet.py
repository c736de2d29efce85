"""The file of a film: it consists of fragments, each whole in itself, so that any beginning of it can be played."""

import errno
import os
import struct


class Outlet:
    """Takes the bytes of a film to its file, and keeps count."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.length = 0
        self.is_broken = False
        """Whether a write has failed: nothing is written any more then."""

    def write(self, data: bytes) -> int:
        """Write all of it. Raises OSError where the file does not take it."""
        view = memoryview(data)
        while view and not self.is_broken:
            try:
                done = os.write(self._descriptor, view)
            except OSError:
                self.is_broken = True
                raise
            self.length += done
            view = view[done:]
        return len(data)

    def cut(self) -> None:
        """Cut off what a write that failed has left of a fragment."""
        self.length = whole_length(self._descriptor)
        os.ftruncate(self._descriptor, self.length)


def whole_length(descriptor: int) -> int:
    """How much of a film's file is whole: up to the end of its last fragment (a `moof` and an `mdat` box)."""
    size, at, whole = os.fstat(descriptor).st_size, 0, 0
    while at + 8 <= size:
        length, kind = struct.unpack(">I4s", os.pread(descriptor, 8, at))
        if length < 8:
            break
        at += length
        if at <= size and kind != b"moof":
            whole = at
    return whole


def why_not(error: OSError) -> str:
    """Why a file takes no more."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full"
    return f"the file cannot be written: {error.strerror}"
