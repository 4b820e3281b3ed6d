"""The sidebar of the reading pages: lists by marks, topics that unfold to their feeds, saved searches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from inforadar.model.ids import FeedId
from inforadar.model.person import PersonId
from inforadar.store.change_count import ChangeCount
from inforadar.store.database import Database
from inforadar.store.people.queries import load_searches
from inforadar.store.people.sidebar import MAX_SIDE_FEEDS, SideFeed, Totals, load_side_feeds
from inforadar.translations import pgettext, term
from inforadar.web.cache.timed import STRETCH_OVER_FEEDS, TimedCache
from inforadar.web.pages.item_query import Choice, Query, Show
from inforadar.web.pages.unread import UnreadCounts

FEEDS_TTL_S = 2.0
FEW_FEEDS = 12
"""With no more feeds than these, all topics are unfolded."""
UNWELL = {
    "incomplete": term("feed", "some entries could not be read"),
    "waiting": term("feed", "waiting to try again"),
    "suspended": term("feed", "needs you"),
}
"""{state: words for the dot}; other states have none."""
_NOBODY: Literal["nobody"] = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class SideLink:
    """A feed in the sidebar."""

    id: FeedId
    name: str
    """Its source, as in the list; its title where the topic has several feeds of that source."""
    title: str
    href: str
    active: bool
    unread: int
    state: str
    unwell: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SideTopic:
    name: str
    href: str
    active: bool
    is_open: bool
    unread: int
    feeds: tuple[SideLink, ...]
    unwell: str | None
    """The words of the worst feed, shown while the topic is folded."""
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidebar:
    shows: tuple[Choice, ...]
    topics: tuple[SideTopic, ...]
    has_more: bool
    searches: tuple[Choice, ...]
    feed_name: str | None
    """The name of the feed that the list is of."""


def make_sidebar(
    query: Query, feeds: Sequence[SideFeed], totals: Totals | None, searches: Mapping[str, str]
) -> Sidebar:
    """Put the sidebar of a page together. Links keep only whether unread items are shown."""
    kept = Query(show=query.show if query.show is Show.UNREAD else Show.ALL)
    listed = feeds[:MAX_SIDE_FEEDS]
    groups: dict[str, list[SideFeed]] = {}
    for feed in listed:
        groups.setdefault(feed.topic.casefold(), []).append(feed)
    chosen = {name.casefold() for name in query.topics}
    topics = tuple(
        _topic(query, kept, key in chosen, group, all_open=len(listed) <= FEW_FEEDS)
        for key, group in sorted(groups.items())
    )
    in_marks = not (query.feed or query.topics or query.sources or query.words or query.band)
    counts = {} if totals is None else {show: getattr(totals, show) for show in Show}
    return Sidebar(
        shows=tuple(
            Choice(
                name=show,
                href=f"/?show={show}",
                active=in_marks and query.show is show,
                count=counts.get(show),
            )
            for show in Show
        ),
        topics=topics,
        has_more=len(feeds) > MAX_SIDE_FEEDS,
        searches=tuple(
            Choice(name=name, href=Query(words=words).href, active=query.words == words)
            for name, words in searches.items()
        ),
        feed_name=next((feed.name for feed in feeds if feed.id == query.feed), None),
    )


def _topic(
    query: Query, kept: Query, active: bool, group: Sequence[SideFeed], *, all_open: bool
) -> SideTopic:
    name, ending = group[0].topic, f"&{kept.text}" if kept.text else ""
    worst = max(
        (feed.state for feed in group), key=lambda state: (*UNWELL,).index(state) if state in UNWELL else -1
    )
    sources = Counter(feed.source.casefold() for feed in group)
    names = {
        feed.id: feed.own_title or (feed.source if sources[feed.source.casefold()] == 1 else feed.name)
        for feed in group
    }
    feeds = tuple(
        SideLink(
            id=feed.id,
            name=names[feed.id],
            title=feed.name,
            # Written out, because there may be hundreds.
            href=f"/?feed={feed.id}{ending}",
            active=feed.id == query.feed,
            unread=feed.unread,
            state=feed.state,
            unwell=_unwell(feed.state),
        )
        for feed in sorted(group, key=lambda feed: names[feed.id].casefold())
    )
    return SideTopic(
        name=name,
        href=replace(kept, topics=(name,)).href,
        active=active,
        is_open=all_open or active or any(feed.active for feed in feeds),
        unread=sum(feed.unread for feed in feeds),
        feeds=feeds,
        unwell=_unwell(worst),
        state=worst,
    )


def _unwell(state: str) -> str | None:
    return pgettext("feed", UNWELL[state]) if state in UNWELL else None


_Loaded = tuple[list[SideFeed], dict[str, str]]
"""Feeds and saved searches."""


class SidebarLoader:
    """Loads what sidebars show; each person has their own."""

    def __init__(self, database: Database, marks: ChangeCount) -> None:
        self._database = database
        self._marks = marks
        self._unread = UnreadCounts(database, marks)
        self._feeds: TimedCache[PersonId | str, _Loaded] = TimedCache(
            FEEDS_TTL_S, stretch=STRETCH_OVER_FEEDS, version=lambda: marks.total
        )

    async def load(self, person_id: PersonId | None, query: Query) -> Sidebar:
        feeds, searches = await self._feeds.get(person_id or _NOBODY, lambda: self._load(person_id))
        return make_sidebar(query, feeds, await self._unread.load(person_id), searches)

    async def _load(self, person_id: PersonId | None) -> _Loaded:
        feeds = await self._database.read(load_side_feeds, person_id)
        searches = await self._database.read(load_searches, person_id) if person_id else {}
        return feeds, searches

    def forget(self) -> None:
        """Load anew for the next page, in every process, because a mark or a search has changed."""
        self._marks.add()
