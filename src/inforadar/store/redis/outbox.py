"""The outbox: changes to write to Redis, recorded in the transaction that made them (D6).

An event names what changed, not its current state: the publisher reads that from the tables. So an event can be
published twice, or after a later one, and Redis still ends up right.

    listed    {category, urls}    these URLs were listed under this topic
    known     {category, uids}    listed again, but the articles are already stored: skipped
    article   {uid, code}         an article was stored, or the attempt failed with this code
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from inforadar.model.article import ArticleStatus, FailureCode
from inforadar.model.ids import Uid
from inforadar.store.items.save import FeedItems
from inforadar.store.redis.outbox_queries import OutboxEvent, OutboxKind
from inforadar.store.schema.articles import articles
from inforadar.store.schema.redis import redis_outbox
from inforadar.store.types import one_of
from inforadar.urls import uid

_o = redis_outbox.c


URLS_PER_EVENT = 500


def note_listed(connection: Connection, batches: Sequence[FeedItems]) -> None:
    """Record new items: their URLs are listed, and those whose article is already stored are known."""
    by_topic: dict[str, dict[Uid, str]] = {}
    for batch in batches:
        urls = by_topic.setdefault(batch.topic, {})
        urls.update((uid(new.url), new.url) for new in batch.added if new.has_article)
    for topic, urls in by_topic.items():
        at = max(batch.at for batch in batches if batch.topic == topic)
        _note(connection, OutboxKind.LISTED, at, category=topic, urls=list(urls.values()))
        stored = select(articles.c.uid).where(
            one_of(articles.c.uid, urls), articles.c.status == ArticleStatus.SUCCESS.value
        )
        note_known(connection, topic, list(connection.execute(stored).scalars()), at)


def note_known(connection: Connection, category: str, uids: Sequence[Uid], at: datetime) -> None:
    """Record articles that were listed again and are not fetched again."""
    _note(connection, OutboxKind.KNOWN, at, category=category, uids=uids)


def _note(
    connection: Connection, kind: OutboxKind, at: datetime, *, category: str, **listed: Sequence[str]
) -> None:
    rows = [
        {
            "at": at,
            "kind": kind.value,
            "payload": {"category": category, name: list(values[start : start + URLS_PER_EVENT])},
        }
        for name, values in listed.items()
        for start in range(0, len(values), URLS_PER_EVENT)
    ]
    if rows:
        connection.execute(insert(redis_outbox), rows)


def note_article(connection: Connection, key: Uid, at: datetime, code: FailureCode | None) -> None:
    """Record the end of an attempt: a failure if there is a code."""
    payload = {"uid": key, "code": code.value if code else None}
    connection.execute(insert(redis_outbox).values(at=at, kind=OutboxKind.ARTICLE.value, payload=payload))


def delete_outbox(connection: Connection, events: Sequence[OutboxEvent]) -> None:
    """Delete published events."""
    connection.execute(delete(redis_outbox).where(one_of(_o.id, [event.id for event in events])))
