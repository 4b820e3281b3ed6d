"""The cost of the Google Reader API over very many items.

    python -m bench reader [--items 1000000] [--unread 100000] [--database sqlite|postgresql]

    unread-count   for 1,000 feeds, from the counters
    ids            all unread ids at once
    contents       the same items, 1,000 at a time
    mark           one item as read

The API is one unmodified `inforadar api` process; its CPU time is measured, and the wall time as the client sees it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import aiohttp
import psutil
from sqlalchemy import Connection, insert, text

from bench.api import place, serving
from bench.api_fill import FEEDS
from bench.farm import RESULTS
from bench.farm_step import insert_feeds
from inforadar.actions.people.tokens import make_app_password
from inforadar.app.store import open_store
from inforadar.config import load_settings
from inforadar.model.person import FIRST_PERSON
from inforadar.store.rows import insert_rows, stored_id, stored_time
from inforadar.store.schema.items import items
from inforadar.store.upkeep.repair import count_anew
from inforadar.urls import url_hash

PART = 50_000
CONTENTS = 1000
_STATE = "user/-/state/com.google/"
_STARTED_MS = 1_790_000_000_000
_NAMES = ("id", "created_at", "updated_at", "hash", "feed_id", "url", "uid", "pub_date", "content", "title")


async def fill(number: int) -> str:
    """Fill the database with items; return an app password."""
    async with open_store(load_settings(), upgrade=True) as database:
        await database.write(insert_feeds, [f"https://site{count}.example/feed" for count in range(FEEDS)])
        feeds = await database.read(lambda c: list(c.execute(text("SELECT id FROM feeds")).scalars()))
        await database.write(_drop_indexes)
        for first in range(0, number, PART):
            await database.write(_insert_part, feeds, first, min(first + PART, number))
        await database.write(_finish)
        return (await make_app_password(database, FIRST_PERSON, "bench"))[0]


def _drop_indexes(connection: Connection) -> None:
    for index in items.indexes:
        index.drop(connection)


def _insert_part(connection: Connection, feeds: list[Any], first: int, last: int) -> None:
    rows = []
    for count in range(first, last):
        url = f"https://site{count % FEEDS}.example/{count}"
        key = url_hash(url)
        milliseconds = _STARTED_MS + count * 1000
        at = stored_time(connection, datetime.fromtimestamp(milliseconds / 1000, UTC))
        id_ = stored_id(connection, UUID(int=(milliseconds << 80) | (0x7 << 76) | (0x2 << 62) | count))
        content = f"<p>The text of number {count}, which is not long.</p>" * 10
        rows.append((id_, at, at, key, feeds[count % FEEDS], url, key[:16], at, content, f"Number {count}"))
    insert_rows(connection, insert(items), _NAMES, rows)
    for queue in ("search_queue", "story_queue"):
        connection.execute(text(f"DELETE FROM {queue}"))


def _finish(connection: Connection) -> None:
    for index in items.indexes:
        index.create(connection)
    count_anew(connection)
    connection.execute(text("ANALYZE"))


async def _measure(process: psutil.Process, port: int, password: str, unread: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    base = f"http://127.0.0.1:{port}"
    async with aiohttp.ClientSession(base, timeout=aiohttp.ClientTimeout(total=600)) as web:
        login = {"Email": "admin", "Passwd": password, "output": "json"}
        async with web.post("/accounts/ClientLogin", data=login) as answer:
            headers = {"Authorization": f"GoogleLogin auth={(await answer.json())['Auth']}"}

        async def ask(path: str, **request: Any) -> bytes:
            method = "POST" if "data" in request else "GET"
            url = f"/reader/api/0/{path}"
            async with web.request(method, url, headers=headers, **request) as answer:
                assert answer.status == 200, (path, answer.status)
                return await answer.read()

        async def timed(name: str, work: Callable[[], Awaitable[Any]], times: int = 1) -> Any:
            walls, found, before = [], None, sum(process.cpu_times()[:2])
            for _ in range(times):
                started = time.perf_counter()
                found = await work()
                walls.append(time.perf_counter() - started)
            figures[f"{name}_cpu_ms"] = (sum(process.cpu_times()[:2]) - before) * 1000 / times
            figures[f"{name}_wall_ms"] = statistics.median(walls) * 1000
            return found

        counts = json.loads(await timed("unread_count", lambda: ask("unread-count"), 20))
        figures["unread"] = counts["max"]
        wanted = {"s": f"{_STATE}reading-list", "xt": f"{_STATE}read", "n": str(unread)}
        found = json.loads(await timed("ids", lambda: ask("stream/items/ids", params=wanted)))
        ids = [one["id"] for one in found["itemRefs"]]

        async def contents() -> None:
            for start in range(0, len(ids), CONTENTS):
                form = aiohttp.FormData([("i", one) for one in ids[start : start + CONTENTS]])
                await ask("stream/items/contents", data=form)

        await timed("contents", contents)
        figures["synchronized"] = len(ids)
        marks = iter(ids)

        async def mark() -> None:
            await ask("edit-tag", data={"i": next(marks), "a": f"{_STATE}read"})

        await timed("mark", mark, 20)
        figures["memory_mb"] = process.memory_info().rss / 2**20
    return figures


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--unread", type=int, default=100_000)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    arguments = parser.parse_args(argv)
    with place(arguments.database) as (_, environment):
        os.environ |= environment
        password = asyncio.run(fill(arguments.items))
        with serving(environment) as process:
            port = int(environment["INFORADAR_PORT"])
            figures = asyncio.run(_measure(process, port, password, arguments.unread))
    print(f"{arguments.items:,} items of {FEEDS:,} feeds on {arguments.database}")
    for name, value in figures.items():
        print(f"{name:<22}{value:>12,.1f}")
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    file = RESULTS / f"reader-{arguments.database}-{now:%Y%m%dT%H%M%S}.json"
    file.write_text(json.dumps({"at": now.isoformat(), "arguments": vars(arguments), **figures}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
