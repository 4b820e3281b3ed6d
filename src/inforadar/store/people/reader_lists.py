"""The lists that reader apps ask for again and again, each as one JSON text that the database writes.

A thousand rows cost more to fetch than to find. One text is fetched in one step, and whoever kept the answer that was
made of the same text need not make it again, whichever process changed the feeds in between.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import Connection, Select, Text, cast, func, select

from inforadar.model.feed_options import parse_options
from inforadar.model.person import PersonId
from inforadar.store.feeds.hidden import sees_feed
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.people.unread import select_unread
from inforadar.store.schema.feeds import feeds
from inforadar.store.types import stored_form


class Subscription(msgspec.Struct, array_like=True, frozen=True):
    """A feed as an app lists it."""

    id: UUID
    found_title: str | None
    source: str | None
    url: str
    topic: str
    site_url: str | None
    icon: str | None
    stored_at: datetime
    options: str

    @property
    def title(self) -> str:
        """The person's title wins; a feed without any is known by its source or URL."""
        own = parse_options(msgspec.json.decode(self.options)).title
        return own or self.found_title or self.source or self.url

    @property
    def created_at(self) -> datetime:
        return _aware(self.stored_at)


class UnreadCount(msgspec.Struct, array_like=True, frozen=True):
    """The number of unread items of a feed."""

    feed_id: UUID
    topic: str
    difference: int
    stored_at: datetime

    @property
    def unread(self) -> int:
        return max(0, self.difference)

    @property
    def newest_at(self) -> datetime:
        return _aware(self.stored_at)


def load_subscriptions(connection: Connection, person_id: PersonId) -> str:
    """Load the active feeds that the person does not hide, as a text for `read_subscriptions`."""
    f = feeds.c
    query = select(
        stored_form(f.id),
        f.title,
        f.source,
        f.url,
        f.topic,
        f.site_url,
        f.icon,
        stored_form(f.created_at),
        cast(f.options, Text),
    )
    return _as_text(connection, query.where(*ACTIVE, *sees_feed(person_id)))


def read_subscriptions(text: str) -> list[Subscription]:
    """Read the feeds of a text, in the order of their ids."""
    return sorted(_SUBSCRIPTIONS.decode(text), key=lambda one: one.id)


def load_unread_counts(connection: Connection, person_id: PersonId) -> str:
    """Load the unread items of each feed that the person sees and that has items, for `read_unread_counts`."""
    return _as_text(connection, select_unread(person_id))


def read_unread_counts(text: str) -> list[UnreadCount]:
    """Read the counts of a text."""
    return _COUNTS.decode(text)


_SUBSCRIPTIONS = msgspec.json.Decoder(list[Subscription])
_COUNTS = msgspec.json.Decoder(list[UnreadCount])


def _as_text(connection: Connection, query: Select[Any]) -> str:
    rows = query.subquery()
    if connection.dialect.name == "sqlite":
        whole: Any = func.json_group_array(func.json_array(*map(stored_form, rows.c)))
    else:
        whole = cast(func.json_agg(func.json_build_array(*rows.c)), Text)
    return connection.execute(select(stored_form(whole))).scalar_one() or "[]"


def _aware(at: datetime) -> datetime:
    """A stored time; SQLite's have no zone."""
    return at if at.tzinfo else at.replace(tzinfo=UTC)
