"""A 1280-wide JPEG of the screen with mss and Pillow, in one process that stays."""

import io
import json
import sys
import time

import mss
from PIL import Image


def main():
    times, size = [], 0
    with mss.MSS() as screen:
        for _ in range(int(sys.argv[1])):
            start = time.perf_counter()
            shot = screen.grab(screen.monitors[0])
            image = Image.frombytes("RGB", shot.size, shot.bgra, "raw", "BGRX")
            image = image.resize((1280, shot.height * 1280 // shot.width), Image.Resampling.BILINEAR)
            buffer = io.BytesIO()
            image.save(buffer, "JPEG", quality=75)
            times.append(time.perf_counter() - start)
            size = buffer.tell()
    print(json.dumps({"seconds": times, "bytes": size}))


main()
