"""The cost per feed as their number grows: all feeds due at once, in one process, batch after batch.

    python -m bench crowd [--feeds 1000 10000 100000] [--database sqlite|postgresql] [--cycles NUMBER]

One feed in ten exists and is parsed; the others answer 404 and leave the schedule. This measures the engine and the
store, and ends within minutes. It shows the CPU time per feed, for all batches and for their first and last tenth, and
the peak memory of the process; the goal is under 120 MB. With `--cycles` it ends after so many batches: a million due
take a quarter of an hour.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.farm import RESULTS, Bench, database, step_environment
from bench.farm_site import Farm, free_port, serve

_FILES, _ENTRIES, _HOSTS = 100, 3, 200
_SERVED_OF = 10
_MEMORY_MB = 120
_PATIENCE_S = 0.01
"""Time allowed per feed on a busy machine."""


def _urls(farm: Farm, number: int) -> list[str]:
    """Make URLs that differ only after the question mark, which the server ignores: it serves a few files."""
    files = farm.urls()
    return [
        f"{files[n % _FILES]}?n={n}" if n % _SERVED_OF == 0 else f"{files[n % _FILES]}.{n}.gone"
        for n in range(number)
    ]


def _run(arguments: argparse.Namespace, number: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="inforadar-crowd-") as name:
        folder = Path(name)
        farm = Farm(folder / "www", feeds=_FILES, entries=_ENTRIES, hosts=_HOSTS, port=free_port())
        urls_file = folder / "urls.txt"
        urls_file.write_text("\n".join(_urls(farm, number)))
        with (
            serve(farm, folder / "nginx", with_log=False) as server,
            database(arguments.database, folder) as (url, postgres),
        ):
            bench = Bench(farm, server, urls_file, step_environment(arguments, folder, url, 0.0), postgres)
            bench.timeout_s = max(bench.timeout_s, number * _PATIENCE_S)
            bench.step("prepare", "prepare", str(urls_file), "0")
            bench.step("due", "due")
            row = bench.step(f"{number:,}", "collect", str(arguments.cycles))
    fetched = min(number, arguments.cycles * arguments.batch)
    served = len(range(0, number, _SERVED_OF)) if fetched == number else row["feeds"] - row["failed"]
    row["expected"] = served * _ENTRIES
    row["complete"] = (row["feeds"], row["failed"], row["stored"]) == (
        fetched,
        fetched - served,
        row["expected"],
    )
    return row


def _ms_a_feed(cycles: list[tuple[int, float]]) -> float:
    feeds = sum(number for number, _ in cycles)
    return 1000 * sum(seconds for _, seconds in cycles) / feeds if feeds else 0.0


def _print_row(row: dict[str, Any]) -> None:
    cycles = row["cycles"]
    tenth = max(len(cycles) // 10, 1)
    print(
        f"{row['step']:>9}{_ms_a_feed(cycles):>14.3f}{_ms_a_feed(cycles[:tenth]):>13.3f}"
        f"{_ms_a_feed(cycles[-tenth:]):>12.3f}{row['database_cpu_s'] * 1000 / row['feeds']:>13.3f}"
        f"{row['peak_mb']:>9.0f}{row['wall_s']:>9.1f}  {'all' if row['complete'] else 'INCOMPLETE'}",
        flush=True,
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench crowd", description=__doc__)
    parser.add_argument("--feeds", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--workers", type=int, default=50)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--cycles", type=int, default=sys.maxsize)
    parser.add_argument("--corpus", help="not used here")
    arguments = parser.parse_args(argv)
    # When the benchmark is stopped, its servers must stop too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print(f"{arguments.database}, batches of {arguments.batch}, {arguments.workers} workers")
    print(
        f"{'feeds due':>9}{'CPU ms a feed':>14}{'first tenth':>13}{'last tenth':>12}{'DB ms a feed':>13}"
        f"{'peak MB':>9}{'wall s':>9}  stored"
    )
    rows = []
    for number in arguments.feeds:
        rows.append(_run(arguments, number))
        _print_row(rows[-1])
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"crowd-{arguments.database}-{datetime.now(UTC):%Y%m%dT%H%M%S}.json"
    file.write_text(json.dumps({"arguments": vars(arguments), "rows": rows}, indent=1))
    return 0 if all(row["complete"] and row["peak_mb"] < _MEMORY_MB for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
