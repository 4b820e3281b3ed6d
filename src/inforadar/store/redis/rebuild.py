"""Rebuild the projection from SQL.

Keys that many articles share are built under a staging prefix and then renamed together, so that a reader never sees
half of them. Other programs also write to the category sets: members are added to these, and they are never replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from redis.asyncio import Redis

from inforadar.model.ids import Uid
from inforadar.store.database import Database
from inforadar.store.redis.article_queries import (
    LISTED,
    ProjectedArticle,
    count_listed_since,
    load_failures_after,
    load_listed_since,
    load_projected_after,
)
from inforadar.store.redis.keys import (
    ARTICLE_S,
    AT,
    ATTEMPTED,
    ATTEMPTED_AT,
    BY_CATEGORY,
    FAILURES,
    INDEX,
    LINKS,
    LINKS_S,
    add_members,
    score,
)
from inforadar.store.redis.lock import HeldLock
from inforadar.store.redis.publish import lives, publish_article

if TYPE_CHECKING:
    from inforadar.store.redis.keys import Pipeline

STAGING = "inforadar:rebuild:"
STAGING_TTL_S = 3600
"""The remains of a rebuild that died expire after this."""
ARTICLES_PER_BATCH = 100
ROWS_PER_BATCH = 2000


async def rebuild(redis: Redis, database: Database, lock: HeldLock, now: datetime) -> dict[str, int]:
    """Write every key again; return the numbers of links, articles and failures written."""
    counts: Counter[str] = Counter(links=0, articles=0, failures=0)
    await _delete_staging(redis)
    counts["links"] = await _links(database, lock, now)
    categories, counts["articles"] = await _articles(database, lock, now)
    counts["failures"] = await _failures(database, lock)
    await _rename_staging(redis, lock, categories)
    return dict(counts)


async def _delete_staging(redis: Redis) -> None:
    async for key in redis.scan_iter(match=f"{STAGING}*", count=1000):
        await redis.delete(key)


async def _links(database: Database, lock: HeldLock, now: datetime) -> int:
    since = now - timedelta(seconds=LINKS_S)
    for table in LISTED:
        rows, after = await database.read(load_listed_since, table, since, None, ROWS_PER_BATCH)
        while rows:

            def fill(pipeline: Pipeline, rows: Sequence[tuple[str, str, datetime]] = rows) -> None:
                for topic, url, at in rows:
                    add_members(pipeline, f"{LINKS}{topic}", [url], at, LINKS_S)

            await lock.write(fill)
            rows, after = await database.read(load_listed_since, table, since, after, ROWS_PER_BATCH)
    return await database.read(count_listed_since, since)


async def _articles(database: Database, lock: HeldLock, now: datetime) -> tuple[set[str], int]:
    """Write the articles; return the categories that have articles, and the number of articles."""
    written, last = 0, ""
    categories: set[str] = set()
    while found := await database.read(load_projected_after, last, ARTICLES_PER_BATCH):

        def fill(pipeline: Pipeline, found: Sequence[ProjectedArticle] = found) -> None:
            for article in found:
                publish_article(pipeline, article, now, under=STAGING)
            pipeline.expire(f"{STAGING}{INDEX}", STAGING_TTL_S)

        await lock.write(fill)
        for article in found:
            if article.is_stored and lives(article.at, ARTICLE_S, now):
                categories |= article.categories
        written += len(found)
        last = found[-1].uid
    return categories, written


async def _failures(database: Database, lock: HeldLock) -> int:
    written, last = 0, ("", "")
    while rows := await database.read(load_failures_after, last, ROWS_PER_BATCH):

        def fill(pipeline: Pipeline, rows: Sequence[tuple[Uid, str, datetime]] = rows) -> None:
            pipeline.zadd(f"{STAGING}{FAILURES}", {f"{uid}:{code}": score(at) for uid, code, at in rows})
            pipeline.expire(f"{STAGING}{FAILURES}", STAGING_TTL_S)

        await lock.write(fill)
        written += len(rows)
        last = rows[-1][:2]
    return written


async def _rename_staging(redis: Redis, lock: HeldLock, categories: set[str]) -> None:
    families = (BY_CATEGORY, f"{AT}{BY_CATEGORY}")
    built = {f"{family}{category}" for family in families for category in categories}
    shown = {
        key.decode(errors="replace")
        for family in families
        async for key in redis.scan_iter(match=f"{family}*")
    }
    fixed = {INDEX, FAILURES, ATTEMPTED, ATTEMPTED_AT}
    has_built = {key for key in fixed if await redis.exists(f"{STAGING}{key}")}

    def fill(pipeline: Pipeline) -> None:
        for key in sorted(built | has_built):
            pipeline.rename(f"{STAGING}{key}", key)
        for key in sorted((shown - built) | (fixed - has_built)):
            pipeline.delete(key)
        for key in (INDEX, FAILURES):
            pipeline.persist(key)

    await lock.write(fill)
