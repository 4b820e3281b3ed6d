"""A million feeds in the schedule: the time of claims and of the pages over feeds, and how it grows with the feeds.

    python -m bench million [--feeds 1000000] [--leased 30000] [--database sqlite|postgresql|both] [--claims 200]

For a hundredth, a tenth and all of the feeds, it measures claims of 100 and of 1,000 feeds, one after the other until
no feed is due (then all are released, which is not counted), in a process that has warmed up like a worker. The first
round is shown separately: it follows a vacuum, which leaves no room in the pages for the leases, so SQLite writes four
times as much. Then `inforadar api` is started on the same database and asked for its pages, one request after the
other, with the first of each shown separately, and the memory of that process before and after. Last comes
`inforadar feed list` as a command, with and without the start of the program.

The database itself makes up the feeds, so that filling takes seconds and not hours.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from itertools import repeat
from pathlib import Path
from typing import Any

import psutil
import uvloop

from bench import million_fill
from bench.api import place, serving
from bench.api_load import hammer, request
from inforadar.app.process import tune_garbage_collector
from inforadar.app.store import open_store
from inforadar.config import load_settings
from inforadar.model.schedule import Lease
from inforadar.store.database import Database
from inforadar.store.leases import claim_due_feeds, release_leases

_RESULTS = Path(__file__).with_name("results")
ROUNDS = (("first", 100), ("later", 100), ("later", 1000))
"""The round of the schedule, and the number of feeds per claim."""
LIMIT_S = 600.0
"""No further size is started after this time."""
PAGES = {
    "article list": "/",
    "feeds page": "/feeds",
    "/metrics": "/metrics",
    "/api/feeds": "/api/feeds?limit=100",
    "/api/labels": "/api/labels",
    "/api/statistics": "/api/statistics",
    "/api/items": "/api/items",
    "items of a source": "/api/items?source=SITE+77",
    "items of a topic": "/api/items?topic=topic+3",
    "feeds of a source": "/feeds?source=Site+77",
    "feeds of a topic": "/api/feeds?limit=100&topic=topic+3",
}
_ONCE_S = 0.05
_STARTED = ("-m", "inforadar", "feed", "list", "--help")
_LISTED = ("-m", "inforadar", "feed", "list")
_NAMED = (*_LISTED, "--source", "site 77")


def _percentile_ms(times_s: list[float], share: float) -> float:
    ordered = sorted(times_s)
    return round(ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000, 2)


async def _claims(database: Database, batch: int, number: int) -> dict[str, Any]:
    times, cpu, claimed = [], [], 0
    held: list[Lease] = []
    for _ in range(number):
        began, began_cpu = time.perf_counter(), time.process_time()
        leases = await database.write(claim_due_feeds, batch)
        times.append(time.perf_counter() - began)
        cpu.append(time.process_time() - began_cpu)
        claimed += len(leases)
        held += leases
        if len(leases) < batch:  # nothing is left: all over again
            await database.write(release_leases, held)
            held.clear()
    await database.write(release_leases, held)
    return {
        "batch": batch,
        "claimed": claimed / number,
        "cpu_p50_ms": _percentile_ms(cpu, 0.5),
        "p50_ms": _percentile_ms(times, 0.5),
        "p95_ms": _percentile_ms(times, 0.95),
        "worst_ms": _percentile_ms(times, 1.0),
    }


async def _schedule(
    environment: dict[str, str], known: int, feeds: int, leased: int, claims: int
) -> dict[str, Any]:
    settings = load_settings(environ=os.environ | environment)
    async with open_store(settings, upgrade=True) as database:
        began = time.perf_counter()
        await database.write(million_fill.fill, known, feeds)
        held = await database.write(million_fill.lease, min(leased, feeds * 3 // 10), feeds)
        # Databases do this on their own sooner or later; claims must not wait for it.
        await database.vacuum()
        filled_s = time.perf_counter() - began
        tune_garbage_collector()
        rows = [{"round": turn} | await _claims(database, batch, claims) for turn, batch in ROUNDS]
    return {"leased": held, "filled_s": round(filled_s, 1), "claims": rows}


def _ask(port: int, path: str, seconds: float) -> dict[str, Any]:
    first = uvloop.run(hammer(port, repeat(request(path)), seconds=_ONCE_S, connections=1))
    load = uvloop.run(hammer(port, repeat(request(path)), seconds=seconds, connections=1))
    return {
        "first_ms": round(first.times_s[0] * 1000, 1),
        "p50_ms": round(load.percentile_ms(0.5), 1),
        "p95_ms": round(load.percentile_ms(0.95), 1),
        "worst_ms": round(load.percentile_ms(1.0), 1),
        "statuses": dict(first.statuses + load.statuses),
    }


def _pages(environment: dict[str, str], seconds: float) -> dict[str, Any]:
    port = int(environment["INFORADAR_PORT"])
    with serving(environment) as api:
        uvloop.run(hammer(port, repeat(request("/health")), seconds=0.2, connections=1))
        before = _memory_mb(api)
        pages = [{"page": name} | _ask(port, path, seconds) for name, path in PAGES.items()]
        after = _memory_mb(api)
    return {"pages": pages, "memory_before_mb": before, "memory_after_mb": after}


def _memory_mb(process: psutil.Process) -> float:
    """Return a process's private memory, without mapped files, which the system can reclaim at any time."""
    family = [one.memory_info() for one in (process, *process.children(recursive=True))]
    return round(sum(one.rss - one.shared for one in family) / 1e6, 1)


def _command(environment: dict[str, str], *arguments: str) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=120,
    )
    return (time.perf_counter() - began) * 1000


def _feed_list(environment: dict[str, str]) -> dict[str, Any]:
    """Return the best of three times: the first run reads the program from disk."""
    whole = min(_command(environment, *_LISTED) for _ in range(3))
    named = min(_command(environment, *_NAMED) for _ in range(3))
    start = min(_command(environment, *_STARTED) for _ in range(3))
    return {
        "command_ms": round(whole, 1),
        "named_ms": round(named, 1),
        "start_ms": round(start, 1),
        "itself_ms": round(whole - start, 1),
    }


def _measure(kind: str, given: argparse.Namespace, until: float) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    known = 0
    with place(kind) as (_, environment):
        for feeds in sorted({max(given.feeds // 100, 100), max(given.feeds // 10, 100), given.feeds}):
            if time.monotonic() > until:
                print(f"{kind}: no time left for {feeds} feeds", file=sys.stderr)
                break
            row: dict[str, Any] = {"database": kind, "feeds": feeds}
            row |= uvloop.run(_schedule(environment, known, feeds, given.leased, given.claims))
            row |= _pages(environment, given.seconds)
            row["feed_list"] = _feed_list(environment)
            known = feeds
            rows.append(row)
            _print(row)
    return rows


def _print(row: dict[str, Any]) -> None:
    print(
        f"\n{row['feeds']:,} feeds on {row['database']}, {row['leased']:,} of them leased; "
        f"filled in {row['filled_s']} s"
    )
    print(f"{'':<20}{'first ms':>10}{'p50 ms':>10}{'p95 ms':>10}{'worst':>10}")
    for claim in row["claims"]:
        name = f"claim of {claim['batch']}, {claim['round']}"
        print(
            f"{name:<20}{'':>10}{claim['p50_ms']:>10.1f}{claim['p95_ms']:>10.1f}{claim['worst_ms']:>10.1f}"
            f"  {claim['claimed']:g} claimed, CPU of this side {claim['cpu_p50_ms']:.1f} ms"
        )
    for page in row["pages"]:
        print(
            f"{page['page']:<20}{page['first_ms']:>10.1f}{page['p50_ms']:>10.1f}{page['p95_ms']:>10.1f}"
            f"{page['worst_ms']:>10.1f}  {page['statuses']}"
        )
    listed = row["feed_list"]
    print(
        f"feed list: {listed['command_ms']:.0f} ms, of a source {listed['named_ms']:.0f} ms, "
        f"of which the start of the program {listed['start_ms']:.0f}"
    )
    print(
        f"memory of the API: {row['memory_before_mb']:.0f} MB before, {row['memory_after_mb']:.0f} MB after",
        flush=True,
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench million")
    parser.add_argument("--feeds", type=int, default=1_000_000)
    parser.add_argument("--leased", type=int, default=30_000)
    parser.add_argument("--claims", type=int, default=200, help="of each size of batch")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each page")
    parser.add_argument("--database", choices=("sqlite", "postgresql", "both"), default="both")
    given = parser.parse_args(argv)
    kinds = ["sqlite", "postgresql"] if given.database == "both" else [given.database]
    until = time.monotonic() + LIMIT_S
    rows = [row for kind in kinds for row in _measure(kind, given, until)]
    _RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    report = {
        "at": now.isoformat(),
        "machine": platform.platform(),
        "python": platform.python_version(),
        **vars(given),
    }
    file = _RESULTS / f"million-{given.feeds}-{now:%Y%m%dT%H%M%S}.json"
    file.write_text(json.dumps(report | {"rows": rows}, indent=1))
    print(f"\n{file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
