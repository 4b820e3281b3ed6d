"""The projection of the database to Redis: seed 3's keys, written from the outbox after commit (D6).

Nothing is stored only in Redis. While it is unreachable the outbox grows and work continues; when it is back the outbox
is published. `rebuild` writes everything again from SQL, for example after a FLUSHALL.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from inforadar.errors import StoreError
from inforadar.model.ids import Uid
from inforadar.store.articles.enqueue import EnqueueResult
from inforadar.store.database import Database
from inforadar.store.redis.article_queries import ProjectedArticle, load_projected
from inforadar.store.redis.inbox import Inbox
from inforadar.store.redis.keys import (
    ARTICLE_S,
    AT,
    ATTEMPTED,
    ATTEMPTED_AT,
    ATTEMPTED_S,
    BY_CATEGORY,
    FAILURES,
    LINKS,
    LINKS_S,
    add_attempted,
    add_members,
    connect,
    score,
)
from inforadar.store.redis.lock import HeldLock, LockLostError, held_lock
from inforadar.store.redis.outbox import delete_outbox
from inforadar.store.redis.outbox_queries import OutboxEvent, OutboxKind, count_outbox, load_outbox
from inforadar.store.redis.publish import lives, publish_article
from inforadar.store.redis.rebuild import rebuild

if TYPE_CHECKING:
    from inforadar.store.redis.keys import Pipeline

BATCH = 100
WAIT_S = 5.0
"""How long publishing waits for another process that is publishing."""
REMOVE_BATCH = 1000

_REMOVE_EXPIRED = """
local old = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])
if #old > 0 then
        -- Another program may have changed the key's type: it stays.
    redis.pcall('SREM', KEYS[1], unpack(old))
    redis.call('ZREM', KEYS[2], unpack(old))
end
return #old
"""

log = structlog.get_logger()


@asynccontextmanager
async def open_projection(
    url: str, database: Database, *, now: Callable[[], datetime]
) -> AsyncIterator[RedisProjection]:
    """Open the projection. It connects on first use, so an unreachable Redis stops nobody."""
    redis = connect(url)
    try:
        yield RedisProjection(redis, database, now=now)
    finally:
        await redis.aclose()


class RedisProjection:
    """Publishes changes to Redis, and queues URLs that other programs put there."""

    def __init__(self, redis: Redis, database: Database, *, now: Callable[[], datetime]) -> None:
        self._redis = redis
        self._database = database
        self._now = now
        self._inbox = Inbox(redis, database, now=now)
        self._remove_expired = redis.register_script(_REMOVE_EXPIRED)
        self._is_away = False

    async def take_in(self) -> EnqueueResult:
        """Queue URLs that other programs put into the category sets."""
        try:
            taken = await self._inbox.take_in()
        except (RedisError, OSError) as fault:
            self._note_away(fault)
            return EnqueueResult(queued=0, known=0)
        await self._note_back()
        return taken

    async def publish(self) -> int:
        """Publish the outbox; return the number of events published. While Redis is unreachable: 0."""
        published = 0
        try:
            while await self._database.read(count_outbox):
                async with held_lock(self._redis, wait_s=WAIT_S) as lock:
                    if lock is None:
                        break
                    published += await self._publish_outbox(lock)
            await self._forget_expired()
        except LockLostError:
            log.warning("redis.lock_lost")
        except (RedisError, OSError) as fault:
            self._note_away(fault)
            return published
        await self._note_back()
        return published

    async def _publish_outbox(self, lock: HeldLock) -> int:
        published = 0
        while events := await self._database.read(load_outbox, BATCH):
            uids = {Uid(event.payload["uid"]) for event in events if event.kind is OutboxKind.ARTICLE}
            articles = await self._database.read(load_projected, sorted(uids)) if uids else []
            now = self._now()

            def fill(
                pipeline: Pipeline,
                events: Sequence[OutboxEvent] = events,
                articles: Sequence[ProjectedArticle] = articles,
                now: datetime = now,
            ) -> None:
                for event in events:
                    _publish_event(pipeline, event, now)
                for article in articles:
                    publish_article(pipeline, article, now)

            for refused in await lock.write(fill):
                log.warning("redis.refused", error=refused)
            await self._database.write(delete_outbox, events)
            published += len(events)
        return published

    async def _forget_expired(self) -> None:
        """Remove expired members: each addition renews their keys, which therefore do not expire."""
        await self._forget_members(ATTEMPTED, ATTEMPTED_AT, ATTEMPTED_S)
        async for times in self._redis.scan_iter(match=f"{AT}*", count=1000, _type="zset"):
            key = times.removeprefix(AT.encode())
            seconds = LINKS_S if key.startswith(LINKS.encode()) else ARTICLE_S
            await self._forget_members(key, times, seconds)

    async def _forget_members(self, key: str | bytes, times: str | bytes, seconds: int) -> None:
        oldest = score(self._now() - timedelta(seconds=seconds))
        keys = [key, times]
        while await self._remove_expired(keys=keys, args=[oldest, REMOVE_BATCH]) == REMOVE_BATCH:
            pass

    async def rebuild(self) -> dict[str, int]:
        """Write every key again from SQL; return the numbers of links, articles and failures."""
        try:
            async with held_lock(self._redis, wait_s=60.0) as lock:
                if lock is None:
                    raise StoreError("Another process has been writing to Redis for a minute. Try again.")
                counts = await rebuild(self._redis, self._database, lock, self._now())
        except LockLostError:
            raise StoreError("Another process took over writing to Redis. Try again.") from None
        except (RedisError, OSError) as fault:
            raise StoreError(f"Redis cannot be used: {fault}. Nothing is lost; try again later.") from None
        await self.publish()
        return counts

    def _note_away(self, fault: Exception) -> None:
        if not self._is_away:
            log.warning("redis.away", error=str(fault), standing_in="outbox")
        self._is_away = True

    async def _note_back(self) -> None:
        if self._is_away:
            log.info("redis.back", outbox=await self._database.read(count_outbox))
        self._is_away = False


def _publish_event(pipeline: Pipeline, event: OutboxEvent, now: datetime) -> None:
    payload: Any = event.payload
    match event.kind:
        case OutboxKind.LISTED:
            if lives(event.at, LINKS_S, now):
                add_members(pipeline, f"{LINKS}{payload['category']}", payload["urls"], event.at, LINKS_S)
        case OutboxKind.KNOWN:
            if lives(event.at, ARTICLE_S, now):
                key = f"{BY_CATEGORY}{payload['category']}"
                add_members(pipeline, key, payload["uids"], event.at, ARTICLE_S)
            if lives(event.at, ATTEMPTED_S, now):
                add_attempted(pipeline, dict.fromkeys(payload["uids"], event.at))
        case OutboxKind.ARTICLE:
            if payload["code"]:
                pipeline.zadd(FAILURES, {f"{payload['uid']}:{payload['code']}": score(event.at)}, gt=True)
