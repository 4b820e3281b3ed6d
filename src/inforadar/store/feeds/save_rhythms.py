"""Save the rhythms of feeds, in the transaction of the jobs that changed them, and the price of a request."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec
from sqlalchemy import Connection, or_

from inforadar.model.ids import FeedId
from inforadar.model.rhythm import Rhythm
from inforadar.store.feeds.rhythms import Price
from inforadar.store.rows import JsonRows, stored_id
from inforadar.store.schema.feeds import feed_rhythms, polling_prices
from inforadar.store.upsert import Upserts, upsert

_counted = JsonRows("counted", id="uuid", counts="jsonb")
_SAVE = Upserts(feed_rhythms, _counted, ["id"], lambda new: {"counts": new.excluded.counts})


def save_rhythms(connection: Connection, rhythms: Mapping[FeedId, Rhythm]) -> None:
    """Save the counts of feeds, all with one statement."""
    if rhythms:
        rows = [
            (stored_id(connection, feed_id), msgspec.to_builtins(rhythms[feed_id]))
            for feed_id in sorted(rhythms)
        ]
        connection.execute(_SAVE.on(connection), _counted.parameters(rows))


def save_price(connection: Connection, price: Price, before: datetime | None) -> bool:
    """Save the price, unless another worker steered it after `before`. Returns whether it was saved."""
    new = upsert(connection, polling_prices).values(
        id=1,
        price_s=price.price_s,
        budget=price.budget,
        planned=price.planned,
        feeds=price.feeds,
        expected_delay_s=price.expected_delay_s,
        steered_at=price.steered_at,
    )
    changed = {column.name: new.excluded[column.name] for column in polling_prices.c if column.name != "id"}
    steered_at = polling_prices.c.steered_at
    ours = steered_at == before if before else or_(steered_at.is_(None), steered_at >= price.steered_at)
    saved = connection.execute(
        new.on_conflict_do_update(index_elements=["id"], set_=changed, where=ours).returning(
            polling_prices.c.id
        )
    )
    return saved.first() is not None
