"""The query of the article list, and links to other queries. Pure.

    /?source=Habr&topic=python&show=unread&score=loaded&q=ferry&after=CURSOR

Pages use cursors, not numbers: with a million items, page 9,000 must be as fast as the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from inforadar.errors import UsageError
from inforadar.store.feeds.labels import Label
from inforadar.store.items.queries import ItemFilter
from inforadar.web.http import parameters

PAGE_ITEMS = 40
MAX_SOURCES = 60
"""Maximum sources listed beside the articles; the feeds page has all of them."""


class Show(StrEnum):
    """Items by their marks, as in the terminal."""

    ALL = "all"
    """All items that are not archived."""
    UNREAD = "unread"
    STARRED = "starred"
    ARCHIVED = "archived"


BANDS: Mapping[str, tuple[float | None, float | None]] = {
    "neutral": (None, 0.34),
    "slanted": (0.34, 0.67),
    "loaded": (0.67, None),
}
"""{band: (minimum score, upper bound)}; the bound is exclusive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """The filters and the page, as given by the URL."""

    sources: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    show: Show = Show.ALL
    band: str | None = None
    words: str | None = None
    after: str | None = None

    @property
    def filter(self) -> ItemFilter:
        min_score, below_score = BANDS[self.band] if self.band else (None, None)
        return ItemFilter(
            sources=self.sources,
            topics=self.topics,
            unread=self.show is Show.UNREAD,
            starred=self.show is Show.STARRED,
            archived=self.show is Show.ARCHIVED,
            min_score=min_score,
            below_score=below_score,
            query=self.words,
        )

    @property
    def is_filtered(self) -> bool:
        return replace(self, after=None) != Query()

    @property
    def href(self) -> str:
        return f"/?{query}" if (query := self.text) else "/"

    @property
    def text(self) -> str:
        pairs = [("source", name) for name in self.sources] + [("topic", name) for name in self.topics]
        given = (
            ("show", self.show if self.show is not Show.ALL else None),
            ("score", self.band),
            ("q", self.words),
            ("after", self.after),
        )
        return urlencode(pairs + [(name, value) for name, value in given if value])


def parse_query(given: QueryParams) -> Query:
    show, band = parameters.text(given, "show") or Show.ALL, parameters.text(given, "score")
    if show not in set(Show):
        raise UsageError(f"show must be one of {', '.join(Show)}.")
    if band is not None and band not in BANDS:
        raise UsageError(f"score must be one of {', '.join(BANDS)}.")
    return Query(
        sources=parameters.names(given, "source"),
        topics=parameters.names(given, "topic"),
        show=Show(show),
        band=band,
        words=parameters.text(given, "q"),
        after=parameters.text(given, "after"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One filter link; following the active one again clears it."""

    name: str
    href: str
    active: bool
    unread: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    shows: tuple[Choice, ...]
    bands: tuple[Choice, ...]
    sources: tuple[Choice, ...]
    more_sources: int
    topics: tuple[Choice, ...]
    """The topics of the chosen sources, or of all sources if none is chosen."""


def choices(query: Query, labels: Sequence[Label], unread: Mapping[tuple[str, str], int]) -> Choices:
    """Build the filter links; `unread` holds counts by source and topic."""
    chosen_sources, chosen_topics = _folded(query.sources), _folded(query.topics)
    by_source = _sums((source, number) for (source, _), number in unread.items())
    sources = _distinct(label.source for label in labels)
    # With very many labels, only the first ones are loaded.
    listed = _folded(sources)
    sources += _distinct(name for name in query.sources if name.casefold() not in listed)
    within = [label for label in labels if not chosen_sources or label.source.casefold() in chosen_sources]
    by_topic = _sums(
        (topic, number)
        for (source, topic), number in unread.items()
        if not chosen_sources or source.casefold() in chosen_sources
    )
    topics = sorted(_distinct(label.topic for label in within), key=str.casefold)
    # A chosen source is always listed, so that it can be cleared.
    shown = [
        _choice(query, "sources", name, chosen_sources, by_source)
        for number, name in enumerate(sources)
        if number < MAX_SOURCES or name.casefold() in chosen_sources
    ]
    first = replace(query, after=None)
    return Choices(
        shows=tuple(
            Choice(name=show, href=replace(first, show=show).href, active=query.show is show) for show in Show
        ),
        bands=tuple(
            Choice(
                name=band,
                href=replace(first, band=None if query.band == band else band).href,
                active=query.band == band,
            )
            for band in BANDS
        ),
        sources=tuple(shown),
        more_sources=len(sources) - len(shown),
        topics=tuple(_choice(query, "topics", name, chosen_topics, by_topic) for name in topics),
    )


def _choice(query: Query, field: str, name: str, chosen: set[str], unread: Mapping[str, int]) -> Choice:
    active = name.casefold() in chosen
    names = () if active else (name,)
    first = replace(query, after=None)
    target = replace(first, sources=names) if field == "sources" else replace(first, topics=names)
    return Choice(name=name, href=target.href, active=active, unread=unread.get(name.casefold(), 0))


def _sums(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for name, number in pairs:
        total[name.casefold()] = total.get(name.casefold(), 0) + number
    return total


def _distinct(names: Iterable[str]) -> list[str]:
    """Remove names that differ only in case."""
    return list({name.casefold(): name for name in names}.values())


def _folded(names: Iterable[str]) -> set[str]:
    return {name.casefold() for name in names}
