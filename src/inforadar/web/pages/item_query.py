"""The query of the article list, and links to other queries. Pure.

    /?feed=ID&source=Habr&topic=python&show=unread&score=loaded&q=ferry&after=CURSOR
    /item/ID?topic=python                                                   an article, and the list it is read in

Pages use cursors, not numbers: with a million items, page 9,000 must be as fast as the first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from inforadar.errors import UsageError
from inforadar.model.analysis import SCORE_BANDS
from inforadar.model.ids import FeedId, ItemId
from inforadar.store.items.item_filter import ItemFilter
from inforadar.web.http import parameters

PAGE_ITEMS = 40
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Show(StrEnum):
    """Items by their marks, as in the terminal."""

    ALL = "all"
    """All items that are not archived."""
    UNREAD = "unread"
    STARRED = "starred"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """The filters and the page, as given by the URL."""

    feed: FeedId | None = None
    sources: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    show: Show = Show.ALL
    band: str | None = None
    words: str | None = None
    at: datetime | None = None
    """With unread items: those that were unread at this time, so that the list does not shrink while it is read."""
    after: str | None = None

    @property
    def filter(self) -> ItemFilter:
        min_score, below_score = SCORE_BANDS[self.band] if self.band else (None, None)
        return ItemFilter(
            feed_id=self.feed,
            sources=self.sources,
            topics=self.topics,
            unread=self.show is Show.UNREAD,
            unread_at=self.at,
            starred=self.show is Show.STARRED,
            archived=self.show is Show.ARCHIVED,
            min_score=min_score,
            below_score=below_score,
            query=self.words,
        )

    @property
    def is_filtered(self) -> bool:
        return replace(self, after=None, at=None) != Query()

    @property
    def can_fold(self) -> bool:
        """Whether the articles of one event may be shown as one entry: in lists of everything, or of topics."""
        return not (self.feed or self.sources or self.band or self.words) and self.show in (
            Show.ALL,
            Show.UNREAD,
        )

    @property
    def first(self) -> Query:
        """The same list from its beginning, as it is now."""
        return self.changed()

    def changed(self, **filters: Any) -> Query:
        """A list with other filters, from its beginning."""
        return replace(self, after=None, at=None, **filters)

    @property
    def href(self) -> str:
        return f"/?{query}" if (query := self.text) else "/"

    @property
    def text(self) -> str:
        """The query of its address."""
        pairs = [("source", name) for name in self.sources] + [("topic", name) for name in self.topics]
        given = (
            ("feed", str(self.feed) if self.feed else None),
            ("show", self.show if self.show is not Show.ALL else None),
            ("score", self.band),
            ("q", self.words),
            ("at", moment_text(self.at) if self.at else None),
            ("after", self.after),
        )
        return urlencode(pairs + [(name, value) for name, value in given if value])

    def item_href(self, item_id: ItemId) -> str:
        """The address of an article, read in this list."""
        return f"/item/{item_id}{self.behind_item}"

    @property
    def behind_item(self) -> str:
        """The end of each such address."""
        text = replace(self, after=None).text
        return f"?{text}" if text else ""

    def held(self, now: datetime) -> Query:
        """The list as it is now, also while its items are read."""
        return replace(self, at=now) if self.show is Show.UNREAD and self.at is None else self


def parse_query(given: QueryParams) -> Query:
    show, band = parameters.text(given, "show") or Show.ALL, parameters.text(given, "score")
    if show not in set(Show):
        raise UsageError(f"show must be one of {', '.join(Show)}.")
    if band is not None and band not in SCORE_BANDS:
        raise UsageError(f"score must be one of {', '.join(SCORE_BANDS)}.")
    feed, at = parameters.uuid(given, "feed"), parameters.text(given, "at")
    return Query(
        feed=FeedId(feed) if feed else None,
        sources=parameters.names(given, "source"),
        topics=parameters.names(given, "topic"),
        show=Show(show),
        band=band,
        words=parameters.text(given, "q"),
        at=parse_moment(at) if at else None,
        after=parameters.text(given, "after"),
    )


def moment_text(at: datetime) -> str:
    """A time in an address: microseconds since 1970."""
    return str((at - _EPOCH) // _MICROSECOND)


def parse_moment(text: str) -> datetime:
    if not (text.isascii() and text.isdigit() and len(text) < 18):
        raise UsageError("The time in this address is wrong.")
    return _EPOCH + int(text) * _MICROSECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One link to another list."""

    name: str
    href: str
    active: bool
    count: int | None = None


def show_choices(query: Query) -> tuple[Choice, ...]:
    """The same list, by marks."""
    return tuple(
        Choice(name=show, href=query.changed(show=show).href, active=query.show is show)
        for show in (Show.ALL, Show.UNREAD)
    )


def band_choices(query: Query) -> tuple[Choice, ...]:
    """The same list, by score; choosing the active one again clears it."""
    return tuple(
        Choice(
            name=band,
            href=query.changed(band=None if query.band == band else band).href,
            active=query.band == band,
        )
        for band in SCORE_BANDS
    )
