"""Assembles the analyze and build stages from the settings. Neither fetches, so neither needs the engine.

The local analyzer and the sentence encoder share one process in a worker that runs on: the encoder takes 150 MB, which
are there once, from the first text to the last, and no longer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Protocol, TypeVar

from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.model.feed_options import NO_OPTIONS
from inforadar.pipeline.analyze.budget import Budget
from inforadar.pipeline.analyze.items import AnalysisStage
from inforadar.pipeline.build import Builder
from inforadar.pipeline.idle_pool import IdlePool
from inforadar.pipeline.pool import WorkPool
from inforadar.stages.analyze.choose import Analyzers
from inforadar.store.database import Database

A = TypeVar("A")
T = TypeVar("T")

LOCAL_TIMEOUT_S = 120.0
"""For a batch, with the loading of the encoder, on a busy machine."""
POOL_MEMORY_MB = 1024


class RunApart(Protocol):
    """Runs a function in another process and returns its result."""

    async def __call__(self, work: Callable[[A], T], given: A, /) -> T: ...


@asynccontextmanager
async def open_analysis(
    settings: Settings,
    database: Database,
    *,
    check: bool = True,
    run_apart: RunApart | None = None,
    placed_only: bool = False,
    now: Callable[[], datetime] = utc_now,
) -> AsyncIterator[AnalysisStage]:
    """Open the analyze stage. With `check`, settings that cannot work are reported now, not with the first item.

    The local analyzer works where `run_apart` does, by default in a thread. With `placed_only`, items wait until they
    are placed in stories: right for a program that does this too.
    """
    analyzers = Analyzers(settings.ai, settings.home, run_local=run_apart)
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


@asynccontextmanager
async def open_local_process() -> AsyncIterator[RunApart]:
    """Open a process for the local analyzer and the encoder. It starts with its first work, and ends when idle."""
    pool = IdlePool(_make_pool)

    async def run_apart(work: Callable[[A], T], given: A) -> T:
        return await pool.run(work, given, timeout_s=LOCAL_TIMEOUT_S)

    try:
        yield run_apart
    finally:
        await pool.close()


def _make_pool() -> WorkPool:
    return WorkPool(workers=1, memory_mb=POOL_MEMORY_MB, warm_up=("inforadar.stages.analyze.local.analyzer",))


def make_builder(settings: Settings, database: Database, now: Callable[[], datetime] = utc_now) -> Builder:
    return Builder(
        database=database, last_n=settings.publish.items, public_url=settings.web.outer_url, now=now
    )
