"""Assembles the analyze and build stages from the settings. Neither fetches, so neither needs the engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.model.feed_options import NO_OPTIONS
from inforadar.pipeline.analyze.budget import Budget
from inforadar.pipeline.analyze.items import AnalysisStage
from inforadar.pipeline.build import Builder
from inforadar.stages.analyze.choose import Analyzers
from inforadar.store.database import Database


@asynccontextmanager
async def open_analysis(
    settings: Settings,
    database: Database,
    *,
    check: bool = True,
    now: Callable[[], datetime] = utc_now,
) -> AsyncIterator[AnalysisStage]:
    """Open the analyze stage. With `check`, settings that cannot work are reported now, not with the first item."""
    analyzers = Analyzers(settings.ai, settings.home)
    try:
        if check:
            analyzers.pick(NO_OPTIONS)
        yield AnalysisStage(
            database=database,
            analyzers=analyzers,
            concurrency=settings.ai.concurrency,
            budget=Budget(database, settings.ai.daily_budget, now),
            now=now,
        )
    finally:
        await analyzers.close()


def make_builder(settings: Settings, database: Database, now: Callable[[], datetime] = utc_now) -> Builder:
    return Builder(
        database=database, last_n=settings.publish.items, public_url=settings.web.outer_url, now=now
    )
