"""Assembles a worker from the settings: engine, pool, stages, store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime

from inforadar.actions.rules.from_settings import apply_settings_rules
from inforadar.app.analysis import make_builder, open_analysis, open_local_process
from inforadar.app.collectors import (
    CollectorParts,
    make_canonicalizer,
    make_collectors,
    make_revision_stage,
    make_schedule_policy,
)
from inforadar.app.engine import open_engine
from inforadar.app.notify import open_notifier
from inforadar.app.push import is_push_on, open_push
from inforadar.app.redis import open_redis
from inforadar.clock import utc_now
from inforadar.config import Settings, read_rules
from inforadar.fetch.engine import Engine
from inforadar.pipeline.alive import stay_alive
from inforadar.pipeline.articles import ArticleListener
from inforadar.pipeline.collect_stage import CollectStage
from inforadar.pipeline.group.stage import GroupStage
from inforadar.pipeline.notify.health import HealthWatch
from inforadar.pipeline.polling import PriceSteering, RhythmPlanner, first_price
from inforadar.pipeline.pool import WorkPool
from inforadar.pipeline.robots import Robots
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.pipeline.worker import ALL_STAGES, Stage, Worker
from inforadar.stages.diff import diff
from inforadar.store.database import Database
from inforadar.store.writer import Writer


@asynccontextmanager
async def open_worker(
    settings: Settings,
    database: Database,
    *,
    stages: frozenset[Stage] = ALL_STAGES,
    engine: Engine | None = None,
    now: Callable[[], datetime] = utc_now,
    listener: ArticleListener | None = None,
    runs_on: bool = False,
) -> AsyncIterator[Worker]:
    """Open a worker with everything it needs. The default `engine` makes requests on the web.

    A worker that `runs_on` analyzes and encodes in a process of its own, so that collecting does not wait for it, and
    so that the encoder's memory is there once and only while it is needed.
    """
    fetcher = settings.fetcher
    async with AsyncExitStack() as stack:
        pool = _make_pool(stages)
        stack.push_async_callback(pool.close)
        projection = await stack.enter_async_context(open_redis(settings, database, now=now))
        if engine is None:
            engine = await stack.enter_async_context(open_engine(settings, database))
        await stack.enter_async_context(stay_alive(database))
        run_apart = await stack.enter_async_context(open_local_process()) if runs_on else None
        policy = make_schedule_policy(settings)
        interval_s = max(policy.success_interval_s, policy.min_interval_s)
        planner = RhythmPlanner(policy=policy, price_s=first_price(interval_s))
        writer = await stack.enter_async_context(
            Writer(
                database,
                diff,
                outbox=projection is not None,
                planner=planner,
                push=is_push_on(settings),
            )
        )
        parts = CollectorParts(
            settings=settings,
            database=database,
            engine=engine,
            robots=Robots(engine=engine, database=database, user_agent=fetcher.agent, now=now),
            pool=pool,
            now=now,
            projection=projection,
            run_apart=run_apart,
        )
        await apply_settings_rules(database, read_rules(settings.home))
        yield Worker(
            database=database,
            collecting=CollectStage(
                database=database,
                collectors=make_collectors(parts),
                writer=writer,
                pacer=engine.pacer,
                batch_size=fetcher.batch_size,
                workers=fetcher.workers,
                now=now,
            ),
            canonicalizer=make_canonicalizer(parts, listener=listener),
            grouping=GroupStage(database=database, now=now, encode=run_apart),
            revising=make_revision_stage(parts),
            analysis=await stack.enter_async_context(
                open_analysis(
                    settings,
                    database,
                    check=Stage.ANALYZE in stages,
                    run_apart=run_apart,
                    placed_only=Stage.GROUP in stages,
                    now=now,
                )
            ),
            builder=make_builder(settings, database, now),
            indexer=SearchIndexer(database=database),
            steering=PriceSteering(database=database, planner=planner, budget=fetcher.budget, now=now),
            health=HealthWatch(
                database=database,
                failures=settings.notify.broken_failures,
                hours=settings.notify.broken_hours,
                now=now,
            ),
            notifier=await stack.enter_async_context(open_notifier(settings, database, now=now)),
            push=await stack.enter_async_context(open_push(settings, database, engine.pacer)),
            interval_s=fetcher.interval,
            stages=stages,
            projection=projection,
        )


def _make_pool(stages: frozenset[Stage]) -> WorkPool:
    if stages & {Stage.CANONICAL, Stage.REVISE}:
        return WorkPool(warm_up=("inforadar.stages.canonical.extraction",))
    # Listing pages arrive at the pace of their hosts: one process can parse them all.
    return WorkPool(workers=1, warm_up=("inforadar.stages.discover.pages.fetch",))
