"""The events of the outbox, oldest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, func, select

from inforadar.store.schema.redis import redis_outbox

_o = redis_outbox.c


class OutboxKind(StrEnum):
    LISTED = "listed"
    KNOWN = "known"
    ARTICLE = "article"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxEvent:
    """One change to write to Redis."""

    id: int
    at: datetime
    kind: OutboxKind
    payload: Mapping[str, Any]


def load_outbox(connection: Connection, limit: int) -> list[OutboxEvent]:
    """Load the oldest events."""
    rows = connection.execute(select(redis_outbox).order_by(_o.id).limit(limit))
    return [OutboxEvent(id=row.id, at=row.at, kind=OutboxKind(row.kind), payload=row.payload) for row in rows]


def count_outbox(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(redis_outbox)).scalar_one()
