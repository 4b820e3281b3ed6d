"""The lines of the feeds screen: topics, and below each its feeds with unread items, health and next run. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from textual.content import Content

from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.texts import counted
from inforadar.tui.cells import fit
from inforadar.tui.text import safe
from inforadar.urls import readable
from inforadar.views.feed_health import HealthState, feed_health, in_words

WIDE = 70
"""The width in cells from which the next run is shown."""
UNREAD_CELLS, STATE_CELLS, NEXT_CELLS = 5, 10, 15

WORDS = {
    HealthState.NEW: "new",
    HealthState.SUCCESS: "up to date",
    HealthState.INCOMPLETE: "loses some",
    HealthState.WAITING: "waiting",
    HealthState.SUSPENDED: "needs you",
    HealthState.DISABLED: "paused",
}
COLOURS = {
    HealthState.NEW: "$accent",
    HealthState.SUCCESS: "$success",
    HealthState.INCOMPLETE: "$warning",
    HealthState.WAITING: "$warning",
    HealthState.SUSPENDED: "$error",
    HealthState.DISABLED: "$muted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRow:
    topic: str
    feeds: int
    unread: int
    is_folded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRow:
    feed: Feed
    unread: int

    @property
    def name(self) -> str:
        """Its title, or the source that a person named; otherwise its address: a site may have several feeds."""
        feed = self.feed
        unnamed = readable(feed.url) if feed.source == feed.root_domain else feed.source
        return feed.options.title or feed.title or unnamed


Row = TopicRow | FeedRow


def make_rows(feeds: Sequence[Feed], unread: Mapping[FeedId, int], folded: Collection[str]) -> list[Row]:
    """List topics by name, each followed by its feeds unless it is folded."""
    topics: dict[str, list[FeedRow]] = {}
    for feed in feeds:
        topics.setdefault(feed.topic, []).append(FeedRow(feed=feed, unread=unread.get(feed.id, 0)))
    rows: list[Row] = []
    for topic in sorted(topics, key=str.casefold):
        members = sorted(topics[topic], key=lambda row: row.name.casefold())
        rows.append(
            TopicRow(
                topic=topic,
                feeds=len(members),
                unread=sum(row.unread for row in members),
                is_folded=topic in folded,
            )
        )
        if topic not in folded:
            rows += members
    return rows


def row_line(row: Row, now: datetime, width: int) -> Content:
    """A line of the list, exactly `width` cells wide."""
    if isinstance(row, TopicRow):
        sign = "▸" if row.is_folded else "▾"
        count = f"  {counted(row.feeds, 'feed')}"
        name = fit(safe(f"{sign} {row.topic}"[:200]), width - UNREAD_CELLS - len(count))
        return Content.assemble((name, "bold"), (count, "$muted"), (_unread(row.unread), "bold"))
    state = feed_health(row.feed, now).state
    last = f"  {fit(next_words(row.feed, now), NEXT_CELLS)}" if width >= WIDE else ""
    room = max(8, width - 4 - UNREAD_CELLS - 2 - STATE_CELLS - len(last))
    return Content.assemble(
        ("  ● ", COLOURS[state]),
        fit(safe(row.name[:200]), room),
        (_unread(row.unread), "bold" if row.unread else "$muted"),
        (f"  {fit(WORDS[state], STATE_CELLS)}", COLOURS[state]),
        (last, "$muted"),
    )


def _unread(number: int) -> str:
    return fit(f"{number:,}" if number < 10_000 else f"{number // 1000}K", UNREAD_CELLS, right=True)


def next_words(feed: Feed, now: datetime) -> str:
    """`in 5 minutes`, `due`, `not scheduled`."""
    if not feed.enabled or (feed.next_run_at is None and feed.requested_at is None):
        return "not scheduled"
    if feed.requested_at is not None or (feed.next_run_at and feed.next_run_at <= now):
        return "due"
    return in_words(now, feed.next_run_at)
