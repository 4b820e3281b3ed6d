"""Numbers as sites show them to people: `2.1K`, `1,234`, `12 345`, `3,4 тыс.`, `1.2万`, `+12`, `−3`.

A sign that stands for "none yet" (`–`) or a word ("Comment") is no number, and no number is `None`, never 0: what
is not known must not overwrite what is.
"""

from __future__ import annotations

import re
from decimal import Decimal

_GREATEST = Decimal(10) ** 15
"""More than anything that is counted on a page, and well within what databases hold."""

_LETTERS = {
    **dict.fromkeys(["k", "к", "тыс", "тис", "tys", "tsd"], 3),
    **dict.fromkeys(["m", "м", "mln", "млн", "mio"], 6),
    **dict.fromkeys(["b", "bn", "млрд", "mld", "mrd"], 9),
}
_SIGNS = {"千": 3, "万": 4, "萬": 4, "百万": 6, "亿": 8, "億": 8}
_SCALES = _LETTERS | _SIGNS
"""The power of ten behind a suffix; `к` and `м` are Cyrillic."""

_SPACES = " \u00a0\u2009\u202f'’"
"""What stands between groups of three digits, besides point and comma."""

_NO_SPACES = str.maketrans("", "", _SPACES)
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w.,])[+\-−–])?"
    rf"(?P<digits>\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?!\d)(?:[.,]\d{{1,2}}(?!\d))?|\d+(?:[.,]\d+)*)"
    rf"(?:\s?(?P<scale>(?:{'|'.join(_LETTERS)})(?![^\W\d_])|{'|'.join(_SIGNS)}))?",
    re.IGNORECASE,
)
_LONGEST = 200


def parse_count(text: str) -> int | None:
    """How many there are of something: the first number in a text, if it is a whole one."""
    number = _first_number(text, is_count=True)
    if number is None or number < 0 or number != number.to_integral_value():
        return None
    return int(number)


def parse_rating(text: str) -> float | None:
    """The first number in a text, which may be negative or have a fraction."""
    number = _first_number(text, is_count=False)
    return None if number is None else float(number)


def _first_number(text: str, *, is_count: bool) -> Decimal | None:
    match = _NUMBER.search(text[:_LONGEST])
    if match is None:
        return None
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 0
    plain = _with_point(match["digits"].translate(_NO_SPACES), is_count=is_count and not scale)
    if plain is None:
        return None
    number = Decimal(plain).scaleb(scale)
    if number > _GREATEST:
        return None
    return -number if match["sign"] in {"-", "−", "–"} else number


def _with_point(digits: str, *, is_count: bool) -> str | None:
    """Groups closed up, and a point before the fraction.

    One separator and three digits behind it are a thousand if it is a comma; if it is a point, they are one
    only where something is counted, as in German: a rating of 4.125 is possible, 4.125 views are not.
    """
    separators = [sign for sign in digits if sign in ".,"]
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
