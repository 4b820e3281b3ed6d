"""The measured part of the canonical benchmark, in a process of its own; `bench.canonical` starts it.

Prints what it measured as JSON. The clock starts when everything is open and the URLs are queued; starting the
pool's processes is part of the work.
"""

from __future__ import annotations

import asyncio
import cProfile
import json
import pstats
import resource
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvloop

from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.cli.logs import configure_logs
from inforadar.config import Settings, load_settings
from inforadar.pipeline.worker import Stage
from inforadar.store.article_queue import take_in_urls
from inforadar.urls import normalize, uid

_TICK_S = 0.005
_PART = 500


def _cpu_s() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


async def _feel_lag(lags: list[float]) -> None:
    while True:
        started = time.perf_counter()
        await asyncio.sleep(_TICK_S)
        lags.append(time.perf_counter() - started - _TICK_S)


async def _canonicalize(settings: Settings, urls: list[str], *, profiled: bool) -> dict[str, Any]:
    lags: list[float] = []
    profile = cProfile.Profile(time.thread_time)
    async with open_store(settings, upgrade=True) as database:
        for start in range(0, len(urls), _PART):
            part = {uid(normalize(url)): normalize(url) for url in urls[start : start + _PART]}
            await database.write(take_in_urls, "bench", part, [], datetime.now(UTC))
        before, started = _cpu_s(), time.perf_counter()
        async with open_worker(settings, database, stages=frozenset({Stage.CANONICAL})) as worker:
            feeling = asyncio.create_task(_feel_lag(lags))
            if profiled:
                profile.enable()
            endings = await worker.canonicalizer.run_to_the_end()
            profile.disable()
            wall_s = time.perf_counter() - started
            feeling.cancel()
    if profiled:
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(25)
    lags.sort()
    return {
        "wall_s": wall_s,
        # The pool's processes are counted when they have ended.
        "cpu_s": _cpu_s() - before,
        "endings": endings,
        "lag_p50_ms": 1000 * lags[len(lags) // 2],
        "lag_p99_ms": 1000 * lags[int(0.99 * len(lags))],
        "lag_worst_ms": 1000 * lags[-1],
    }


def main(argv: list[str]) -> None:
    settings = load_settings()
    configure_logs(settings.log)
    urls = Path(argv[0]).read_text().split()
    print(json.dumps(uvloop.run(_canonicalize(settings, urls, profiled="--profile" in argv))))


if __name__ == "__main__":
    main(sys.argv[1:])
