"""Whether two words are one word, spelled in two ways."""

from __future__ import annotations

import unicodedata

LONG_WORD = 8
SHORT_WORD = 5
"""Up to this length, another letter makes another word: "dead" and "deaf", "Iran" and "Iraq"."""


def is_near(old: str, new: str, *, is_name: bool = False) -> bool:
    """Whether a spelling mistake explains the difference between two words."""
    one, other = _plain(old), _plain(new)
    if one == other:
        return True
    if one[:1] != other[:1] or any(sign.isdigit() for sign in one + other):
        return False
    if len(one) == len(other):
        if _is_swapped(one, other):
            return True
        if is_name or len(one) <= SHORT_WORD:
            return False
    shorter = min(len(one), len(other))
    if shorter < 4 or (is_name and shorter <= SHORT_WORD):
        return False
    most = 2 if shorter >= LONG_WORD and not is_name else 1
    return distance(one, other, most) <= most


def _is_swapped(one: str, other: str) -> bool:
    """Whether two letters changed places."""
    return sorted(one) == sorted(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 2


def _plain(word: str) -> str:
    folded = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in folded if not unicodedata.combining(sign))


def distance(one: str, other: str, most: int) -> int:
    """The number of letters to insert, delete, replace or swap; more than `most` is not counted exactly."""
    if abs(len(one) - len(other)) > most or max(len(one), len(other)) > 60:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
