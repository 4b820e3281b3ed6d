"""Guess the selectors that a person has not written yet, from the items of a page.

A page is shown as soon as its items are known. The guesses are common markup, tried in order: the first that every item
has wins, else the one that most items have. A person accepts them or writes better ones.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from inforadar.stages.discover.pages.dom import Node
from inforadar.stages.discover.pages.selectors.reader import date_texts, link_of, texts_of

_LINKS = ("h1 a", "h2 a", "h3 a", "h4 a", "[class*=title] a", "a[class*=title]", "a", "@href")
_TITLES = ("h1", "h2", "h3", "h4", "[class*=title]", "[class*=headline]", "a", "@title")
_DATES = ("time", "[itemprop=datePublished]", "[class*=date]", "[class*=time]", "[class*=when]", "@datetime")
_MAX_ITEMS = 20
"""Items looked at: enough to tell, and a page may have thousands."""


def guess_selectors(items: Sequence[Node], names: Collection[str]) -> dict[str, str]:
    """Return a selector for each of the names `link`, `title` and `date`."""
    some = items[:_MAX_ITEMS]
    return {name: _best(some, name) for name in names}


def _best(items: Sequence[Node], name: str) -> str:
    candidates = {"link": _LINKS, "title": _TITLES, "date": _DATES}[name]
    counts = {one: sum(_matches(item, name, one) for item in items) for one in candidates}
    # The first of those with the most matches: `max` keeps the order.
    return max(candidates, key=lambda one: counts[one])


def _matches(item: Node, name: str, selector: str) -> bool:
    match name:
        case "link":
            return link_of(item, selector) is not None
        case "date":
            return bool(date_texts(item, selector))
        case _:
            return bool(texts_of(item, selector))
