"""Seed 3's keys in Redis, with their types and how long they live.

    rss:category_links:<topic>         SET    48 h   clean URLs; any program may add some
    rss:article_canonical:<uid>        HASH   7 d    an article, or that there is none (`status=failure`)
    rss:articles_by_category:<topic>   SET    7 d    uids
    rss:article_canonical_index        ZSET   –      uid by time
    rss:canonical_attempted            SET    30 d   uids, renewed by each addition
    rss:canonical_attempted_at         ZSET   30 d   the same by time: each uid's own 30 days (ruling 4)
    rss:canonical_failures             ZSET   –      <uid>:<CODE> by time
    inforadar:at:<key>                 ZSET          the members of a category's set by time: each one's own life

Lives are counted from when a thing happened, not from when Redis was told, so that what was published late, or
twice, or anew lives no longer than it should.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from redis.asyncio import Redis

from inforadar.model.ids import Uid

if TYPE_CHECKING:
    from redis.asyncio.client import Pipeline as RedisPipeline

    Pipeline: TypeAlias = RedisPipeline

LINKS_S = 48 * 3600
ARTICLE_S = 7 * 86400
ATTEMPTED_S = 30 * 86400

LINKS = "rss:category_links:"
ARTICLE = "rss:article_canonical:"
BY_CATEGORY = "rss:articles_by_category:"
INDEX = "rss:article_canonical_index"
ATTEMPTED = "rss:canonical_attempted"
ATTEMPTED_AT = "rss:canonical_attempted_at"
FAILURES = "rss:canonical_failures"

AT = "inforadar:at:"
"""Before the key of a category's set; ours, as the seed has no such keys."""
SPARE_S = 86400
"""So much longer times live than what they are of, that it can be forgotten by them."""

TIMEOUT_S = 5.0


def connect(url: str) -> Redis:
    return Redis.from_url(url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)


def score(at: datetime) -> float:
    """Seconds since 1970."""
    return at.timestamp()


def live_until(pipeline: Pipeline, key: str, at: datetime, seconds: int) -> None:
    """The key lives at least so long from then on; never shorter than it would have."""
    until = math.ceil(at.timestamp()) + seconds
    # GT alone takes a key without an end for one that lives for ever.
    pipeline.expireat(key, until, nx=True)
    pipeline.expireat(key, until, gt=True)


def add_members(
    pipeline: Pipeline, key: str, members: Sequence[str], at: datetime, seconds: int, *, under: str = ""
) -> None:
    """Puts members into a category's set, each with a life of its own from then on."""
    pipeline.sadd(f"{under}{key}", *members)
    live_until(pipeline, f"{under}{key}", at, seconds)
    times = f"{under}{AT}{key}"
    scores: dict[Any, Any] = dict.fromkeys(members, score(at))
    pipeline.zadd(times, scores, gt=True)
    live_until(pipeline, times, at, seconds + SPARE_S)


def add_attempted(pipeline: Pipeline, uids: dict[Uid, datetime], *, under: str = "") -> None:
    """Marks uids as attempted at these times."""
    if not uids:
        return
    scores: dict[Any, Any] = {key: score(at) for key, at in uids.items()}
    pipeline.sadd(f"{under}{ATTEMPTED}", *scores)
    pipeline.zadd(f"{under}{ATTEMPTED_AT}", scores, gt=True)
    for key in (ATTEMPTED, ATTEMPTED_AT):
        live_until(pipeline, f"{under}{key}", max(uids.values()), ATTEMPTED_S)
