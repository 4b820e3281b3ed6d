"""Reading on: the time and the CPU of the next and of the previous article, over very many items.

    python -m bench api --steps n --items 1000000

Asks a running `inforadar api` for an article as the page does after the key `j`, then for the one that its link `next`
names, and so on; then back by `prev`. The reader is the first admin, for whom each article is marked as read.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import time
from collections.abc import Callable
from http.client import HTTPConnection  # noqa: TID251 - asks our own server on loopback
from typing import Any

import psutil

from bench.api_fill import COMMON, RARE
from inforadar.actions.people.tokens import begin_session
from inforadar.app.store import open_store
from inforadar.config import Settings
from inforadar.model.person import FIRST_PERSON
from inforadar.web.http.sessions import COOKIE

ALLOWED_MS = 100.0
STEPS = 40
LISTS = {
    "all articles": "/?view=articles",
    "unread": "/?show=unread",
    "of a source": "/?source=Source+7",
    "of a topic": "/?topic=topic+3",
    "loaded": "/?score=loaded",
    "loaded, topic": "/?score=loaded&topic=topic+3",
    "common word": f"/?q={COMMON}",
    "rare word": f"/?q={RARE}",
    "common, topic": f"/?q={COMMON}&topic=topic+3",
    "few scores": "/?q=score%3A%3E0.9999",
}
_ENTRY = re.compile(r'<h2 dir="auto"><a href="(/item/[^"]+)"')
_TURN = {rel: re.compile(rf'rel="{rel}" href="(/item/[^"]+)"') for rel in ("next", "prev")}


async def log_in(settings: Settings) -> str:
    async with open_store(settings) as database:
        return await begin_session(database, FIRST_PERSON, "bench")


def walk(settings: Settings, process: psutil.Process) -> list[dict[str, Any]]:
    """Walk through each list, there and back; `process` is the server."""
    cookie = asyncio.run(log_in(settings))
    rows = []
    for name, path in LISTS.items():

        def get(address: str) -> str:
            connection = HTTPConnection("127.0.0.1", settings.web.port, timeout=120)
            connection.request("GET", address.replace("&amp;", "&"), headers={"Cookie": f"{COOKIE}={cookie}"})
            answer = connection.getresponse()
            body = answer.read().decode("utf-8", "replace")
            while answer.status in {302, 303}:
                connection.request(
                    "GET", answer.headers["Location"], headers={"Cookie": f"{COOKIE}={cookie}"}
                )
                answer = connection.getresponse()
                body = answer.read().decode("utf-8", "replace")
            connection.close()
            return body

        first = _ENTRY.search(get(path))
        if first is not None:
            rows.append({"list": name, **_walk(get, first[1], process)})
    return rows


def _walk(get: Callable[[str], str], first: str, process: psutil.Process) -> dict[str, Any]:
    body, spent = get(first), []
    before = _cpu_s(process)
    for rel in ("next", "prev"):
        for _ in range(STEPS):
            found = _TURN[rel].search(body)
            if found is None:
                break
            began = time.perf_counter()
            body = get(found[1])
            spent.append((time.perf_counter() - began) * 1000)
    cpu = (_cpu_s(process) - before) / max(len(spent), 1) * 1000
    worst = sorted(spent)
    return {
        "articles": len(spent),
        "cpu_ms": cpu,
        "p50_ms": statistics.median(spent) if spent else 0.0,
        "p95_ms": worst[int(len(worst) * 0.95)] if worst else 0.0,
    }


def _cpu_s(process: psutil.Process) -> float:
    family = [process, *process.children(recursive=True)]
    return sum(times.user + times.system for times in (one.cpu_times() for one in family))


def show(kind: str, number: int, rows: list[dict[str, Any]]) -> None:
    print(f"\nthe next article of {number:,} on {kind}, {STEPS} there and back, as the key asks for it")
    print(f"{'list':<16}{'articles':>9}{'CPU ms':>9}{'p50 ms':>9}{'p95 ms':>9}")
    for row in rows:
        print(
            f"{row['list']:<16}{row['articles']:>9}{row['cpu_ms']:>9.1f}{row['p50_ms']:>9.1f}{row['p95_ms']:>9.1f}"
        )
    slow = [row["list"] for row in rows if row["cpu_ms"] > ALLOWED_MS]
    print(f"over {ALLOWED_MS:g} ms of CPU: {', '.join(slow) or 'none'}", flush=True)
