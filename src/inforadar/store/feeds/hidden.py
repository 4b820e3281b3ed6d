"""Feeds that a person hides: they are collected, but not shown to that person."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, bindparam, select

from inforadar.model.ids import FeedId
from inforadar.model.person import PersonId
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.people import hidden_feeds

_HIDDEN = select(hidden_feeds.c.feed_id).where(hidden_feeds.c.person_id == bindparam("person"))


def load_hidden_feeds(connection: Connection, person_id: PersonId) -> frozenset[FeedId]:
    return frozenset(connection.execute(_HIDDEN, {"person": person_id}).scalars())


def sees_feed(person_id: PersonId) -> tuple[ColumnElement[bool], ...]:
    """Condition on a row of `feeds`: the person does not hide it."""
    h = hidden_feeds.c
    return (~select(h.feed_id).where(h.person_id == person_id, h.feed_id == feeds.c.id).exists(),)
