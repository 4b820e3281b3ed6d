"""Seed 3's keys in Redis, with their types and how long they live.

rss:category_links:<topic>         SET    48 h   clean URLs; any program may add some
rss:article_canonical:<uid>        HASH   7 d    an article, or that there is none (`status=failure`)
rss:articles_by_category:<topic>   SET    7 d    uids
rss:article_canonical_index        ZSET   –      uid by time
rss:canonical_attempted            SET    30 d   uids, renewed by each addition
rss:canonical_attempted_at         ZSET   30 d   the same by time: each uid's own 30 days (ruling 4)
rss:canonical_failures             ZSET   –      <uid>:<CODE> by time
    inforadar:at:<key>                 ZSET          members of a category's set by time: each one's own lifetime

Lifetimes start when something happened, not when it was written to Redis. So an entry written late, twice or again
does not live longer than it should.
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
"""Prefix to the key of a category's set; our own, the seed has no such keys."""
TIMES_EXTRA_S = 86400
"""Timestamps outlive the members they belong to by this much, so that expired members can be found."""

TIMEOUT_S = 5.0


def connect(url: str) -> Redis:
    return Redis.from_url(url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)


def score(at: datetime) -> float:
    """A Redis score: seconds since 1970."""
    return at.timestamp()


def live_until(pipeline: Pipeline, key: str, at: datetime, seconds: int) -> None:
    """Let the key live at least this long from `at`; never shorten its lifetime."""
    until = math.ceil(at.timestamp()) + seconds
    # GT alone treats a key without an expiry as one that lives forever.
    pipeline.expireat(key, until, nx=True)
    pipeline.expireat(key, until, gt=True)


def add_members(
    pipeline: Pipeline, key: str, members: Sequence[str], at: datetime, seconds: int, *, under: str = ""
) -> None:
    """Add members to a category's set, each with its own lifetime starting at `at`."""
    pipeline.sadd(f"{under}{key}", *members)
    live_until(pipeline, f"{under}{key}", at, seconds)
    times = f"{under}{AT}{key}"
    scores: dict[Any, Any] = dict.fromkeys(members, score(at))
    pipeline.zadd(times, scores, gt=True)
    live_until(pipeline, times, at, seconds + TIMES_EXTRA_S)


def add_attempted(pipeline: Pipeline, uids: dict[Uid, datetime], *, under: str = "") -> None:
    """Mark uids as attempted at these times."""
    if not uids:
        return
    scores: dict[Any, Any] = {key: score(at) for key, at in uids.items()}
    pipeline.sadd(f"{under}{ATTEMPTED}", *scores)
    pipeline.zadd(f"{under}{ATTEMPTED_AT}", scores, gt=True)
    for key in (ATTEMPTED, ATTEMPTED_AT):
        live_until(pipeline, f"{under}{key}", max(uids.values()), ATTEMPTED_S)
