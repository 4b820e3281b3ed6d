"""Write an article into Redis as it is now."""

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
    """Whether what happened then is still to be seen."""
    return at + timedelta(seconds=seconds) > now


def publish_article(pipeline: Pipeline, article: ProjectedArticle, now: datetime, *, under: str = "") -> None:
    """An article as it is now; what has outlived its time is left out.

    `under` is put before the keys that many articles share, for building them aside.
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
