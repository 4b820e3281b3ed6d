"""What the article list is asked for, and the links that ask for something else. Pure.

/?source=Habr&topic=python&page=2
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from inforadar.store.items import ItemFilter
from inforadar.store.labels import Label

PAGE_ITEMS = 40
MAX_SOURCES = 60
"""That many sources are listed beside the articles; all of them are on the page of feeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """The filters and the page, as the address gives them."""

    sources: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    page: int = 1

    @property
    def filter(self) -> ItemFilter:
        return ItemFilter(sources=self.sources, topics=self.topics)

    @property
    def offset(self) -> int:
        return (self.page - 1) * PAGE_ITEMS

    @property
    def href(self) -> str:
        pairs = [("source", name) for name in self.sources] + [("topic", name) for name in self.topics]
        if self.page > 1:
            pairs.append(("page", str(self.page)))
        return f"/?{urlencode(pairs)}" if pairs else "/"


def parse_query(given: QueryParams) -> Query | None:
    """`None`: the page is no number that a page can have."""
    page = given.get("page") or "1"
    if not (page.isascii() and page.isdigit() and len(page) < 10) or int(page) < 1:
        return None
    return Query(
        sources=_names(given.getlist("source")), topics=_names(given.getlist("topic")), page=int(page)
    )


def _names(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in given if name.strip()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One line of the filters; choosing the active one again clears it."""

    name: str
    href: str
    active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    sources: tuple[Choice, ...]
    more_sources: int
    topics: tuple[Choice, ...]
    """Those of the chosen sources; of all, if none is chosen."""


def choices(query: Query, labels: Sequence[Label]) -> Choices:
    chosen_sources, chosen_topics = _folded(query.sources), _folded(query.topics)
    sources = [
        _choice(query, "sources", name, chosen_sources)
        for name in _distinct(label.source for label in labels)
    ]
    within = [label for label in labels if not chosen_sources or label.source.casefold() in chosen_sources]
    topics = sorted(_distinct(label.topic for label in within), key=str.casefold)
    # A source that is chosen must be there to be cleared again, however many stand before it.
    shown = [one for number, one in enumerate(sources) if number < MAX_SOURCES or one.active]
    return Choices(
        sources=tuple(shown),
        more_sources=len(sources) - len(shown),
        topics=tuple(_choice(query, "topics", name, chosen_topics) for name in topics),
    )


def _choice(query: Query, field: str, name: str, chosen: set[str]) -> Choice:
    active = name.casefold() in chosen
    target = replace(query, page=1, **{field: () if active else (name,)})
    return Choice(name=name, href=target.href, active=active)


def _distinct(names: Iterable[str]) -> list[str]:
    """The same name in another case is the same name."""
    return list({name.casefold(): name for name in names}.values())


def _folded(names: Iterable[str]) -> set[str]:
    return {name.casefold() for name in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pager:
    """Where this page stands among all."""

    first: int
    last: int
    total: int
    newer: str | None
    older: str | None


def pages_of(total: int) -> int:
    return max(1, ceil(total / PAGE_ITEMS))


def pager(query: Query, total: int) -> Pager:
    return Pager(
        first=query.offset + 1,
        last=min(query.offset + PAGE_ITEMS, total),
        total=total,
        newer=replace(query, page=query.page - 1).href if query.page > 1 else None,
        older=replace(query, page=query.page + 1).href if query.page < pages_of(total) else None,
    )
