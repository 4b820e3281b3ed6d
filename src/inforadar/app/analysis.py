"""Assembles the analyze and build stages from the settings. Neither fetches, so neither needs the engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.model.analysis import Analysis, Subject
from inforadar.model.feed_options import NO_OPTIONS
from inforadar.pipeline.analyze.budget import Budget
from inforadar.pipeline.analyze.items import AnalysisStage
from inforadar.pipeline.build import Builder
from inforadar.pipeline.idle_pool import IdlePool
from inforadar.pipeline.pool import WorkPool
from inforadar.stages.analyze.base import Work
from inforadar.stages.analyze.choose import Analyzers
from inforadar.store.database import Database

LOCAL_TIMEOUT_S = 120.0
"""For a batch, with the loading of the encoder, on a busy machine."""
POOL_MEMORY_MB = 1024


@asynccontextmanager
async def open_analysis(
    settings: Settings,
    database: Database,
    *,
    check: bool = True,
    apart: bool = False,
    placed_only: bool = False,
    now: Callable[[], datetime] = utc_now,
) -> AsyncIterator[AnalysisStage]:
    """Open the analyze stage. With `check`, settings that cannot work are reported now, not with the first item.

    With `apart`, the local analyzer works in a process of its own, which ends when idle: right for a program that runs
    on and has other things to do meanwhile. With `placed_only`, items wait until they are placed in stories: right for
    a program that does this too.
    """
    pool = IdlePool(_make_pool)

    async def run_apart(work: Work, subjects: Sequence[Subject]) -> list[Analysis]:
        return await pool.run(work, subjects, timeout_s=LOCAL_TIMEOUT_S)

    analyzers = Analyzers(settings.ai, settings.home, run_local=run_apart if apart else None)
    try:
        if check:
            analyzers.pick(NO_OPTIONS)
        yield AnalysisStage(
            database=database,
            analyzers=analyzers,
            concurrency=settings.ai.concurrency,
            budget=Budget(database, settings.ai.daily_budget, now),
            now=now,
            placed_only=placed_only,
        )
    finally:
        await analyzers.close()
        await pool.close()


def _make_pool() -> WorkPool:
    return WorkPool(workers=1, memory_mb=POOL_MEMORY_MB, warm_up=("inforadar.stages.analyze.local.analyzer",))


def make_builder(settings: Settings, database: Database, now: Callable[[], datetime] = utc_now) -> Builder:
    return Builder(
        database=database, last_n=settings.publish.items, public_url=settings.web.outer_url, now=now
    )
