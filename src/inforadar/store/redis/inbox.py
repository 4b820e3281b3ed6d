"""The inbox: queue the URLs that any program puts into `rss:category_links:<topic>` as articles to fetch.

The sets also contain what collecting published, so most members are known. Members seen in the last scan are not
checked again for a day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

import structlog
from redis.asyncio import Redis

from inforadar.errors import InvalidUrlError
from inforadar.model.ids import Uid
from inforadar.store.articles.enqueue import EnqueueResult, enqueue_urls
from inforadar.store.articles.queries import load_known_uids
from inforadar.store.database import Database
from inforadar.store.redis.keys import (
    ARTICLE,
    AT,
    ATTEMPTED,
    ATTEMPTED_AT,
    LINKS,
    LINKS_S,
    TIMES_EXTRA_S,
    add_attempted,
    live_until,
    score,
)
from inforadar.urls import normalize, uid

URLS_PER_BATCH = 500
RECHECK_AFTER = timedelta(days=1)
MAX_CATEGORY = 200

log = structlog.get_logger()


class Inbox:
    """Reads URLs from the category sets."""

    def __init__(self, redis: Redis, database: Database, *, now: Callable[[], datetime]) -> None:
        self._redis = redis
        self._database = database
        self._now = now
        self._seen: dict[bytes, set[bytes]] = {}
        self._seen_since = now()

    async def take_in(self) -> EnqueueResult:
        """Scan all sets once."""
        if self._now() - self._seen_since >= RECHECK_AFTER:
            self._seen, self._seen_since = {}, self._now()
        queued = known = 0
        seen: dict[bytes, set[bytes]] = {}
        async for key in self._redis.scan_iter(match=f"{LINKS}*", count=1000, _type="set"):
            members = seen[key] = set()
            new: list[bytes] = []
            async for member in self._redis.sscan_iter(key, count=URLS_PER_BATCH):
                members.add(member)
                if member not in self._seen.get(key, ()):
                    new.append(member)
            category = _category(key)
            if category is None:
                continue
            for start in range(0, len(new), URLS_PER_BATCH):
                await self._add_times(category, new[start : start + URLS_PER_BATCH])
                taken = await self._take_in(category, new[start : start + URLS_PER_BATCH])
                queued += taken.queued
                known += taken.known
        self._seen = seen
        if queued:
            log.info("inbox.taken_in", queued=queued, known=known)
        return EnqueueResult(queued=queued, known=known)

    async def _add_times(self, category: str, members: Sequence[bytes]) -> None:
        """Start the lifetime of members that other programs added; members that have a time keep it."""
        now, key = self._now(), f"{AT}{LINKS}{category}"
        async with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.zadd(key, dict.fromkeys(members, score(now)), nx=True)
            live_until(pipeline, key, now, LINKS_S + TIMES_EXTRA_S)
            await pipeline.execute()

    async def _take_in(self, category: str, members: Sequence[bytes]) -> EnqueueResult:
        urls = dict(_normalized(members))
        if not urls:
            return EnqueueResult(queued=0, known=0)
        here = await self._database.read(load_known_uids, urls)
        elsewhere = await self._attempted_elsewhere([key for key in urls if key not in here])
        return await self._database.write(enqueue_urls, category, urls, elsewhere, self._now())

    async def _attempted_elsewhere(self, uids: Sequence[Uid]) -> list[Uid]:
        """URLs that another program has fetched or attempted: they are left alone for 30 days from now."""
        if not uids:
            return []
        async with self._redis.pipeline(transaction=False) as pipeline:
            pipeline.smismember(ATTEMPTED, list(uids))
            for key in uids:
                pipeline.exists(f"{ARTICLE}{key}")
            attempted, *stored = await pipeline.execute()
        done = [key for key, a, s in zip(uids, attempted, stored, strict=True) if a or s]
        if done:
            now = self._now()
            async with self._redis.pipeline(transaction=True) as pipeline:
                add_attempted(pipeline, {key: now for key, s in zip(uids, stored, strict=True) if s})
                pipeline.zadd(ATTEMPTED_AT, dict.fromkeys(done, score(now)), nx=True)
                await pipeline.execute()
        return done


def _category(key: bytes) -> str | None:
    try:
        category = key.decode().removeprefix(LINKS).replace("\x00", "")
    except UnicodeDecodeError:
        category = ""
    if 0 < len(category) <= MAX_CATEGORY:
        return category
    log.warning("inbox.refused", key=repr(key[:MAX_CATEGORY]))
    return None


def _normalized(members: Iterable[bytes]) -> Iterable[tuple[Uid, str]]:
    for member in members:
        try:
            url = normalize(member.decode())
        except (InvalidUrlError, UnicodeDecodeError) as fault:
            log.warning("inbox.refused", error=str(fault))
            continue
        yield uid(url), url
