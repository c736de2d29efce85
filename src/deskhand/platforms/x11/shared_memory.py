"""A piece of memory that this process and the X server both see: pixels come over without a copy on a socket."""

import ctypes
from typing import Any, Final

import xcffib
import xcffib.shm

from deskhand.platforms.x11.connection import XServer

_IPC_PRIVATE: Final = 0
_IPC_CREAT_0600: Final = 0o1600
_IPC_RMID: Final = 0
_Z_PIXMAP: Final = 2
_ALL_PLANES: Final = 0xFFFFFFFF

_libc = ctypes.CDLL(None, use_errno=True)
_libc.shmat.restype = ctypes.c_void_p
_libc.shmat.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_libc.shmget.argtypes = (ctypes.c_int, ctypes.c_size_t, ctypes.c_int)
_libc.shmdt.argtypes = (ctypes.c_void_p,)


class PixelReader:
    """Reads pixels of windows and pixmaps: by shared memory, or by the connection where that cannot be had."""

    def __init__(self, server: XServer) -> None:
        self._server = server
        self._shm: Any = server.extension(xcffib.shm) if server.has_extension(xcffib.shm) else None
        self._segment = 0
        self._address = 0
        self._size = 0

    def read(self, drawable: int, x: int, y: int, width: int, height: int) -> bytes:
        """Pixels of a part of a drawable, 4 bytes each (blue, green, red, unused), row by row."""
        needed = width * height * 4
        if self._shm is not None and needed > self._size:
            self._grow(needed)
        if self._shm is None:
            reply = self._server.core.GetImage(_Z_PIXMAP, drawable, x, y, width, height, _ALL_PLANES).reply()
            return bytes(reply.data.raw)
        self._shm.GetImage(drawable, x, y, width, height, _ALL_PLANES, _Z_PIXMAP, self._segment, 0).reply()
        return ctypes.string_at(self._address, needed)

    def close(self) -> None:
        if self._size:
            _libc.shmdt(self._address)
            self._size = 0

    def _grow(self, needed: int) -> None:
        if self._size:
            self._shm.Detach(self._segment)
            self.close()
        identifier = _libc.shmget(_IPC_PRIVATE, needed, _IPC_CREAT_0600)
        if identifier < 0:
            self._shm = None
            return
        address = _libc.shmat(identifier, None, 0)
        segment = self._server.new_id()
        try:
            self._shm.Attach(segment, identifier, False, is_checked=True).check()
        except xcffib.Error:
            self._shm = None  # another machine's server, or another memory namespace
            _libc.shmdt(address)
            return
        finally:
            # The memory goes when both have let go of it, also when either is killed.
            _libc.shmctl(identifier, _IPC_RMID, None)
        self._segment, self._address, self._size = segment, address, needed
