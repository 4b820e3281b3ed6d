"""Put waiting matches together into messages: one for each story, within the channel's limit, not in quiet hours.

A match of a rule that asks for changes is told once for each change. What a message says of a revision, and a digest of
a story, is made before the transaction (`Described`), because it compares whole texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, and_, func, insert, or_, select, update

from inforadar.model.ids import ItemId, StoryId, new_uuid
from inforadar.model.rule import Channel
from inforadar.store.clock_sanity import ABSURD_WAIT_S
from inforadar.store.rules.queries import channel_from_row
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.rules import channels, deliveries, notifications, rules
from inforadar.store.schema.stories import story_items
from inforadar.store.types import one_of

MAX_TOLD = 20
"""Stories that one message names; the others are counted."""
MAX_TOLD_IN_DIGEST = 100
MAX_BUNDLED = 5000
_WINDOW = timedelta(hours=1)
_n = notifications.c


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """The texts of revisions and stories in messages."""

    revisions: Mapping[UUID, Mapping[str, Any] | None]
    """None: it is not told any more."""
    stories: Mapping[StoryId, Mapping[str, Any] | None]
    """For digests."""


def _is_due(now: datetime) -> ColumnElement[bool]:
    """Condition: the match is due, or a clock that was wrong postponed it longer than any digest waits."""
    return or_(_n.due_at <= now, _n.due_at > now + timedelta(seconds=ABSURD_WAIT_S))


def has_due(connection: Connection, now: datetime) -> bool:
    return connection.execute(select(_n.id).where(_is_due(now)).limit(1)).first() is not None


def load_due_revisions(connection: Connection, now: datetime) -> dict[UUID, ItemId]:
    """Revisions that matches which are due are about, each with an item that shows it."""
    query = select(_n.change, _n.item_id).where(_is_due(now), _n.change.is_not(None)).order_by(_n.id)
    found: dict[UUID, ItemId] = {}
    for row in connection.execute(query.limit(MAX_BUNDLED)):
        if (revision := _revision_of(row.change)) is not None:
            found.setdefault(revision, row.item_id)
    return found


def load_digest_stories(connection: Connection, now: datetime) -> list[StoryId]:
    """The stories of matches that digests are due to tell, as many as one names."""
    query = (
        select(story_items.c.story_id)
        .join_from(notifications, channels, channels.c.id == _n.channel_id)
        .join(story_items, story_items.c.item_id == _n.item_id)
        .where(_is_due(now), channels.c.settings["digest"].as_string().is_not(None))
        .distinct()
        .limit(MAX_TOLD_IN_DIGEST)
    )
    return list(connection.execute(query).scalars())


def _revision_of(change: Mapping[str, Any] | None) -> UUID | None:
    return UUID(change["revision"]) if change and "revision" in change else None


def bundle_due(connection: Connection, now: datetime, described: Described) -> int:
    """Make messages of all matches that are due; return the number of messages.

    Matches of revisions that are not in `described` wait for the next time.
    """
    waiting = select(_n.channel_id).where(_is_due(now))
    query = select(channels).where(channels.c.id.in_(waiting)).order_by(channels.c.id).with_for_update()
    return sum(
        _bundle(connection, channel_from_row(row), now, described) for row in connection.execute(query).all()
    )


def _bundle(connection: Connection, channel: Channel, now: datetime, described: Described) -> int:
    if (later := _postponed(connection, channel, now)) is not None:
        own = (_n.channel_id == channel.id, _is_due(now))
        connection.execute(update(notifications).where(*own).values(due_at=later))
        return 0
    found: list[Row[Any]] = list(
        connection.execute(
            select(
                _n.id,
                _n.rule_id,
                _n.alert,
                _n.change,
                rules.c.name.label("rule"),
                items.c.id.label("item_id"),
                items.c.url,
                items.c.title,
                items.c.score,
                items.c.pub_date,
                items.c.snippet,
                feeds.c.source,
                story_items.c.story_id,
            )
            .join_from(notifications, items, items.c.id == _n.item_id, isouter=True)
            .join(feeds, feeds.c.id == items.c.feed_id, isouter=True)
            .join(rules, rules.c.id == _n.rule_id, isouter=True)
            .join(story_items, story_items.c.item_id == items.c.id, isouter=True)
            .where(_n.channel_id == channel.id, _is_due(now))
            .order_by(_n.id)
            .limit(MAX_BUNDLED)
        )
    )
    found = [
        row
        for row in found
        if (revision := _revision_of(row.change)) is None or revision in described.revisions
    ]
    fresh = [
        row
        for row in _without_told(connection, channel, found)
        if (revision := _revision_of(row.change)) is None or described.revisions[revision] is not None
    ]
    groups: dict[Any, list[Row[Any]]] = {}
    for row in fresh:
        groups.setdefault(None if channel.digest else (row.rule_id, row.alert is not None), []).append(row)
    for rows in groups.values():
        _save(connection, channel, rows, now, described)
    left_out = {row.id for row in found} - {row.id for row in fresh}
    if left_out:
        connection.execute(update(notifications).where(one_of(_n.id, left_out)).values(due_at=None))
    return len(groups)


def _postponed(connection: Connection, channel: Channel, now: datetime) -> datetime | None:
    """When the channel may be told, if not now: after its quiet hours, or when its limit has room again."""
    if channel.quiet and (until := channel.quiet.until(now)):
        return until
    d = deliveries.c
    recent = select(func.count(), func.min(d.created_at)).where(
        # A message of a clock that was ahead would count for as long.
        d.channel_id == channel.id,
        d.created_at.between(now - _WINDOW, now + _WINDOW),
    )
    number, oldest = connection.execute(recent).one()
    return oldest + _WINDOW if number >= channel.limit else None


def _without_told(connection: Connection, channel: Channel, found: Sequence[Row[Any]]) -> list[Row[Any]]:
    """Leave out stories and changes that the channel has been told for the same rule."""
    stories = {row.story_id for row in found if row.story_id and row.change is None}
    changes = {row.rule_id for row in found if row.change is not None}
    told: set[Any] = set()
    sent = (_n.channel_id == channel.id, _n.delivery_id.is_not(None))
    if stories:
        query = select(_n.rule_id, _n.story_id).where(*sent, one_of(_n.story_id, stories))
        told |= {(row.rule_id, row.story_id) for row in connection.execute(query)}
    if changes:
        # The same article in another feed: its revision may be evaluated a moment later.
        query = select(_n.rule_id, _n.change).where(
            *sent, one_of(_n.rule_id, changes), _n.change.is_not(None)
        )
        told |= {(row.rule_id, _revision_of(row.change)) for row in connection.execute(query)} - {
            (rule_id, None) for rule_id in changes
        }

    def key(row: Row[Any]) -> Any:
        return row.rule_id, row.story_id if row.change is None else _revision_of(row.change)

    return [row for row in found if key(row) not in told]


def _save(
    connection: Connection, channel: Channel, rows: Sequence[Row[Any]], now: datetime, described: Described
) -> None:
    payload = _payload(channel, rows, now, described)
    delivery_id = new_uuid()
    rule_ids = {row.rule_id for row in rows}
    connection.execute(
        insert(deliveries).values(
            id=delivery_id,
            created_at=now,
            channel_id=channel.id,
            rule_id=rule_ids.pop() if len(rule_ids) == 1 else None,
            payload=payload,
            next_attempt_at=now,
        )
    )
    own_story = (
        select(story_items.c.story_id)
        .where(story_items.c.item_id == _n.item_id)
        .correlate(notifications)
        .scalar_subquery()
    )
    connection.execute(
        update(notifications)
        .where(and_(one_of(_n.id, [row.id for row in rows])))
        .values(due_at=None, delivery_id=delivery_id, story_id=own_story)
    )


def _payload(
    channel: Channel, rows: Sequence[Row[Any]], now: datetime, described: Described
) -> dict[str, Any]:
    """The message as JSON: its webhook body, from which texts for people are rendered."""
    alerts = [row.alert for row in rows if row.alert is not None]
    told: dict[Any, dict[str, Any]] = {}
    for row in rows:
        if row.alert is not None or row.item_id is None:
            continue
        revision = _revision_of(row.change)
        change = described.revisions[revision] if revision else row.change
        key = row.story_id or row.url if change is None else revision or (row.url, row.change["at"])
        if key in told:
            entry = told[key]
            if row.source not in (entry["source"], *entry["also_from"]):
                entry["also_from"].append(row.source)
        else:
            told[key] = _entry(row) | ({"change": dict(change)} if change else {})
            if channel.digest and change is None and (story := described.stories.get(row.story_id)):
                told[key]["story"] = dict(story)
    limit = MAX_TOLD_IN_DIGEST if channel.digest else MAX_TOLD
    entries = list(told.values())
    names = list(dict.fromkeys(row.rule for row in rows if row.rule))
    shown, shown_alerts = entries[:limit], alerts[:limit]
    more = len(entries) - len(shown) + len(alerts) - len(shown_alerts)
    return {
        "type": "digest" if channel.digest else "feed.alert" if alerts else "rule.matched",
        "timestamp": now.isoformat(),
        "title": _title(names, entries, alerts),
        "rules": names,
        "items": shown,
        "alerts": shown_alerts,
        "more": more,
    }


def _entry(row: Row[Any]) -> dict[str, Any]:
    return {
        "id": str(row.item_id),
        "url": row.url,
        "title": row.title or row.url,
        "summary": row.snippet or "",
        "source": row.source,
        "also_from": [],
        "story_id": str(row.story_id) if row.story_id else None,
        "score": row.score,
        "published_at": row.pub_date.isoformat(),
        "rule": row.rule,
    }


def _title(
    names: Sequence[str], entries: Sequence[Mapping[str, Any]], alerts: Sequence[Mapping[str, Any]]
) -> str:
    number = len(entries) + len(alerts)
    if number == 1:
        if not entries:
            return str(alerts[0]["title"])
        title, source = entries[0]["title"], entries[0]["source"]
        return f"Changed by {source}: {title}" if "change" in entries[0] else str(title)
    what = ", ".join(names) if names else "Feeds need attention"
    kind = "alerts" if not entries else "changes" if all("change" in one for one in entries) else "stories"
    return f"{what}: {number} {kind}"
