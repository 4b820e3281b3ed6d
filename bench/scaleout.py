"""Several workers as separate hosts on one PostgreSQL and one Redis: is anything lost, doubled or impolite?

    python -m bench scaleout [--feeds 10000] [--hosts 1000] [--entries 3] [--workers 1,2,4] [--delay 0.5]

    speed    all feeds due at once, no delay between requests, with 1, 2 and 4 workers
    polite   4 workers, every feed once, the delay measured in the servers' log
    faults   4 workers; one is killed and one loses its network, both while they hold leases

Each worker is `inforadar worker` in a network namespace with its own address. The leases of silent workers are expired
by hand instead of waiting ten minutes. Needs root, for the namespaces.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select, text, update

from bench.farm_step import insert_feeds
from bench.namespaces import FARM_NETWORK, Hosts, hosts
from inforadar.store.database import Database, open_database
from inforadar.store.schema.columns import metadata
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from inforadar.store.types import db_later, db_now
from inforadar.store.upkeep.upgrade import upgrade_database

_RESULTS = Path(__file__).with_name("results")
_LIMIT_S = 240.0
_TOLERANCE_S = 0.005
"""The log's clock counts milliseconds, and a request takes time to arrive."""


def _empty(connection: Connection, urls: list[str]) -> None:
    names = ", ".join(table.name for table in metadata.sorted_tables)
    connection.execute(text(f"TRUNCATE {names} CASCADE"))
    for start in range(0, len(urls), 1000):
        insert_feeds(connection, urls[start : start + 1000])


def _all_due(connection: Connection) -> None:
    connection.execute(update(feed_schedules).values(next_run_at=db_now()))


def _progress(connection: Connection) -> tuple[int, int]:
    """Fetched feeds and held leases."""
    fetched = select(func.count()).where(feeds.c.last_fetched_at.is_not(None))
    leased = select(func.count()).where(feed_schedules.c.lease_token.is_not(None))
    return connection.execute(fetched).scalar_one(), connection.execute(leased).scalar_one()


def _expire_leases(connection: Connection) -> int:
    held = feed_schedules.c.lease_token.is_not(None)
    past = {"locked_until": db_later(-1), "next_run_at": db_later(-1)}
    return connection.execute(update(feed_schedules).where(held).values(past)).rowcount


def _stored(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(items)).scalar_one()


class Scale:
    """The hosts, the programs on them, and the servers' log."""

    def __init__(self, net: Hosts, hub: dict[str, Any], database: Database, folder: Path) -> None:
        self.net = net
        self.hub = hub
        self.database = database
        self.folder = folder
        self._log = Path(hub["log"])

    async def fresh(self) -> None:
        await self.database.write(_empty, self.hub["urls"])
        os.truncate(self._log, 0)

    @contextmanager
    def running(self, count: int, delay_s: float) -> Iterator[list[subprocess.Popen[str]]]:
        """Start `count` workers and wait until they are ready."""
        environment = {
            "INFORADAR_HOME": str(self.folder / "home"),
            "DATABASE_URL": self.hub["network"],
            "REDIS_URL": self.hub["redis"],
            "FETCHER_ALLOWED_NETWORKS": FARM_NETWORK,
            "FETCHER_DOMAIN_DELAY": str(delay_s),
            "FETCHER_INTERVAL": "1",
            "FETCHER_WORKERS": "50",
            "INFORADAR_LOG_LEVEL": "info",
        }
        logs = [(self.folder / f"worker{number}.log").open("w+") for number in range(count)]
        command = [sys.executable, "-m", "inforadar", "worker", "--stages", "collect"]
        workers = [
            self.net.start(name, command, environment, stderr=log)
            for name, log in zip(self.net.workers, logs, strict=False)
        ]
        try:
            for worker, log in zip(workers, logs, strict=True):
                _wait_for_start(worker, Path(log.name))
            yield workers
        finally:
            for worker in workers:
                worker.terminate()
            for worker in workers:
                try:
                    worker.wait(timeout=15)
                except subprocess.TimeoutExpired:
                    worker.kill()
                    worker.wait()
            for log in logs:
                log.close()

    async def until_fetched(self, wanted: int) -> int:
        """Wait until this many feeds have been fetched; return how many have."""
        until = time.monotonic() + _LIMIT_S
        fetched = 0
        while fetched < wanted and time.monotonic() < until:
            fetched, _ = await self.database.read(_progress)
            await asyncio.sleep(0.2)
        return fetched

    def seen(self, delay_s: float) -> dict[str, Any]:
        """Read requests, repetitions and spacing from the servers' log."""
        asked: Counter[str] = Counter()
        last: dict[str, float] = {}
        least, violations, times = float("inf"), 0, []
        for line in sorted(self._log.read_text().splitlines()):
            at_text, host, _, path = line.split(maxsplit=3)
            at = float(at_text)
            times.append(at)
            asked[path] += 1
            if host in last:
                gap = at - last[host]
                least = min(least, gap)
                violations += gap < delay_s - _TOLERANCE_S
            last[host] = at
        took_s = times[-1] - times[0] if len(times) > 1 else 0.0
        return {
            "requests": len(times),
            "feeds_asked_twice": sum(count > 1 for count in asked.values()),
            "least_gap_s": round(least, 3),
            "spacing_violations": violations,
            "seconds": round(took_s, 2),
            "feeds_a_second": round(len(times) / took_s) if took_s else None,
        }

    async def report(self, name: str, workers: int, delay_s: float, **more: Any) -> dict[str, Any]:
        fetched, _ = await self.database.read(_progress)
        row = {
            "part": name,
            "workers": workers,
            "delay_s": delay_s,
            "feeds_fetched": fetched,
            "items_stored": await self.database.read(_stored),
            "items_expected": self.hub["expected"],
            **self.seen(delay_s),
            **more,
            "load": os.getloadavg()[0],
        }
        print(json.dumps(row), flush=True)
        return row


def _wait_for_start(worker: subprocess.Popen[str], log: Path) -> None:
    until = time.monotonic() + 60
    while "worker.started" not in log.read_text():
        if worker.poll() is not None or time.monotonic() > until:
            raise SystemExit(f"A worker did not start:\n{log.read_text()[-2000:]}")
        time.sleep(0.1)


async def _speed(scale: Scale, workers: int) -> dict[str, Any]:
    await scale.fresh()
    with scale.running(workers, 0.0):
        await scale.database.write(_all_due)
        await scale.until_fetched(len(scale.hub["urls"]))
    return await scale.report("speed", workers, 0.0)


async def _polite(scale: Scale, workers: int, delay_s: float) -> dict[str, Any]:
    await scale.fresh()
    with scale.running(workers, delay_s):
        await scale.database.write(_all_due)
        await scale.until_fetched(len(scale.hub["urls"]))
    return await scale.report("polite", workers, delay_s)


async def _faults(scale: Scale, workers: int, delay_s: float) -> dict[str, Any]:
    total = len(scale.hub["urls"])
    await scale.fresh()
    with scale.running(workers, delay_s) as processes:
        await scale.database.write(_all_due)
        await scale.until_fetched(total // 5)
        processes[0].send_signal(signal.SIGKILL)
        scale.net.cut(scale.net.workers[1])
        await scale.until_fetched(total // 2)
        taken_over = await scale.database.write(_expire_leases)
        await scale.until_fetched(total)
        scale.net.join(scale.net.workers[1])
        await asyncio.sleep(2)  # the one that was cut off finds that its leases are gone
    return await scale.report("faults", workers, delay_s, leases_run_out=taken_over)


async def _measure(arguments: argparse.Namespace, net: Hosts, hub: dict[str, Any], folder: Path) -> list[Any]:
    counts = [int(count) for count in arguments.workers.split(",")]
    rows = []
    async with open_database(hub["socket"]) as database:
        await upgrade_database(database)
        scale = Scale(net, hub, database, folder)
        if "speed" in arguments.parts:
            rows += [await _speed(scale, count) for count in counts]
        if "polite" in arguments.parts:
            rows.append(await _polite(scale, max(counts), arguments.delay))
        if "faults" in arguments.parts:
            rows.append(await _faults(scale, max(counts), arguments.delay))
    return rows


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench scaleout", description=__doc__)
    parser.add_argument("--feeds", type=int, default=10_000)
    parser.add_argument("--entries", type=int, default=3)
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--delay", type=float, default=0.5)
    parser.add_argument("--parts", default="speed,polite,faults")
    arguments = parser.parse_args(argv)
    most = max(int(count) for count in arguments.workers.split(","))
    with tempfile.TemporaryDirectory(prefix="inforadar-scaleout-") as name, hosts(most) as net:
        folder = Path(name)
        numbers = [str(arguments.feeds), str(arguments.entries), str(arguments.hosts)]
        command = [sys.executable, "-m", "bench.scaleout_hub", str(folder), *numbers]
        pipe = subprocess.PIPE
        hub = net.start(net.hub, command, {}, stdin=pipe, stdout=pipe)
        try:
            assert hub.stdout is not None
            rows = asyncio.run(_measure(arguments, net, json.loads(hub.stdout.readline()), folder))
        finally:
            hub.communicate(timeout=60)
    _RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "machine": platform.machine()}
    file = _RESULTS / f"scaleout-{now:%Y%m%dT%H%M%S}.json"
    file.write_text(json.dumps({"at": now.isoformat(), "machine": machine, "rows": rows}, indent=1))
    bad = [
        row
        for row in rows
        if row["items_stored"] != row["items_expected"] or (row["delay_s"] and row["spacing_violations"])
    ]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
