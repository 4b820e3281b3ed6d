"""The process that is let go when idle."""

from __future__ import annotations

import asyncio
import os

from inforadar.pipeline.idle_pool import IdlePool
from inforadar.pipeline.pool import WorkPool
from inforadar.stages.analyze.local.analyzer import analyze_subjects
from tests.stages.analyze.local.test_batches import SUBJECTS


async def test_the_process_ends_when_idle_and_starts_again() -> None:
    made: list[WorkPool] = []

    def make() -> WorkPool:
        made.append(WorkPool(workers=1))
        return made[-1]

    pool = IdlePool(make, idle_s=0.0)
    assert not pool.is_open
    first = await pool.run(os.getpid, timeout_s=30)
    assert first != os.getpid()
    async with asyncio.timeout(30):
        while pool.is_open:
            await asyncio.sleep(0)
    assert await pool.run(os.getpid, timeout_s=30) != first
    assert len(made) == 2
    await pool.close()
    assert not pool.is_open


async def test_the_analyzer_works_in_a_process_of_its_own() -> None:
    pool = IdlePool(lambda: WorkPool(workers=1, memory_mb=1024))
    try:
        apart = await pool.run(analyze_subjects, SUBJECTS[:1], timeout_s=120)
    finally:
        await pool.close()
    assert apart == analyze_subjects(SUBJECTS[:1])
