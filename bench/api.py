"""The speed of the API.

    python -m bench api [--items 100000] [--database sqlite|postgresql] [--steps cmq] [--seconds 4]
    python -m bench api --steps qn --items 1000000

    c   a cached feed of 40 KB, plain, as 304 and gzipped: CPU a request and requests a second, against nginx
        with the same bytes, in turns
    m   a fixed rate of requests per second (--rate 500) while a worker collects a farm of 1,000 feeds
    q   item list, filters, search and `/api/site` over very many items
    n   the next and the previous article of a list over very many items, as the page asks for them

The API is one unmodified `inforadar api` process. `m`, `q` and `n` run on both databases unless one is named. All
figures are also written to bench/results.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count, repeat
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import uvloop

from bench.api_fill import COMMON, RARE
from bench.api_load import Load, hammer, pace, request
from bench.api_walk import show, walk
from bench.farm_site import Farm, free_port, serve
from inforadar.app.store import open_store
from inforadar.config import load_settings
from inforadar.store.feeds.add import insert_feed
from inforadar.store.published.cached_feeds import CachedFeed
from inforadar.store.published.save_builds import save_cached_feeds
from tests.support.servers import own_postgres

_RESULTS = Path(__file__).with_name("results")
_FEED = "https://news.example/feed"
_RSS = f"/rss?url={quote(_FEED, safe='')}"
_SIZE = 40_000
_ALLOWED_MS = 100.0
"""The 95th percentile that any query over very many items must stay under."""


SERVER = "shared_buffers = 1GB\nmax_wal_size = 4GB\nrandom_page_cost = 1.1\n"
"""The settings that docs/scaling.md advises for a million feeds or items; all others are defaults."""


@contextmanager
def _database(kind: str, folder: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'api.db'}"
        return
    with own_postgres(SERVER) as server:
        yield server.get_uri()


@contextmanager
def place(kind: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """A home folder, and the environment that points to it."""
    with tempfile.TemporaryDirectory(prefix="inforadar-api-") as name, _database(kind, Path(name)) as url:
        yield (
            Path(name),
            {
                "INFORADAR_HOME": name,
                "DATABASE_URL": url,
                "INFORADAR_LOG_LEVEL": "error",
                "INFORADAR_PORT": str(free_port()),
                "FETCHER_ALLOWED_NETWORKS": "127.0.0.0/8",
                "FETCHER_DOMAIN_DELAY": "0",
                "FETCHER_WORKERS": "50",
            },
        )


@contextmanager
def serving(environment: dict[str, str]) -> Iterator[psutil.Process]:
    process = subprocess.Popen([sys.executable, "-m", "inforadar", "api"], env=os.environ | environment)
    try:
        asyncio.run(_until_ready(int(environment["INFORADAR_PORT"])))
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(10)


async def _until_ready(port: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(0.05)
    raise TimeoutError("the API did not start")


def _step(environment: dict[str, str], *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", *arguments],
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )


def _cpu_s(process: psutil.Process) -> float:
    family = [process, *process.children(recursive=True)]
    return sum(times.user + times.system for times in (one.cpu_times() for one in family))


async def _add_cached(environment: dict[str, str], document: str) -> None:
    settings = load_settings(environ=os.environ | environment)
    async with open_store(settings, upgrade=True) as database:
        feed, _ = await database.write(insert_feed, _FEED, enabled=True)
        cached = CachedFeed(xml_header="", xml_content=document, item_refs=(), updated_at=datetime.now(UTC))
        await database.write(save_cached_feeds, {feed.id: cached})


def _document() -> str:
    head = '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel><title>Bench</title>'
    items, number = [], 0
    while sum(map(len, items)) < _SIZE - len(head):
        number += 1
        link = f"https://news.example/{number}"
        items.append(
            f"<item><title>Headline {number}: harbour council vote</title><link>{link}</link>"
            f"<guid>{link}</guid><description>{'A sentence of the harbour council. ' * 16}</description></item>"
        )
    return f"{head}{''.join(items)}</channel></rss>"


class _Files:
    """Write the same bytes as a file for nginx."""

    def __init__(self, folder: Path, document: str) -> None:
        self.folder = folder / "www"
        self.port = free_port()
        self.folder.mkdir()
        (self.folder / "feed.xml").write_text(document, encoding="utf-8")


def _cached(seconds: float) -> list[dict[str, Any]]:
    document = _document()
    rows: list[dict[str, Any]] = []
    with place("sqlite") as (folder, environment):
        asyncio.run(_add_cached(environment, document))
        port = int(environment["INFORADAR_PORT"])
        files = _Files(folder, document)
        with serving(environment) as api, serve(files, folder / "nginx", with_log=False):
            nginx = _nginx(files.port)
            etags = {
                "api": uvloop.run(_etag(port, _RSS)),
                "nginx": uvloop.run(_etag(files.port, "/feed.xml")),
            }
            sides = [("api", port, _RSS, api), ("nginx", files.port, "/feed.xml", nginx)]
            for _ in range(3):
                for name, at, path, process in sides:
                    asked = {
                        "40 KB": request(path),
                        "304": request(path, If_None_Match=etags[name]),
                    } | ({"gzip": request(path, Accept_Encoding="gzip")} if name == "api" else {})
                    for what, data in asked.items():
                        before = _cpu_s(process)
                        load = uvloop.run(hammer(at, repeat(data), seconds=seconds / 3))
                        rows.append(_row(name, what, load, (_cpu_s(process) - before) / load.requests))
    best = [
        min((row for row in rows if (row["server"], row["what"]) == key), key=lambda row: row["cpu_us"])
        for key in dict.fromkeys((row["server"], row["what"]) for row in rows)
    ]
    print(f"\na cached feed of {len(document.encode())} bytes, 16 connections, best of 3 rounds")
    print(f"{'server':<8}{'answer':<8}{'CPU µs':>8}{'req/s':>9}{'p99 ms':>9}  nginx/api by CPU")
    for row in best:
        other = [one for one in best if one["server"] == "nginx" and one["what"] == row["what"]]
        ratio = f"{other[0]['cpu_us'] / row['cpu_us']:.2f}" if other and row["server"] == "api" else ""
        print(
            f"{row['server']:<8}{row['what']:<8}{row['cpu_us']:>8.1f}{row['rate']:>9.0f}{row['p99_ms']:>9.1f}  {ratio}"
        )
    return best


def _nginx(port: int) -> psutil.Process:
    """Return the process that listens on a port; its worker is a child of it."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if "nginx" in process.name() and any(one.laddr.port == port for one in process.net_connections()):
                parent = process.parent()
                return parent if parent and "nginx" in parent.name() else process
    raise LookupError("nginx is not there")


async def _etag(port: int, path: str) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request(path, Connection="close"))
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    writer.close()
    return next(line.split(": ", 1)[1] for line in head.splitlines() if line.lower().startswith("etag: "))


def _row(server: str, what: str, load: Load, cpu_s: float) -> dict[str, Any]:
    return {
        "server": server,
        "what": what,
        "cpu_us": cpu_s * 1e6,
        "rate": load.requests / load.seconds,
        "p99_ms": load.percentile_ms(0.99),
        "statuses": dict(load.statuses),
    }


def _mixed(kinds: list[str], rate: float, feeds: int) -> list[dict[str, Any]]:
    rows = []
    for kind in kinds:
        with place(kind) as (folder, environment):
            farm = Farm(folder / "www", feeds=feeds, entries=30, hosts=200, port=free_port())
            urls = folder / "urls.txt"
            urls.write_text("\n".join(farm.urls()))
            with serve(farm, folder / "nginx", with_log=False):
                _step(environment, "bench.farm_step", "prepare", str(urls), "0")
                _step(environment, "bench.farm_step", "collect")
                _step(environment, "inforadar", "worker", "--once", "--stages", "collect")
                with serving(environment) as api:
                    rows.append({"database": kind} | uvloop.run(_under_load(environment, farm, api, rate)))
    print(f"\n{rate:g} requests a second over {feeds} feeds, while a worker collects them all")
    print(f"{'database':<12}{'requests':>9}{'seconds':>9}{'p50 ms':>8}{'p99 ms':>8}{'worst':>8}  answers")
    for row in rows:
        print(
            f"{row['database']:<12}{row['requests']:>9}{row['seconds']:>9.1f}{row['p50_ms']:>8.1f}"
            f"{row['p99_ms']:>8.1f}{row['worst_ms']:>8.1f}  {row['statuses']}"
        )
    return rows


async def _under_load(
    environment: dict[str, str], farm: Farm, api: psutil.Process, rate: float
) -> dict[str, Any]:
    """Request feeds by URL and a few lists while the worker stores what has changed in the farm."""
    farm.touch(1.0, 3)
    asked = [request(f"/rss?url={quote(url, safe='')}") for url in farm.urls()]
    for number in range(0, len(asked), 10):
        asked[number] = request("/api/items?limit=20")
    port, done = int(environment["INFORADAR_PORT"]), asyncio.Event()
    before = _cpu_s(api)
    load = asyncio.create_task(pace(port, asked, rate=rate, until=done))
    steps = (("bench.farm_step", "collect"), ("inforadar", "worker", "--once", "--stages", "collect"))
    for arguments in steps:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", *arguments, env=os.environ | environment, stdout=subprocess.DEVNULL
        )
        await process.wait()
    done.set()
    found = await load
    return {
        "requests": found.requests,
        "seconds": found.seconds,
        "statuses": dict(found.statuses),
        "p50_ms": found.percentile_ms(0.5),
        "p99_ms": found.percentile_ms(0.99),
        "worst_ms": found.percentile_ms(1.0),
        "cpu_us": (_cpu_s(api) - before) / max(found.requests, 1) * 1e6,
    }


_FEW_SCORES, _NO_SCORES = "min_score=0.9999", "min_score=0.999992&max_score=0.999995"
_LIST = "/api/items?limit=000000050"
"""Long enough for `_spelled`."""
_QUESTIONS = {
    "newest items": _LIST,
    "of a source": f"{_LIST}&source=Source+7",
    "of a topic": f"{_LIST}&topic=topic+3",
    "of 5 topics": f"{_LIST}&topic=topic+1&topic=topic+2&topic=topic+3&topic=topic+4&topic=topic+5",
    "half the scores": f"{_LIST}&max_score=0.5",
    "1 in 50 scores": f"{_LIST}&min_score=0.98",
    "few scores": f"{_LIST}&{_FEW_SCORES}",
    "no such score": f"{_LIST}&{_NO_SCORES}",
    "topic, few scores": f"{_LIST}&topic=topic+3&{_FEW_SCORES}",
    "unread, score": f"{_LIST}&unread=1&max_score=0.5",
    "starred": f"{_LIST}&starred=1",
    "common word": f"{_LIST}&q={COMMON}",
    "rare word": f"{_LIST}&q={RARE}",
    "two words": f"{_LIST}&q={COMMON}+{RARE}",
    "beginning": f"{_LIST}&q=wor*",
    "frequent beginning": f"{_LIST}&q=ba*",
    "Chinese": f"{_LIST}&q={quote('北京')}",
    "one sign": f"{_LIST}&q={quote('北')}",
    "no such word": f"{_LIST}&q=nowhere",
    "common, source": f"{_LIST}&q={COMMON}&source=Source+7",
    "common, topic": f"{_LIST}&q={COMMON}&topic=topic+3",
    "common, no source": f"{_LIST}&q={COMMON}&source=nobody",
    "common, few scores": f"{_LIST}&q={COMMON}&{_FEW_SCORES}",
    "common, starred": f"{_LIST}&q={COMMON}&starred=1",
    "rare, source": f"{_LIST}&q={RARE}&source=Source+7",
    "rare, topic": f"{_LIST}&q={RARE}&topic=topic+3",
    "/api/site": "/api/site?root=site5.example",
    "/api/site, scores": "/api/site?root=site5.example&max_score=0.0001",
    "/api/item": f"/api/item?url={quote('https://site5.example/news/105', safe='')}",
    "topic feed": "/feeds/topic/topic%203",
    "search feed": f"/feeds/search?q={COMMON}",
    "labels": "/api/labels",
    "statistics": "/api/statistics",
    "metrics": "/metrics",
}


def _questions(kind: str, number: int) -> list[dict[str, Any]]:
    rows = []
    with place(kind) as (_, environment):
        began = time.perf_counter()
        _step(environment, "bench.api_fill", str(number))
        filled_s = time.perf_counter() - began
        with serving(environment):
            port = int(environment["INFORADAR_PORT"])
            for name, path in _QUESTIONS.items():
                load = uvloop.run(_ask(port, path))
                rows.append(
                    {
                        "database": kind,
                        "what": name,
                        "p50_ms": load.percentile_ms(0.5),
                        "p95_ms": load.percentile_ms(0.95),
                        "worst_ms": load.percentile_ms(1.0),
                        "statuses": dict(load.statuses),
                    }
                )
    print(f"\n{number:,} items on {kind}, filled in {filled_s:.0f} s; one request after the other")
    print(f"{'question':<20}{'p50 ms':>9}{'p95 ms':>9}{'worst':>9}  answers")
    for row in rows:
        print(
            f"{row['what']:<20}{row['p50_ms']:>9.1f}{row['p95_ms']:>9.1f}{row['worst_ms']:>9.1f}  {row['statuses']}"
        )
    slow = [row["what"] for row in rows if row["p95_ms"] > _ALLOWED_MS]
    print(f"over {_ALLOWED_MS:g} ms at p95: {', '.join(slow) or 'none'}", flush=True)
    return rows


def _next_articles(kind: str, number: int) -> list[dict[str, Any]]:
    with place(kind) as (_, environment):
        _step(environment, "bench.api_fill", str(number))
        with serving(environment) as api:
            rows = walk(load_settings(environ=os.environ | environment), api)
    show(kind, number, rows)
    return [{"database": kind} | row for row in rows]


def _spelled(path: str, number: int) -> str:
    """Spell the letters and digits of the query in one of many ways, so that no answer comes from a cache."""
    if "?" not in path:
        # The API refuses parameters that it does not know.
        return path if path.startswith("/api/") else f"{path}?number={number}"
    path, query = path.split("?", 1)
    spelled = []
    for sign in re.findall("%..|.", query):
        if sign.isalnum():
            spelled.append(f"%{ord(sign):02X}" if number & 1 else sign)
            number >>= 1
        else:
            spelled.append(sign)
    return f"{path}?{''.join(spelled)}"


async def _ask(port: int, path: str) -> Load:
    asked = (request(_spelled(path, number)) for number in count())
    await hammer(port, asked, seconds=0.3, connections=1)
    load = await hammer(port, asked, seconds=1.5, connections=1)
    if load.statuses.keys() - {200}:
        raise SystemExit(
            f"{path} was answered with {dict(load.statuses)}: that is no measurement of the query."
        )
    return load


def main(argv: list[str]) -> int:
    # When this process is terminated, its children must end too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(prog="python -m bench api")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--feeds", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=500.0)
    parser.add_argument("--seconds", type=float, default=6.0, help="for each line of the table of step c")
    parser.add_argument("--database", choices=("sqlite", "postgresql"))
    parser.add_argument("--steps", default="cmq")
    arguments = parser.parse_args(argv)
    kinds = [arguments.database] if arguments.database else ["sqlite", "postgresql"]
    found: dict[str, Any] = {}
    if "c" in arguments.steps:
        found["cached"] = _cached(arguments.seconds)
    if "m" in arguments.steps:
        found["mixed"] = _mixed(kinds, arguments.rate, arguments.feeds)
    if "q" in arguments.steps:
        found["questions"] = [row for kind in kinds for row in _questions(kind, arguments.items)]
    if "n" in arguments.steps:
        found["next"] = [row for kind in kinds for row in _next_articles(kind, arguments.items)]
    _RESULTS.mkdir(exist_ok=True)
    report = {"at": datetime.now(UTC).isoformat(), "machine": platform.platform(), **vars(arguments), **found}
    path = _RESULTS / f"api-{datetime.now(UTC):%Y%m%dT%H%M%S}.json"
    path.write_text(json.dumps(report, indent=1))
    print(f"\n{path}")
    return 0
