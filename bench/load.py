"""The API under a fixed rate of mixed reads, while a worker collects feeds of which a fifth are hostile.

    python -m bench load [--database sqlite|postgresql] [--rate 500] [--seconds 20] [--feeds 1000] [--processes 2]
                         [--stages collect]

The reads are cached and conditional feeds, lists as JSON and as pages, articles, the reader API and look-ups by URL
(`bench.load_mix`). They are sent at their time whatever happened to those before, and a time counts from then. The
worker fetches every feed again each 15 seconds; every 5 seconds a tenth of the honest ones have new entries. The
hostile ones are silent, slow, endless, bombs, cut off, garbage and redirected forever (`bench.load_hostile`).

The load lasts ten seconds longer than said: in these the API fills its caches. They are shown apart.

First the same requests go to nginx with the same bytes as files, beside the same worker: what the machine, the load
and the client cost. The goal for the API is a 99th percentile of 100 ms on an idle machine. On PostgreSQL the server's
CPU is shown too; beside nginx it is what the worker needs of it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import psutil
import uvloop
from sqlalchemy import text

from bench.api import place, serving
from bench.api_load import Load, pace, send_all
from bench.farm import RESULTS, tree_cpu_s
from bench.farm_site import Farm, free_port, serve
from bench.farm_step import insert_feeds
from bench.load_hostile import KINDS
from bench.load_mix import SHARES, Asked, FixedBytes, make_mix
from inforadar.app.store import open_store
from inforadar.config import load_settings

_GOAL_MS = 100.0
_HOSTILE_SHARE = 0.2
_FIRST_HOSTILE_HOST = "127.3.0.1"
_DISTINCT = 1000
_TOUCH_S, _REFRESH_S = 5.0, 15
_WARM_UP_S = 10.0
_ARTICLE = f"<html><title>News</title><article><p>{'A sentence of the harbour council. ' * 60}</p></article>"


@contextmanager
def _running(environment: dict[str, str], *command: str) -> Iterator[psutil.Process]:
    process = subprocess.Popen([sys.executable, "-m", *command], env=os.environ | environment)
    try:
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(60)


def _step(environment: dict[str, str], *command: str) -> None:
    subprocess.run(
        [sys.executable, "-m", *command], env=os.environ | environment, stdout=subprocess.DEVNULL, check=True
    )


async def _add_hostile(environment: dict[str, str], number: int, port: int) -> None:
    """Add the hostile feeds, each on a host of its own, and make all feeds due."""
    kinds, first = list(KINDS), IPv4Address(_FIRST_HOSTILE_HOST)
    urls = [f"http://{first + n}:{port}/{kinds[n % len(kinds)]}/{n}.xml" for n in range(number)]
    async with open_store(load_settings(environ=os.environ | environment)) as database:
        await database.write(insert_feeds, urls)
        await database.write(
            lambda c: c.execute(text("UPDATE feed_schedules SET next_run_at = CURRENT_TIMESTAMP"))
        )


async def _paced(port: int, asked: list[bytes], rate: float, seconds: float, farm: Farm) -> Load:
    done = asyncio.Event()
    load = asyncio.create_task(pace(port, asked, rate=rate, until=done))
    for _ in range(max(1, round(seconds / _TOUCH_S))):
        await asyncio.to_thread(farm.touch, 0.1, 3)
        await asyncio.sleep(min(seconds, _TOUCH_S))
    done.set()
    return await load


def _costs(api: psutil.Process, port: int, mix: list[Asked]) -> dict[str, float]:
    """The CPU milliseconds of the API for a request of each kind, while nothing else is asked."""
    costs = {}
    for kind in SHARES:
        asked = [one.data for one in mix if one.kind == kind]
        before = tree_cpu_s(api)
        uvloop.run(send_all(port, asked))
        costs[kind] = (tree_cpu_s(api) - before) * 1000 / len(asked)
    return costs


async def _database_server(environment: dict[str, str]) -> psutil.Process | None:
    """The server's process, if the database is one of its own."""
    async with open_store(load_settings(environ=os.environ | environment)) as database:
        if database.is_sqlite:
            return None
        session = await database.read(lambda c: c.execute(text("SELECT pg_backend_pid()")).scalar_one())
        return psutil.Process(psutil.Process(session).ppid())


def _measured(load: Load, server_cpu_s: float, worker_cpu_s: float, database_cpu_s: float) -> dict[str, Any]:
    return {
        "requests": load.requests,
        "seconds": load.seconds,
        "p50_ms": load.percentile_ms(0.5),
        "p95_ms": load.percentile_ms(0.95),
        "p99_ms": load.percentile_ms(0.99),
        "worst_ms": load.percentile_ms(1.0),
        "errors": load.errors + sum(number for status, number in load.statuses.items() if status >= 400),
        "statuses": dict(load.statuses),
        "cpu_ms": server_cpu_s * 1000 / max(load.requests, 1),
        "worker_cores": worker_cpu_s / load.seconds,
        "database_cores": database_cpu_s / load.seconds,
    }


def _print(rows: dict[str, dict[str, Any]], load: Load, mix: list[Asked], costs: dict[str, float]) -> None:
    print(
        f"{'server':<8}{'requests':>9}{'p50':>8}{'p95':>8}{'p99':>8}{'worst':>9}{'errors':>8}{'CPU each':>10}"
        f"{'worker':>8}{'database':>10}   milliseconds; cores"
    )
    for name, row in rows.items():
        print(
            f"{name:<8}{row['requests']:>9}{row['p50_ms']:>8.1f}{row['p95_ms']:>8.1f}{row['p99_ms']:>8.1f}"
            f"{row['worst_ms']:>9.1f}{row['errors']:>8}{row['cpu_ms']:>10.2f}{row['worker_cores']:>8.2f}"
            f"{row['database_cores']:>10.2f}   {row['statuses']}"
        )
    for kind in SHARES:
        own = [time_s for time_s, at in zip(load.times_s, load.places, strict=True) if mix[at].kind == kind]
        part = Load(times_s=own)
        print(
            f"  {kind:<10}{len(own):>7}{part.percentile_ms(0.5):>9.1f} p50{part.percentile_ms(0.99):>9.1f} p99"
            f"{costs[kind]:>9.2f} CPU when asked alone"
        )
    ratio = rows["API"]["p99_ms"] / rows["nginx"]["p99_ms"]
    print(f"p99 of the API is {ratio:.1f} times that of nginx with the same bytes", flush=True)


async def _collected(environment: dict[str, str]) -> str:
    asked = text("SELECT last_fetch_status, count(*) FROM feeds GROUP BY last_fetch_status ORDER BY 2 DESC")
    async with open_store(load_settings(environ=os.environ | environment)) as database:
        rows = await database.read(lambda c: c.execute(asked).all())
    return ", ".join(f"{number} {outcome or 'not yet'}" for outcome, number in rows)


def _run(options: argparse.Namespace, folder: Path, environment: dict[str, str]) -> dict[str, Any]:
    hostile = round(options.feeds * _HOSTILE_SHARE)
    honest = options.feeds - hostile
    farm = Farm(folder / "www", feeds=honest, entries=30, hosts=min(200, honest), port=free_port())
    (folder / "www" / "article.html").write_text(_ARTICLE)
    (folder / "urls.txt").write_text("\n".join(farm.urls()))
    port, hostile_port = int(environment["INFORADAR_PORT"]), free_port()
    worker_command = ("inforadar", "worker", "--stages", options.stages)
    with (
        serve(farm, folder / "nginx", with_log=False),
        _running(environment, "bench.load_hostile", str(hostile_port)),
    ):
        print("Filling the database …", flush=True)
        _step(environment, "bench.farm_step", "prepare", str(folder / "urls.txt"), "0")
        _step(environment, "bench.farm_step", "collect")
        _step(environment, "inforadar", "worker", "--once", "--stages", "collect")
        # As a database that was filled over days has: statistics for the planner.
        _step(environment, "inforadar", "db", "vacuum")
        server = asyncio.run(_database_server(environment))
        with serving(environment) as api:
            print("Choosing the requests …", flush=True)
            mix = asyncio.run(make_mix(environment, _DISTINCT))
            files = FixedBytes(folder / "bytes", free_port(), mix)
            costs = _costs(api, port, mix)
            asyncio.run(_add_hostile(environment, hostile, hostile_port))
            rows: dict[str, dict[str, Any]] = {}
            with (
                serve(files, folder / "bare", with_log=False),
                _running(environment, *worker_command) as worker,
            ):
                sides = (
                    ("nginx", files.port, files.requests, options.seconds / 2, None),
                    ("API", port, [asked.data for asked in mix], options.seconds, api),
                )
                for name, at, asked, seconds, process in sides:
                    print(f"{name} under load …", flush=True)
                    if process is not None:
                        cold = uvloop.run(_paced(at, asked, options.rate, _WARM_UP_S, farm))
                    watched = (process, worker, server)
                    before = [tree_cpu_s(one) for one in watched]
                    load = uvloop.run(_paced(at, asked, options.rate, seconds, farm))
                    used = [tree_cpu_s(one) - then for one, then in zip(watched, before, strict=True)]
                    rows[name] = _measured(load, *used)
            memory = [
                one.memory_info().rss / 2**20 for one in (api, *api.children()) if "python" in one.name()
            ]
    rows["API"]["cold_p99_ms"] = cold.percentile_ms(0.99)
    print(f"\n{options.database}, {options.processes} processes, {options.rate:g} requests a second")
    _print(rows, load, mix, costs)
    print(f"the {_WARM_UP_S:g} seconds before, with cold caches: p99 {cold.percentile_ms(0.99):.1f} ms")
    print(
        f"feeds: {asyncio.run(_collected(environment))}; API processes: {', '.join(f'{mb:.0f}' for mb in memory)} MB"
    )
    return rows


def main(argv: list[str]) -> int:
    # When this process is terminated, its children must end too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(prog="bench load", description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--rate", type=float, default=500.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--feeds", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--stages", default="collect")
    options = parser.parse_args(argv)
    with place(options.database) as (folder, environment):
        environment |= {
            "INFORADAR_API_PROCESSES": str(options.processes),
            "FETCHER_INTERVAL": "1",
            "FETCHER_SUCCESS_INTERVAL": str(_REFRESH_S),
            # Otherwise silent hosts would hold the worker's places for half a minute, and it would rest.
            "FETCHER_REQUEST_TIMEOUT": "4",
            "FETCHER_JOB_TIMEOUT": "6",
        }
        rows = _run(options, folder, environment)
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    file = RESULTS / f"load-{options.database}-{now:%Y%m%dT%H%M%S}.json"
    file.write_text(json.dumps({"at": now.isoformat(), "arguments": vars(options), **rows}, indent=1))
    is_held = rows["API"]["p99_ms"] <= _GOAL_MS and not rows["API"]["errors"]
    print("Within 100 ms." if is_held else "Beyond 100 ms, or with errors.")
    return 0 if is_held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
