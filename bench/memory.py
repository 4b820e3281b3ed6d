"""Memory of processes that run for long: the API over very many mixed requests, a worker over a very large feed.

    python -m bench memory [--requests 100000] [--rounds 10] [--items 20000] [--steps aw] [--entries 15000]
                           [--database sqlite|postgresql]

    a   the API answers lists, searches, articles, feeds, combined feeds and the reader API, each with other parameters
        again and again; its memory is read after each round. Caches fill in the first rounds; after that it must stay
        flat: the last round may not end more than 8 MB above the middle one.
    w   a worker collects a feed of `--entries` items, then the same again, unchanged and with a new entry. It may keep
        64 MB more than before. A document of more than 2 MB is refused by default: about 40,000 of these entries.

"MB" is the memory that the process has for itself (USS), "RSS" also counts what it shares, such as mapped files.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode
from uuid import UUID

import psutil
from sqlalchemy import text, update

from bench.api import place, serving
from bench.api_fill import FEEDS, SITES, SOURCES, TOPICS, fill
from bench.api_load import request, send_all
from inforadar.actions.people.tokens import make_app_password
from inforadar.app.store import open_store
from inforadar.config import load_settings
from inforadar.model.person import FIRST_PERSON
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.people.queries import load_person
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.types import db_now
from inforadar.web.greader.auth import log_in
from tests.support.site import Site
from tests.support.site.answers import Answer

_ALLOWED_GROWTH_MB = 8.0
_ALLOWED_WORKER_MB = 64.0
_MB = 2**20
_PATIENCE_S = 600.0
_COUNT = text("SELECT count(*) FROM items")
_BUSY = text("SELECT count(*) FROM feed_schedules WHERE lease_token IS NOT NULL OR requested_at IS NOT NULL")


async def _prepare(environment: dict[str, str], number: int) -> tuple[list[UUID], str]:
    async with open_store(load_settings(environ=os.environ | environment), upgrade=True) as database:
        await fill(database, number)
        ids = await database.read(
            lambda c: [UUID(str(one)) for one in c.execute(text("SELECT id FROM items")).scalars()]
        )
        password, _ = await make_app_password(database, FIRST_PERSON, "bench")
        caller = await log_in(database, (await database.read(load_person, FIRST_PERSON)).name, password)
        assert caller is not None
        return ids, caller.auth


def _mixed(ids: list[UUID], auth: str) -> Iterator[bytes]:
    """Requests that hardly ever repeat, in the mix of a busy evening."""
    dice = random.Random(1)
    login = {"Authorization": f"GoogleLogin auth={auth}"}

    def words() -> str:
        return f"word{dice.choice((0, 4000))} OR x{dice.randrange(10**6)}"

    def one() -> bytes:
        feed = f"https://site{(number := dice.randrange(FEEDS)) % SITES}.example/feed{number}"
        match dice.randrange(10):
            case 0:
                return request("/?" + urlencode({"topic": f"topic {dice.randrange(TOPICS)}"}))
            case 1:
                return request("/?" + urlencode({"q": words()}))
            case 2 | 3 | 4:
                return request(f"/item/{dice.choice(ids)}")
            case 5:
                given = {"limit": 100, "min_score": round(dice.random(), 4)}
                return request("/api/items?" + urlencode(given), Accept_Encoding="gzip")
            case 6 | 7:
                return request(f"/rss?url={quote(feed, safe='')}", Accept_Encoding="gzip")
            case 8:
                place_ = f"source/{quote(f'Source {dice.randrange(SOURCES)}')}"
                return request(f"/feeds/{place_}?max_score={round(dice.random(), 4)}&content=full")
            case _:
                until = 1_700_000_000 + dice.randrange(10**8)
                asked = f"/reader/api/0/stream/contents/user/-/state/com.google/reading-list?n=50&ot={until % 10**6}"
                return request(asked, **login)

    while True:
        yield one()


def _used(process: psutil.Process) -> tuple[float, float]:
    found = process.memory_full_info()
    return found.uss / _MB, found.rss / _MB


def _api(options: argparse.Namespace) -> bool:
    with place(options.database) as (_, environment):
        ids, auth = asyncio.run(_prepare(environment, options.items))
        asked = _mixed(ids, auth)
        with serving(environment) as server:
            port, used = int(environment["INFORADAR_PORT"]), []
            print(f"{'requests':>10}{'MB':>8}{'RSS':>8}{'CPU ms each':>13}   answers", flush=True)
            print(f"{0:>10}{_used(server)[0]:>8.1f}{_used(server)[1]:>8.1f}")
            for number in range(1, options.rounds + 1):
                before = server.cpu_times()
                part = list(itertools.islice(asked, options.requests // options.rounds))
                load = asyncio.run(send_all(port, part))
                after = server.cpu_times()
                cpu_ms = (after.user + after.system - before.user - before.system) * 1000 / len(part)
                uss, rss = _used(server)
                used.append(uss)
                print(
                    f"{number * len(part):>10}{uss:>8.1f}{rss:>8.1f}{cpu_ms:>13.2f}   {dict(load.statuses)}",
                    flush=True,
                )
    growth = used[-1] - used[len(used) // 2]
    print(f"The second half: {growth:+.1f} MB (at most {_ALLOWED_GROWTH_MB:g} allowed)")
    return growth <= _ALLOWED_GROWTH_MB


def _document(entries: int) -> Answer:
    # Short, so that so many of them stay below the limit of a document.
    parts = (
        f"<item><title>{number}</title><link>/{number}</link></item>" for number in range(entries, 0, -1)
    )
    body = f"<rss version='2.0'><channel><title>Large</title>{''.join(parts)}</channel></rss>"
    return Answer(body=body.encode(), headers={"Content-Type": "application/rss+xml"})


async def _collected(database: Database, site: Site) -> int:
    """Make the feed due, and wait until it was collected; return how many of its items are stored."""
    before = len(site.requests)
    due = update(feed_schedules).values(requested_at=db_now(), next_run_at=db_now())
    await database.write(lambda c: c.execute(due))
    async with asyncio.timeout(_PATIENCE_S):
        while len(site.requests) == before or await database.read(lambda c: c.execute(_BUSY).scalar()):
            await asyncio.sleep(0.2)
    return int(await database.read(lambda c: c.execute(_COUNT).scalar_one()))


async def _worker(options: argparse.Namespace, environment: dict[str, str]) -> bool:
    settings = load_settings(environ=os.environ | environment)
    async with Site() as site, open_store(settings, upgrade=True) as database:
        url = site.respond("/feed.xml", _document(10))
        await database.write(insert_feed, url, enabled=True, polling=True)
        command = [sys.executable, "-m", "inforadar", "worker", "--stages", "collect"]
        process = subprocess.Popen(command, env=os.environ | environment)
        try:
            worker, used = psutil.Process(process.pid), []
            print(f"{'entries':>10}{'stored':>8}{'MB':>8}{'RSS':>8}{'peak RSS':>10}{'CPU s':>8}", flush=True)
            # The large document three times: with new items, unchanged, and with one more.
            for entries in (10, options.entries, options.entries, options.entries + 1):
                before = worker.cpu_times()
                site.respond("/feed.xml", _document(entries))
                stored = await _collected(database, site)
                after = worker.cpu_times()
                cpu_s = after.user + after.system - before.user - before.system
                peak = (
                    int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())[1])
                    / 1024
                )
                uss, rss = _used(worker)
                used.append((uss, peak))
                print(f"{entries:>10}{stored:>8}{uss:>8.1f}{rss:>8.1f}{peak:>10.1f}{cpu_s:>8.2f}", flush=True)
        finally:
            process.terminate()
            process.wait(60)
    growth = used[-1][0] - used[0][0]
    print(
        f"Kept: {growth:+.1f} MB (at most {_ALLOWED_WORKER_MB:g} allowed); peak {used[-1][1] - used[0][1]:+.1f} MB"
    )
    return growth <= _ALLOWED_WORKER_MB


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench memory", description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--entries", type=int, default=15_000)
    parser.add_argument("--steps", default="aw")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    options = parser.parse_args(argv)
    passed = True
    if "a" in options.steps:
        passed &= _api(options)
    if "w" in options.steps:
        with place(options.database) as (_, environment):
            passed &= asyncio.run(_worker(options, environment))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
