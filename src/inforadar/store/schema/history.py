"""The history of fetches: counters by day, so that no page sums everything, and each change of a feed's outcome."""

from __future__ import annotations

from sqlalchemy import Column, Date, Float, ForeignKey, Index, Integer, String, Table, Uuid

from inforadar.model.http import Outcome
from inforadar.store.schema.columns import metadata
from inforadar.store.types import UtcDateTime, WebText

OUTCOMES = tuple(outcome.value for outcome in Outcome)
ANALYZED = "analyzed"
"""Counts analyzed items, by day, as if it were an outcome."""


def delay_columns() -> tuple[Column[int], Column[float], Column[float]]:
    """How late news was seen, and how late it was expected to be: sums over items with a known delay."""
    return (
        Column(
            "timed",
            Integer,
            nullable=False,
            server_default="0",
            comment="new items posted since the last look",
        ),
        Column("delay_s", Float, nullable=False, server_default="0", comment="sum of their delays"),
        Column("expected_delay_s", Float, nullable=False, server_default="0", comment="as the plans had it"),
    )


feed_days = Table(
    "feed_days",
    metadata,
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("day", Date, primary_key=True, comment="UTC", index=True),
    *(
        Column(outcome.value, Integer, nullable=False, server_default="0", comment="fetches that ended so")
        for outcome in Outcome
    ),
    Column("added", Integer, nullable=False, server_default="0", comment="new items"),
    Column("spent_s", Float, nullable=False, server_default="0", comment="seconds of waiting for answers"),
    *delay_columns(),
)

fetch_days = Table(
    "fetch_days",
    metadata,
    Column("day", Date, primary_key=True, comment="UTC"),
    Column("outcome", String(16), primary_key=True),
    Column("fetches", Integer, nullable=False, server_default="0"),
    Column("spent_s", Float, nullable=False, server_default="0", comment="seconds of waiting for answers"),
    *delay_columns(),
    comment="of all feeds, those that are gone too: a count that only grows",
)

feed_outcomes = Table(
    "feed_outcomes",
    metadata,
    Column("feed_id", Uuid, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
    Column("at", UtcDateTime, primary_key=True),
    Column("outcome", String(16), nullable=False),
    Column("message", WebText, comment="the error, if there was one"),
    comment="one row whenever a fetch ended differently from the one before",
)
Index("ix_feed_outcomes_at", feed_outcomes.c.at)
