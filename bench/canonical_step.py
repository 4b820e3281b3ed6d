"""The measured part of the canonical benchmark, in a process of its own; `bench.canonical` starts it.

Prints the measurements as JSON. The clock starts when everything is open and the URLs are queued; starting the pool's
processes is part of the work.
"""

from __future__ import annotations

import asyncio
import cProfile
import json
import pstats
import resource
import statistics
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvloop

from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.cli.terminal.logs import configure_logs
from inforadar.config import Settings, load_settings
from inforadar.pipeline.worker import Stage
from inforadar.store.articles.enqueue import enqueue_urls
from inforadar.urls import normalize, uid

_TICK_S = 0.005
_IDLE_S = 2.0
_PART = 500


def _cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


async def _feel_lag(lags: list[float]) -> None:
    while True:
        started = time.perf_counter()
        await asyncio.sleep(_TICK_S)
        lags.append(time.perf_counter() - started - _TICK_S)


async def _idle_lags() -> list[float]:
    """Measure the lag of an idle loop, which other programs on this machine cause."""
    lags: list[float] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(_IDLE_S):
            await _feel_lag(lags)
    return lags


def _p99_ms(lags: list[float]) -> float:
    return 1000 * sorted(lags)[int(0.99 * len(lags))]


async def _canonicalize(settings: Settings, urls: list[str], *, profiled: bool) -> dict[str, Any]:
    lags: list[float] = []
    idle = await _idle_lags()
    profile = cProfile.Profile(time.thread_time)
    async with open_store(settings, upgrade=True) as database:
        for start in range(0, len(urls), _PART):
            part = {uid(normalize(url)): normalize(url) for url in urls[start : start + _PART]}
            await database.write(enqueue_urls, "bench", part, [], datetime.now(UTC))
        before, own_before, started = _cpu_s(), time.process_time(), time.perf_counter()
        async with open_worker(settings, database, stages=frozenset({Stage.CANONICAL})) as worker:
            feeling = asyncio.create_task(_feel_lag(lags))
            if profiled:
                profile.enable()
            endings = await worker.canonicalizer.run_to_the_end()
            profile.disable()
            wall_s = time.perf_counter() - started
            own_cpu_s = time.process_time() - own_before
            feeling.cancel()
    if profiled:
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(25)
    return {
        "wall_s": wall_s,
        # CPU time of the pool's processes is counted once they have ended.
        "cpu_s": _cpu_s() - before,
        "loop_cpu_s": own_cpu_s,
        "endings": endings,
        "lag_p50_ms": 1000 * statistics.median(lags),
        "lag_p99_ms": _p99_ms(lags),
        "lag_worst_ms": 1000 * max(lags),
        "idle_p99_ms": _p99_ms(idle),
    }


def main(argv: list[str]) -> None:
    settings = load_settings()
    configure_logs(settings.log)
    urls = Path(argv[0]).read_text().split()
    print(json.dumps(uvloop.run(_canonicalize(settings, urls, profiled="--profile" in argv))))
