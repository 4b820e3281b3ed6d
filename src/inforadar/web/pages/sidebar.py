"""The sidebar of the reading pages: lists by marks, topics that unfold to their feeds, saved searches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from time import monotonic
from typing import Literal

from inforadar.model.ids import FeedId
from inforadar.model.person import PersonId
from inforadar.store.change_count import ChangeCount
from inforadar.store.database import Database
from inforadar.store.people.queries import load_searches
from inforadar.store.people.sidebar import MAX_SIDE_FEEDS, SideFeed, Totals, load_side_feeds
from inforadar.translations import pgettext, term
from inforadar.translations.speech import current_language
from inforadar.web.cache.bounded import BoundedCache
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
MAX_KEPT_LINKS = 30_000
"""How many links of sidebars are kept, counted over all of them."""
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
    key: Hashable
    """Equal for sidebars with equal topics, so that their HTML is made once."""


@dataclass(frozen=True, slots=True)
class SideContent:
    """The data of a person's sidebars."""

    feeds: Sequence[SideFeed]
    searches: Mapping[str, str]


def make_topics(query: Query, feeds: Sequence[SideFeed]) -> tuple[SideTopic, ...]:
    """Sort the feeds by topic. Links keep only whether unread items are shown."""
    kept = Query(show=query.show if query.show is Show.UNREAD else Show.ALL)
    listed = feeds[:MAX_SIDE_FEEDS]
    groups: dict[str, list[SideFeed]] = {}
    for feed in listed:
        groups.setdefault(feed.topic.casefold(), []).append(feed)
    chosen = _chosen(query)
    return tuple(
        _topic(query, kept, key in chosen, group, all_open=len(listed) <= FEW_FEEDS)
        for key, group in sorted(groups.items())
    )


def _chosen(query: Query) -> frozenset[str]:
    return frozenset(name.casefold() for name in query.topics)


def make_sidebar(
    query: Query,
    content: SideContent,
    totals: Totals | None,
    topics: tuple[SideTopic, ...],
    key: Hashable = None,
) -> Sidebar:
    """Put the sidebar of a page together; `topics` are those that `make_topics` makes."""
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
        has_more=len(content.feeds) > MAX_SIDE_FEEDS,
        searches=tuple(
            Choice(name=name, href=Query(words=words).href, active=query.words == words)
            for name, words in content.searches.items()
        ),
        feed_name=next((feed.name for feed in content.feeds if feed.id == query.feed), None)
        if query.feed
        else None,
        key=key,
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


class SidebarLoader:
    """Loads what sidebars show; each person has their own."""

    def __init__(
        self, database: Database, marks: ChangeCount, *, clock: Callable[[], float] = monotonic
    ) -> None:
        self._database = database
        self._marks = marks
        self._unread = UnreadCounts(database, marks)
        self._feeds: TimedCache[PersonId | str, list[SideFeed]] = TimedCache(
            FEEDS_TTL_S, stretch=STRETCH_OVER_FEEDS, version=lambda: marks.total, clock=clock
        )
        # Few and their reader's own, so what was just saved or deleted is shown at once, whatever the load.
        self._searches: TimedCache[PersonId, dict[str, str]] = TimedCache(
            FEEDS_TTL_S, version=lambda: marks.total
        )
        self._topics: BoundedCache[Hashable, tuple[SideTopic, ...]] = BoundedCache(
            MAX_KEPT_LINKS, lambda topics: 1 + sum(len(topic.feeds) for topic in topics)
        )
        self._editions = count()
        self._edition_of: BoundedCache[PersonId | str, tuple[SideContent, int]] = BoundedCache(200)

    async def load(self, person_id: PersonId | None, query: Query) -> Sidebar:
        who = person_id or _NOBODY
        content = SideContent(
            await self._feeds.get(who, lambda: self._database.read(load_side_feeds, person_id)),
            await self._load_searches(person_id),
        )
        key = (
            self._edition(who, content),
            query.show is Show.UNREAD,
            _chosen(query),
            query.feed,
            current_language().tag,
        )
        topics = self._topics.get(key)
        if topics is None:
            topics = make_topics(query, content.feeds)
            self._topics.put(key, topics)
        return make_sidebar(query, content, await self._unread.load(person_id), topics, key)

    async def _load_searches(self, person_id: PersonId | None) -> dict[str, str]:
        if person_id is None:
            return {}
        return await self._searches.get(person_id, lambda: self._database.read(load_searches, person_id))

    def _edition(self, who: PersonId | str, content: SideContent) -> int:
        """The number of this content: the same as before if nothing has changed."""
        known, edition = self._edition_of.get(who) or (None, 0)
        if known and known.feeds is content.feeds and known.searches == content.searches:
            return edition
        if known != content:
            edition = next(self._editions)
        self._edition_of.put(who, (content, edition))
        return edition

    def forget(self) -> None:
        """Load anew for the next page, in every process, because a mark or a search has changed."""
        self._marks.add()
