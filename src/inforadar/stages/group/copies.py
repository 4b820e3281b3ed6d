"""Recognize copies: the same text at another address, as agencies' reports, reposts and AMP twins are.

Texts are compared by the smallest hashes of their five-word runs (MinHash, one permutation with bins), so that a
changed sentence or an added byline makes no difference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from inforadar.stages.group.tokens import split_words

RUN_WORDS = 5
MAX_WORDS = 800
"""How much of a text is compared."""
MIN_RUNS = 40
"""Shorter texts are copies only if every word is equal."""
BINS = 64
BAND = 8
"""How many bins make a key. Two texts that share 80 % of their runs share a key almost surely."""
LEAST_SHARED = 0.75
"""The share of equal bins from which on two texts are copies."""
_EMPTY = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class TextPrint:
    """The fingerprint of a text."""

    exact: str
    """Digest of all words; '' without a text."""
    bins: tuple[int, ...]
    """The smallest hash in each bin; empty for a short text."""

    def keys(self) -> list[str]:
        """Keys under which a copy of this text is found."""
        found = [f"={self.exact}"] if self.exact else []
        found += [
            f"~{start:x}.{crc32(repr(self.bins[start : start + BAND]).encode()):08x}"
            for start in range(0, len(self.bins), BAND)
        ]
        return found


def make_print(title: str, text: str) -> TextPrint:
    """Fingerprint a text. A short one counts together with its title."""
    words = split_words(text[: MAX_WORDS * 12], MAX_WORDS)
    if not words:
        return TextPrint("", ())
    encoded = " ".join(words).encode("utf-8", "surrogatepass").split(b" ")
    runs = set(map(b" ".join, zip(*(encoded[place:] for place in range(RUN_WORDS)), strict=False)))
    if len(runs) < MIN_RUNS:
        words = [*split_words(title, MAX_WORDS), "|", *words]
        return TextPrint(_digest(words), ())
    # From the largest down, so that the smallest of a bin stays.
    smallest = {hashed % BINS: hashed // BINS for hashed in sorted(map(crc32, runs), reverse=True)}
    return TextPrint(_digest(words), _without_gaps([smallest.get(place, _EMPTY) for place in range(BINS)]))


def _digest(words: Sequence[str]) -> str:
    return hashlib.blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _without_gaps(bins: list[int]) -> tuple[int, ...]:
    """Give an empty bin the value of the next one that has any: two texts with the same gaps stay equal."""
    filled = list(bins)
    for place in range(BINS):
        step = 0
        while filled[place] == _EMPTY and step < BINS:
            step += 1
            value = bins[(place + step) % BINS]
            if value != _EMPTY:
                filled[place] = (value + step) & 0xFFFFFFFF
    return tuple(filled)


def differ(one: TextPrint, other: TextPrint) -> bool:
    """Whether two texts have next to nothing in common."""
    equal = sum(a == b for a, b in zip(one.bins, other.bins, strict=False))
    return bool(one.bins and other.bins) and equal < BINS / 3


def is_copy(one: TextPrint, other: TextPrint) -> bool:
    """Whether two texts are the same."""
    if one.exact and one.exact == other.exact:
        return True
    if not one.bins or not other.bins:
        return False
    equal = sum(a == b for a, b in zip(one.bins, other.bins, strict=True))
    return equal >= LEAST_SHARED * BINS
