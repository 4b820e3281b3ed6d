"""Screenshots with one byte per pixel: chromium writes three, and 256 colours are enough for a page of text."""

from __future__ import annotations

import struct
import sys
import zlib
from collections import Counter

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def with_palette(png: bytes) -> bytes:
    """Reduce a picture to one byte per pixel by merging colours that are hard to tell apart."""
    width, pixels = read_png(png)
    palette = few_colours(Counter(pixels))
    index = {colour: number for number, colour in enumerate(dict.fromkeys(palette.values()))}
    rows = bytearray()
    for start in range(0, len(pixels), width):
        rows.append(0)
        rows += bytes(index[palette[pixel]] for pixel in pixels[start : start + width])
    head = struct.pack(">IIBBBBB", width, len(pixels) // width, 8, 3, 0, 0, 0)
    parts = (
        (b"IHDR", head),
        (b"PLTE", b"".join(index)),
        (b"IDAT", zlib.compress(bytes(rows), 9)),
        (b"IEND", b""),
    )
    return PNG_SIGNATURE + b"".join(chunk(kind, data) for kind, data in parts)


def few_colours(counted: Counter[bytes]) -> dict[bytes, bytes]:
    """Map each colour to one of at most 256, by ignoring as many low bits as necessary.

    Each group of similar colours becomes its most frequent member, so that background and text stay exact.
    """
    for bits in range(8):
        shown: dict[bytes, bytes] = {}
        for colour, _ in counted.most_common():
            shown.setdefault(bytes(part >> bits for part in colour), colour)
        if len(shown) <= 256:
            break
    return {colour: shown[bytes(part >> bits for part in colour)] for colour in counted}


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def read_png(png: bytes) -> tuple[int, list[bytes]]:
    """Read a PNG as chromium writes it (8 bits, no interlace): its width, and pixels of 3 bytes each."""
    packed = b""
    position = len(PNG_SIGNATURE)
    while position < len(png):
        length, kind = struct.unpack_from(">I4s", png, position)
        data = png[position + 8 : position + 8 + length]
        position += 12 + length
        if kind == b"IHDR":
            width, height, depth, colours, _, _, interlace = struct.unpack(">IIBBBBB", data)
            if depth != 8 or colours not in (2, 6) or interlace:
                sys.exit("This chromium writes screenshots in a form that is not known here.")
            step = 3 if colours == 2 else 4
        elif kind == b"IDAT":
            packed += data
    rows = zlib.decompress(packed)
    pixels: list[bytes] = []
    above = bytes(width * step)
    for number in range(height):
        start = number * (width * step + 1)
        above = unfiltered(rows[start], rows[start + 1 : start + 1 + width * step], above, step)
        pixels += [above[n : n + 3] for n in range(0, len(above), step)]
    return width, pixels


def unfiltered(kind: int, row: bytes, above: bytes, step: int) -> bytes:
    """Undo PNG's filter of a row, which writes each byte as a difference to its neighbours."""
    out = bytearray(row)
    for n, byte in enumerate(row):
        left = out[n - step] if n >= step else 0
        up = above[n]
        corner = above[n - step] if n >= step else 0
        guess = (0, left, up, (left + up) // 2, 0)[kind]
        if kind == 4:
            slope = left + up - corner
            guess = min((left, up, corner), key=lambda near: abs(slope - near))
        out[n] = (byte + guess) & 255
    return bytes(out)
