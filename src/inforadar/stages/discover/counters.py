"""Parse numbers as sites show them: `2.1K`, `1,234`, `12 345`, `3,4 тыс.`, `1.2万`, `+12`, `−3`.

A dash for "none yet" (`–`) or a word ("Comment") is not a number and gives `None`, never 0: an unknown count must
not overwrite a known one.
"""

from __future__ import annotations

import re
from decimal import Decimal

_MAX_NUMBER = Decimal(10) ** 15
"""Larger than any real counter, and well within what databases can store."""

_LETTER_SUFFIXES = {
    **dict.fromkeys(["k", "к", "тыс", "тис", "tys", "tsd"], 3),
    **dict.fromkeys(["m", "м", "mln", "млн", "mio"], 6),
    **dict.fromkeys(["b", "bn", "млрд", "mld", "mrd"], 9),
}
_CJK_SUFFIXES = {"千": 3, "万": 4, "萬": 4, "百万": 6, "亿": 8, "億": 8}
_SCALES = _LETTER_SUFFIXES | _CJK_SUFFIXES
"""The power of ten by suffix; the second of the two `k` and of the two `m` is Cyrillic."""

_GROUP_SEPARATORS = " \u00a0\u2009\u202f'’"
"""Characters between groups of three digits, besides the point and the comma."""

_DROP_SEPARATORS = str.maketrans("", "", _GROUP_SEPARATORS)
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w.,])[+\-−–])?"
    rf"(?P<digits>\d{{1,3}}(?:[{_GROUP_SEPARATORS}]\d{{3}})+(?!\d)(?:[.,]\d{{1,2}}(?!\d))?|\d+(?:[.,]\d+)*)"
    rf"(?:\s?(?P<scale>(?:{'|'.join(_LETTER_SUFFIXES)})(?![^\W\d_])|{'|'.join(_CJK_SUFFIXES)}))?",
    re.IGNORECASE,
)
_MAX_TEXT_CHARS = 200


def parse_count(text: str) -> int | None:
    """Parse a count: the first number in a text, if it is whole and not negative."""
    number = _first_number(text, is_count=True)
    if number is None or number < 0 or number != number.to_integral_value():
        return None
    return int(number)


def parse_rating(text: str) -> float | None:
    """Parse a rating: the first number in a text, which may be negative or have a fraction."""
    number = _first_number(text, is_count=False)
    return None if number is None else float(number)


def _first_number(text: str, *, is_count: bool) -> Decimal | None:
    match = _NUMBER.search(text[:_MAX_TEXT_CHARS])
    if match is None:
        return None
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 0
    plain = _to_decimal_text(match["digits"].translate(_DROP_SEPARATORS), is_count=is_count and not scale)
    if plain is None:
        return None
    number = Decimal(plain).scaleb(scale)
    if number > _MAX_NUMBER:
        return None
    return -number if match["sign"] in {"-", "−", "–"} else number


def _to_decimal_text(digits: str, *, is_count: bool) -> str | None:
    """Remove group separators and write the fraction after a point; None if the groups make no sense.

    A single comma followed by three digits separates thousands. A single point does so only in counts, as in
    German: a rating of 4.125 is possible, 4.125 views are not.
    """
    separators = [character for character in digits if character in ".,"]
    if not separators:
        return digits
    last = separators[-1]
    whole, _, fraction = digits.rpartition(last)
    is_repeated = len(separators) > 1 and separators[0] == last
    if is_repeated or (len(separators) == 1 and len(fraction) == 3 and (is_count or last == ",")):
        whole, fraction = digits, ""
    first, *groups = re.split("[.,]", whole)
    if len(set(separators[: len(groups)])) > 1 or any(len(group) != 3 for group in groups):
        return None
    return f"{first}{''.join(groups)}.{fraction}"
