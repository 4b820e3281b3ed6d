"""Requeue items that the current analyzer has not analyzed."""

from __future__ import annotations

import structlog

from inforadar.errors import ConfigError
from inforadar.pipeline.analyze.copies import models_of
from inforadar.stages.analyze.choose import Analyzers
from inforadar.store.analyses.save import requeue_analyses
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_feeds

log = structlog.get_logger()


async def analyze_again(database: Database, analyzers: Analyzers) -> int:
    """Queue items not yet analyzed with the current model and prompt of their feed; return their number.

    One transaction per feed: if it is interrupted, whole feeds are queued, and another call queues the rest.
    """
    await analyzers.refresh()
    queued = 0
    for feed in await database.read(load_feeds, only_enabled=True):
        try:
            analyzer = analyzers.pick(feed.options)
        except ConfigError as fault:
            log.warning("analysis.impossible", feed_id=str(feed.id), url=feed.url, error=str(fault))
            continue
        if analyzer:
            queued += await database.write(
                requeue_analyses,
                feed.id,
                models=models_of(analyzer.model),
                prompt_version=analyzer.prompt_version,
            )
    return queued
