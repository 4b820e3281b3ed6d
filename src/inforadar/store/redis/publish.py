"""Write the current state of an article to Redis."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from inforadar.store.redis.keys import (
    ARTICLE,
    ARTICLE_S,
    ATTEMPTED_S,
    BY_CATEGORY,
    INDEX,
    add_attempted,
    add_members,
    live_until,
    score,
)

if TYPE_CHECKING:
    from inforadar.store.redis.keys import Pipeline
from inforadar.store.redis.article_queries import ProjectedArticle


def lives(at: datetime, seconds: int, now: datetime) -> bool:
    """Whether an entry from `at` has not expired yet."""
    return at + timedelta(seconds=seconds) > now


def publish_article(pipeline: Pipeline, article: ProjectedArticle, now: datetime, *, under: str = "") -> None:
    """Write the current state of an article; expired parts are left out.

    `under` is a prefix for the keys that many articles share, to build them in a separate place.
    """
    if lives(article.at, ARTICLE_S, now):
        key = f"{ARTICLE}{article.uid}"
        fields: dict[Any, Any] = dict(article.fields)
        pipeline.delete(key)
        pipeline.hset(key, mapping=fields)
        live_until(pipeline, key, article.at, ARTICLE_S)
        if article.is_stored:
            for category in sorted(article.categories):
                shared = f"{BY_CATEGORY}{category}"
                add_members(pipeline, shared, [article.uid], article.at, ARTICLE_S, under=under)
    if article.is_stored:
        pipeline.zadd(f"{under}{INDEX}", {article.uid: score(article.at)})
    if article.attempted_at and lives(article.attempted_at, ATTEMPTED_S, now):
        add_attempted(pipeline, {article.uid: article.attempted_at}, under=under)
