"""One step of the farm benchmark, in a process of its own; `bench.farm` starts it.

    python -m bench.farm_step prepare URLS OTHERS    make the database: feeds of the farm, and others not due
    python -m bench.farm_step due                    make all feeds of the farm due
    python -m bench.farm_step collect [CYCLES]       collect all due feeds, or so many batches of them
    python -m bench.farm_step bare URLS              the same conditional requests with bare aiohttp

Prints the measurements as JSON. The clock starts when everything is imported and open: starting a process is not part
of collecting.
"""

from __future__ import annotations

import asyncio
import cProfile
import json
import pstats
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import uvloop
from sqlalchemy import Connection, func, insert, select, update

from inforadar.app.process import tune_garbage_collector
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.cli.terminal.logs import configure_logs
from inforadar.config import Settings, load_settings
from inforadar.model.ids import new_uuid
from inforadar.pipeline.worker import Stage, Worker
from inforadar.store.database import Database
from inforadar.store.feeds.queries import feed_key
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from inforadar.store.types import db_later, db_now
from inforadar.urls import hostname

_PART = 1000


@contextmanager
def _measured(report: dict[str, Any]) -> Iterator[None]:
    before, started = _cpu_s(), time.perf_counter()
    yield
    report["wall_s"] = time.perf_counter() - started
    report["cpu_s"] = _cpu_s() - before
    report["peak_mb"] = _peak_mb()


def _cpu_s() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def _peak_mb() -> float:
    """Return the peak memory of this process alone: getrusage includes the one it was forked from."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def insert_feeds(connection: Connection, urls: list[str]) -> None:
    rows = []
    for url in urls:
        href, key = feed_key(url)
        rows.append(
            {
                "id": new_uuid(),
                "url": href,
                "url_hash": key,
                "source": hostname(href),
                "enabled": True,
                "polling": True,
                "options": {},
            }
        )
    connection.execute(insert(feeds), rows)
    connection.execute(
        insert(feed_schedules).values(next_run_at=db_later(30 * 86400)),
        [{"id": row["id"]} for row in rows],
    )


def _make_due(connection: Connection, pattern: str) -> int:
    """Make all feeds of the farm due; the other feeds stay as they are. Return the number of feeds."""
    ours = select(feeds.c.id).where(feeds.c.url.like(pattern))
    now_due = update(feed_schedules).where(feed_schedules.c.id.in_(ours)).values(next_run_at=db_now())
    return connection.execute(now_due).rowcount


async def _prepare(settings: Settings, urls: list[str], others: int) -> dict[str, Any]:
    elsewhere = [f"http://other{number}.example/feed.xml" for number in range(others)]
    async with open_store(settings, upgrade=True) as database:
        for start in range(0, len(urls) + others, _PART):
            await database.write(insert_feeds, [*urls, *elsewhere][start : start + _PART])
    return {}


async def _make_all_due(settings: Settings) -> dict[str, Any]:
    async with open_store(settings) as database:
        return {"due": await database.write(_make_due, "http://127.%")}


async def _collect(settings: Settings, cycles_limit: int | None, *, profiled: bool) -> dict[str, Any]:
    """Without a limit of cycles, all feeds of the farm are made due first."""
    report: dict[str, Any] = {}
    stages = frozenset({Stage.COLLECT})
    async with open_store(settings) as database:
        due = await database.write(_make_due, "http://127.%") if cycles_limit is None else sys.maxsize
        async with open_worker(settings, database, stages=stages) as worker:
            tune_garbage_collector()
            profiles = await _start_profiles(database) if profiled else []
            with _measured(report):
                result, failed, cycles = await _collect_all(worker, due, cycles_limit)
            for profile in profiles:
                profile.disable()
        stored = await database.read(
            lambda connection: connection.execute(select(func.count(items.c.id))).scalar()
        )
    for profile in profiles:
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(25)
    return report | {
        "feeds": result.fetched,
        "added": result.added,
        "updated": result.updated,
        "failed": failed,
        "errors": sorted(set(result.errors.values()))[:3],
        "cycles": cycles,
        "stored": stored,
    }


@dataclass(slots=True)
class _Total:
    """The sums of all cycles: their keys would take more memory than the worker."""

    fetched: int = 0
    added: int = 0
    updated: int = 0
    errors: dict[str, str] = field(default_factory=dict)


async def _collect_all(
    worker: Worker, due: int, cycles_limit: int | None
) -> tuple[_Total, int, list[tuple[int, float]]]:
    """Run cycles until all feeds were fetched, as the worker's loop does.

    Also how many failed, of whom the result names the last cycle's only, and each cycle's feeds and CPU seconds.
    """
    total, failed = _Total(), 0
    cycles: list[tuple[int, float]] = []
    turns: set[float] = set()
    while total.fetched < due and len(cycles) != cycles_limit:
        before = _cpu_s()
        result, run_id = await worker.collecting.claim_and_collect()
        if result.fetched:  # the last cycle finds that nothing is left
            cycles.append((result.fetched, _cpu_s() - before))
        failed += len(result.errors)
        total.fetched += result.fetched
        total.added += result.added
        total.updated += result.updated
        total.errors = result.errors or total.errors
        now = time.monotonic()
        turns = {turn for turn in turns | {now + turn_s for turn_s in result.turns_s} if turn > now}
        if turns:
            await asyncio.sleep(min(turns) - now)
        elif run_id is None:
            break
    return total, failed, cycles


async def _start_profiles(database: Database) -> list[cProfile.Profile]:
    """Profile the event loop and, on SQLite, the writer thread; both by CPU time."""
    loop, writer = cProfile.Profile(time.thread_time), cProfile.Profile(time.thread_time)
    if database.is_sqlite:
        await database.write(lambda _: writer.enable())
    loop.enable()
    return [loop, writer]


async def _bare(urls: list[str], workers: int) -> dict[str, Any]:
    """Measure bare aiohttp on the same conditional requests with the same concurrency."""
    validators: dict[str, dict[str, str]] = {}

    async def ask(session: aiohttp.ClientSession, waiting: list[str], status: int) -> None:
        while waiting:
            url = waiting.pop()
            async with session.get(url, headers=validators.get(url)) as answer:
                await answer.read()
                assert answer.status == status, (url, answer.status)
                validators[url] = {
                    "If-None-Match": answer.headers["ETag"],
                    "If-Modified-Since": answer.headers["Last-Modified"],
                }

    async def ask_all(status: int) -> None:
        waiting = urls[::-1]
        session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        async with session, asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(ask(session, waiting, status))

    report: dict[str, Any] = {"feeds": len(urls)}
    await ask_all(200)
    with _measured(report):
        await ask_all(304)
    return report


def main(argv: list[str]) -> None:
    settings = load_settings()
    configure_logs(settings.log)
    match argv:
        case ["prepare", file, others]:
            report = uvloop.run(_prepare(settings, Path(file).read_text().split(), int(others)))
        case ["due"]:
            report = uvloop.run(_make_all_due(settings))
        case ["collect", *options]:
            cycles = next((int(option) for option in options if option.isdigit()), None)
            report = uvloop.run(_collect(settings, cycles, profiled="--profile" in options))
        case ["bare", file]:
            report = uvloop.run(_bare(Path(file).read_text().split(), settings.fetcher.workers))
        case _:
            raise SystemExit(__doc__)
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1:])
