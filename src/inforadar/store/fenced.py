"""Change rows under their leases: only where the token is still the caller's."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, TypeVar

from sqlalchemy import Column, Connection, select, update

from inforadar.model.ids import LeaseToken
from inforadar.store.types import one_of

K = TypeVar("K", bound=Hashable)


def update_held(
    connection: Connection,
    key: Column[Any],
    token: Column[Any],
    held: Iterable[tuple[LeaseToken, K]],
    **values: Any,
) -> frozenset[K]:
    """Set these values on the rows still held by their token; return the keys of those rows.

    Rows are locked in order of their key, so that two workers cannot deadlock.
    """
    by_token: dict[LeaseToken, list[K]] = {}
    for own_token, own_key in held:
        by_token.setdefault(own_token, []).append(own_key)
    ours: set[K] = set()
    for own_token, keys in by_token.items():
        locked = (
            select(key)
            .where(one_of(key, keys), token == own_token)
            .order_by(key)
            .with_for_update()
            .cte("locked")
        )
        changed = update(key.table).where(key.in_(select(locked.c[key.name]))).values(**values)
        ours.update(connection.execute(changed.returning(key)).scalars())
    return frozenset(ours)
