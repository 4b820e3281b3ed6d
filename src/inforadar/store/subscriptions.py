"""Adding feeds as people expect it, one or many in a transaction: enabled, polling, asked for now (B3, C3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from inforadar.model.feed import Feed, FeedKind
from inforadar.store.credentials import save_credentials
from inforadar.store.feeds import insert_feed, load_feed, request_feed

FALLBACK_S = 300.0
"""Should nobody hear the request, the schedule takes the feed after that (B3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A feed that someone wants."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """Credentials."""
    kind: FeedKind | None = None
    source: str | None = None
    topic: str = "general"
    title: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def save_subscriptions(connection: Connection, wanted: Sequence[Subscription]) -> list[tuple[Feed, bool]]:
    """Each feed, and whether it is new; those that are there already stay as they are."""
    return [_save(connection, one) for one in wanted]


def _save(connection: Connection, wanted: Subscription) -> tuple[Feed, bool]:
    feed, is_new = insert_feed(
        connection,
        wanted.url,
        kind=wanted.kind,
        source=wanted.source,
        topic=wanted.topic,
        title=wanted.title,
        options=wanted.options,
        enabled=True,
        polling=True,
        enforce_feed_domain=False,
    )
    if not is_new:
        return feed, False
    if wanted.headers:
        save_credentials(connection, feed.id, wanted.headers)
    request_feed(connection, feed.id, fallback_s=FALLBACK_S)
    return load_feed(connection, feed.id), True
