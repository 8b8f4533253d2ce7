#!/usr/bin/env python3
"""Draws the application's icon (a way mark: a post with a pointing board) at every size the bundles need.

Run it in this folder; it needs nothing but the standard library.
"""
import struct
import zlib

BOARD, POST, CLEAR = (15, 118, 110, 255), (29, 43, 42, 255), (0, 0, 0, 0)


def colour(x, y):
    """x and y run from 0 to 1."""
    if 0.20 <= y <= 0.50 and 0.12 <= x <= 0.66:
        return BOARD
    if 0.20 <= y <= 0.50 and 0.66 < x <= 0.90 and abs(y - 0.35) <= 0.15 * (0.90 - x) / 0.24:
        return BOARD
    if 0.42 <= x <= 0.54 and 0.08 <= y <= 0.94:
        return POST
    return CLEAR


def png(size, samples=4):
    rows = bytearray()
    for row in range(size):
        rows.append(0)
        for column in range(size):
            total = [0, 0, 0, 0]
            for i in range(samples):
                for j in range(samples):
                    r, g, b, a = colour((column + (i + 0.5) / samples) / size, (row + (j + 0.5) / samples) / size)
                    total = [total[0] + r * a, total[1] + g * a, total[2] + b * a, total[3] + a]
            alpha = total[3]
            rows += bytes([total[0] // alpha, total[1] // alpha, total[2] // alpha] if alpha else [0, 0, 0])
            rows.append(alpha // samples**2)

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b"")


def ico(sizes):
    images = [png(size) for size in sizes]
    out, offset = struct.pack("<HHH", 0, 1, len(images)), 6 + 16 * len(images)
    for size, image in zip(sizes, images):
        out += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(image), offset)
        offset += len(image)
    return out + b"".join(images)


for name, size in (("32x32.png", 32), ("128x128.png", 128), ("icon.png", 256)):
    with open(name, "wb") as file:
        file.write(png(size))
with open("icon.ico", "wb") as file:
    file.write(ico([16, 32, 48, 256]))
