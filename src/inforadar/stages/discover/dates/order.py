"""Decide whether `11/04/2026` in a document means April or November; without evidence it is left undated."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inforadar.stages.discover.dates.absolute import DateOrder

_NUMBERS = re.compile(r"(?<![\d/-])(\d{1,2})\s*([/-])\s*(\d{1,2})\s*\2\s*(?:\d{4}|\d{2})(?![\d/-])")
_MONTH_FIRST = frozenset({"en-us", "en-ph"})
_NO_USUAL_ORDER = frozenset({"en", "en-ca", "zh", "ja", "ko", "hu", "lt", "mn", "sv", "eu"})
"""Languages whose countries disagree, or that write the year first, so that this form says nothing."""


def find_date_order(dates: Iterable[str], language: str | None) -> DateOrder:
    """The order of day and month in a document: by a date with a day over 12, else by the document's language."""
    found: set[DateOrder] = set()
    has_numbers = False
    for text in dates:
        for first, _, second in _NUMBERS.findall(text[:60]):
            has_numbers = True
            if int(first) > 12:
                found.add(DateOrder.DAY_FIRST)
            elif int(second) > 12:
                found.add(DateOrder.MONTH_FIRST)
    if len(found) == 1:
        return found.pop()
    return DateOrder.UNKNOWN if found or not has_numbers else _order_of(language)


def _order_of(language: str | None) -> DateOrder:
    tag = (language or "").strip().lower().replace("_", "-")
    if tag in _MONTH_FIRST:
        return DateOrder.MONTH_FIRST
    if not re.fullmatch(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}", tag) or tag in _NO_USUAL_ORDER:
        return DateOrder.UNKNOWN
    return DateOrder.UNKNOWN if tag.partition("-")[0] in _NO_USUAL_ORDER - {"en"} else DateOrder.DAY_FIRST
