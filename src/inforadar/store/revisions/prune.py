"""Retention of versions: the first, the last and both sides of every significant change stay."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, func, select, update

from inforadar.model.ids import Uid
from inforadar.store.schema.revisions import article_revisions, article_versions

_v, _r = article_versions.c, article_revisions.c

MAX_LIVE_VERSIONS = 10
"""A live page grows with every look: so many of its versions are kept."""
DEFAULT_VERSIONS = 30
UIDS_PER_BATCH = 200


def prune_versions(connection: Connection, uid: Uid, keep: int, *, before: datetime | None = None) -> int:
    """Delete surplus versions of an article, the oldest first; with `before`, those last seen before it instead."""
    numbers = list(connection.execute(select(_v.number).where(_v.uid == uid).order_by(_v.number)).scalars())
    if before is None and len(numbers) <= keep:
        return 0
    revisions = connection.execute(
        select(_r.old_version, _r.new_version, _r.is_significant).where(_r.uid == uid)
    ).all()
    needed = {
        number for row in revisions if row.is_significant for number in (row.old_version, row.new_version)
    }
    surplus = [number for number in numbers[1:-1] if number not in needed]
    if before is None:
        surplus = surplus[: len(numbers) - keep]
    else:
        old = select(_v.number).where(_v.uid == uid, _v.last_seen_at < before)
        surplus = [number for number in surplus if number in set(connection.execute(old).scalars())]
    for number in surplus:
        _delete_version(connection, uid, number)
    return len(surplus)


def _delete_version(connection: Connection, uid: Uid, number: int) -> None:
    """Delete a version; the next one is compared with the one before it from now on."""
    into = select(_r.old_version).where(_r.uid == uid, _r.new_version == number)
    before = connection.execute(into).scalar()
    connection.execute(delete(article_revisions).where(_r.uid == uid, _r.new_version == number))
    if before is not None:
        connection.execute(
            update(article_revisions)
            .where(_r.uid == uid, _r.old_version == number)
            .values(old_version=before)
        )
    connection.execute(delete(article_versions).where(_v.uid == uid, _v.number == number))


def prune_old_versions(
    connection: Connection, before: datetime, after: Uid | None, limit: int = UIDS_PER_BATCH
) -> tuple[int, Uid | None]:
    """Delete old versions of a batch of articles; return how many, and the article after which to go on."""
    query = (
        select(_v.uid)
        .where(_v.last_seen_at < before, *([_v.uid > after] if after is not None else []))
        .group_by(_v.uid)
        .order_by(_v.uid)
        .limit(limit)
    )
    uids = list(connection.execute(query).scalars())
    if not uids:
        return 0, None
    return sum(prune_versions(connection, uid, 0, before=before) for uid in uids), uids[-1]


def count_old_versions(connection: Connection, before: datetime) -> int:
    """How many versions are old enough to be deleted; the first, the last and significant ones are not counted."""
    bounds = select(func.min(_v.number).label("low"), func.max(_v.number).label("high"), _v.uid)
    ends = bounds.group_by(_v.uid).subquery()
    needed = select(_r.id).where(
        _r.uid == _v.uid, _r.is_significant, (_r.old_version == _v.number) | (_r.new_version == _v.number)
    )
    counted = (
        select(func.count())
        .select_from(article_versions)
        .join(ends, ends.c.uid == _v.uid)
        .where(_v.last_seen_at < before, _v.number > ends.c.low, _v.number < ends.c.high, ~needed.exists())
    )
    return connection.execute(counted).scalar_one()
