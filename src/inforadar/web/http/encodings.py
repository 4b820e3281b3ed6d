"""Which encoding an answer is sent in, and the bytes in it. Pure."""

from __future__ import annotations

import gzip
from functools import lru_cache

import brotli  # type: ignore[import-untyped]

SMALLEST = 600
"""Below that an answer fits into one packet anyway."""
ENCODINGS = ("br", "gzip")
"""In the order of our preference."""


@lru_cache(maxsize=256)
def choose_encoding(accepted: bytes) -> str:
    """By the value of Accept-Encoding: `br`, `gzip` or, for as they are, ''. (Remembered: browsers are few.)"""
    weights: dict[str, float] = {}
    for part in accepted.decode("latin-1").lower().split(","):
        name, _, parameters = part.partition(";")
        weights[name.strip()] = _weight(parameters)
    plain = weights.get("identity", 0.0)
    best, chosen = max(plain, 0.0), ""
    for encoding in ENCODINGS:
        weight = weights.get(encoding, weights.get("*", 0.0))
        if weight > best:
            best, chosen = weight, encoding
    return chosen


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0


def encode(body: bytes, encoding: str) -> bytes:
    """Once for many readers, so a little more effort pays."""
    if encoding == "br":
        return bytes(brotli.compress(body, mode=brotli.MODE_TEXT, quality=6))
    # Without a time of its own: the same document is the same bytes.
    return gzip.compress(body, 7, mtime=0) if encoding == "gzip" else body
